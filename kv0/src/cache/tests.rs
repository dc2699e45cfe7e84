use super::*;
use crate::entry::Version;
use crate::segment::block_of;

#[test]
fn blocks_stay_within_the_capacity() {
    let cache = Cache::new(1 << 20);
    let value = [7; 4000];
    for offset in 0..2000 {
        let block = Arc::new(block_of(&[(b"\0\0\0\0key", Version(offset), &value)]));
        cache.keep_block(BlockId { segment: 1, offset }, block);
        assert!(cache.block(BlockId { segment: 1, offset }).is_some());
        assert!(cache.block_bytes() <= 1 << 20);
    }
    assert!(cache.block_bytes() > 800 << 10, "{}", cache.block_bytes());
    assert!(cache.block(BlockId { segment: 2, offset: 1999 }).is_none());
}

#[test]
fn what_is_kept_is_the_same_in_every_run() {
    let run = || {
        let cache = Cache::new(1 << 20);
        for offset in 0..1000 {
            let block = Arc::new(block_of(&[(b"\0\0\0\0key", Version(offset), &[7; 4000])]));
            cache.keep_block(BlockId { segment: offset % 7, offset: offset * 37 % 500 }, block);
        }
        let ids = (0..7).flat_map(|segment| (0..500).map(move |offset| BlockId { segment, offset }));
        ids.filter(|&id| cache.block(id).is_some()).map(|id| (id.segment, id.offset)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn files_are_opened_once_and_few_at_a_time() {
    let (env, world) = kv0_env::memory::env(1);
    let count = limits::OPEN_SEGMENT_FILES as u64 * 3;
    for segment in 0..count {
        env.files.create_new(&segment.to_string()).unwrap();
    }
    let cache = Cache::new(1 << 20);
    for segment in 0..count {
        cache.file(segment, &*env.files, &segment.to_string()).unwrap();
        let before = world.files.operations();
        cache.file(segment, &*env.files, &segment.to_string()).unwrap();
        assert_eq!(world.files.operations(), before);
        assert!(cache.files.len() <= limits::OPEN_SEGMENT_FILES);
    }
    cache.forget_file(count - 1);
    env.files.remove(&(count - 1).to_string()).unwrap();
    assert!(cache.file(count - 1, &*env.files, &(count - 1).to_string()).is_err());
}
