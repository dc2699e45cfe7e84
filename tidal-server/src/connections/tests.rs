use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::*;

fn connection() -> (Connection<DuplexStream>, DuplexStream, Arc<Semaphore>) {
    let places = Arc::new(Semaphore::new(1));
    let (ours, theirs) = tokio::io::duplex(16);
    let place = Arc::clone(&places).try_acquire_owned().expect("a place is free");
    (Connection::new(ours, place), theirs, places)
}

// Time stands still in these tests, and jumps to the next timer when everything waits.

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_let_go_and_its_place_is_free() {
    let (mut ours, _theirs, places) = connection();
    let start = Instant::now();
    let error = ours.read_u8().await.expect_err("nobody says anything");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(start.elapsed() >= CONNECTION_IDLE_TIME && CONNECTION_IDLE_TIME > crate::limits::REQUEST_TIME);
    assert_eq!(places.available_permits(), 0);
    drop(ours);
    assert_eq!(places.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_on_is_kept_and_one_that_does_not_read_is_not() {
    let (mut ours, mut theirs, _places) = connection();
    for byte in 0..5 {
        tokio::time::sleep(CONNECTION_IDLE_TIME * 3 / 4).await;
        theirs.write_u8(byte).await.expect("the other end is there");
        assert_eq!(ours.read_u8().await.expect("the client goes on"), byte);
    }
    // Sixteen bytes are on their way, and nobody takes them.
    let error = ours.write_all(&[0; 17]).await.expect_err("nobody reads");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}
