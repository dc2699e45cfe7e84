use kv0_env::memory;
use tidaldb::{
    Database, Entity, ErrorKind, Filter, Kind, Options, Relation, RelationKind, Retrieve, Schema, Search,
    Signal,
};

use crate::{SCHEMA, fill, open, signal};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: tidaldb::Result<T>, field: &str, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field(), Some(field), "{error}");
    assert!(error.message().contains(words), "{error}");
}

#[test]
fn wrong_input_is_refused_by_name() {
    let (db, _world) = open();
    fill(&db);
    refused(db.put(Kind::Item, Entity::new(1).field("year", "abc")), "metadata.year", "int");
    refused(db.put(Kind::Item, Entity::new(1).embedding("content", [1.0, 2.0])), "embeddings.content", "3");
    refused(
        db.put(Kind::Item, Entity::new(1).embedding("contents", [1.0; 3])),
        "embeddings.contents",
        "content",
    );
    refused(db.put(Kind::Item, Entity::new(1).embedding("content", [0.0; 3])), "embeddings.content", "zero");
    refused(db.put(Kind::Item, Entity::new("")), "id", "1 to 256");
    refused(db.put(Kind::User, Entity::new("u").creator("c")), "creator", "items");
    refused(db.signal(signal("vew", 1, "ann")), "signal", "view");
    refused(db.signal(signal("view", 1_000, "ann")), "item", "1000");
    refused(db.signal(Signal::new("visit", "nobody")), "creator", "nobody");
    refused(db.signal(signal("view", 1, "ann").weight(f64::NAN)), "weight", "NaN");
    refused(db.signal(signal("view", 1, "ann").key("")), "key", "256");
    refused(db.relate(Relation::new(RelationKind::Hide, "ann", 1_000)), "item", "1000");
    refused(db.relate(Relation::new(RelationKind::Block, "ann", "nobody")), "creator", "nobody");
    refused(db.relate(Relation::new(RelationKind::Follow, "", "c0")), "user", "1 to 256");
    refused(db.delete(Kind::Item, &1_000.into()), "id", "1000");
    let unknown = Retrieve::using("new").filter(Filter::All(vec![Filter::eq("colour", "red")]));
    refused(db.retrieve(&unknown), "filter.and[0].field", "colour");
    let wordless = Search { profile: "new".to_owned(), ..Search::new("jazz") };
    refused(db.search(&wordless), "profile", "retrieve");
    refused(db.retrieve(&Retrieve::using("search")), "profile", "Database::search");
    let strict = Search { strict: true, ..Search::new("\"open") };
    let error = db.search(&strict).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("query")));
    assert!(error.message().contains("byte 0"), "{error}");
    db.check().unwrap();
}

#[test]
fn a_second_process_is_refused_with_the_process_of_the_first() {
    let (db, world) = open();
    let error = Database::open_in(world.env(), crate::schema(), Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.message().contains(&format!("process {}", std::process::id())), "{error}");
    db.close().unwrap();
    Database::open_in(world.env(), crate::schema(), Options::default()).unwrap();
}

#[test]
fn a_directory_of_somebody_elses_files_is_not_made_a_database() {
    let open = |world: &memory::World| Database::open_in(world.env(), crate::schema(), Options::default());
    let (_env, world) = memory::env(1);
    world.files.write_all("lost+found/17", b"").unwrap();
    open(&world).unwrap().close().unwrap();
    // Where there is a database, what else is there is nobody's business; also where a copy left out the lock.
    world.files.write_all("letters/1.txt", b"dear").unwrap();
    world.env().files.remove("store/LOCK").unwrap();
    open(&world).unwrap().close().unwrap();
    world.env().files.remove("store/CURRENT").unwrap();
    let error = open(&world).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "a damaged database is still one: {error}");

    let (_env, world) = memory::env(1);
    world.files.write_all("letters/1.txt", b"dear").unwrap();
    let before = world.files.files();
    let error = open(&world).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("letters"), "{error}");
    assert_eq!(world.files.files(), before, "nothing was written");

    let directory = tempfile::tempdir().unwrap();
    kv0_env::local::env(directory.path()).unwrap().files.create_new("letter.txt").unwrap();
    let error = Database::open(directory.path(), crate::schema(), Options::default()).unwrap_err();
    let path = directory.path().to_str().unwrap();
    assert!(error.message().contains(path) && error.message().contains("letter.txt"), "{error}");
}

#[test]
fn a_schema_may_grow_but_not_change() {
    let (db, world) = open();
    fill(&db);
    db.signal(signal("view", 1, "ann")).unwrap();
    db.close().unwrap();
    let grown = SCHEMA.replace("signals:", "signals:\n  share: {on: item, half_life: 3d}");
    let db = Database::open_in(world.env(), Schema::parse(&grown).unwrap(), Options::default()).unwrap();
    db.signal(signal("share", 1, "ann")).unwrap();
    let answer = db.retrieve(&Retrieve::using("most_viewed").limit(1)).unwrap();
    assert!((answer.results[0].signals["view"] - 1.0).abs() < f64::EPSILON, "old signals keep their counts");
    db.close().unwrap();
    let changed = SCHEMA.replace("year: int", "year: keyword");
    let error =
        Database::open_in(world.env(), Schema::parse(&changed).unwrap(), Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(error.message().contains("items.fields.year"), "{error}");
    // A refused schema does not keep the database locked.
    Database::open_in(world.env(), Schema::parse(&grown).unwrap(), Options::default()).unwrap();
}

#[test]
fn a_new_embedding_model_gets_a_slot_beside_the_old() {
    let (db, world) = open();
    fill(&db);
    let before = db.retrieve(&Retrieve::using("related").similar_to(0)).unwrap();
    db.close().unwrap();
    let slot = "content: {dimension: 3, metric: cosine}";
    let grown = SCHEMA.replace(slot, &format!("{slot}\n    better: {{dimension: 5, metric: dot}}"));
    let db = Database::open_in(world.env(), Schema::parse(&grown).unwrap(), Options::default()).unwrap();
    // Filled item by item, the old slot kept or not; no vector of one slot is ever compared with one of the other.
    let vector = [3.0, 1.0, 4.0, 1.0, 5.0];
    let both = db.get(Kind::Item, &2.into()).unwrap().unwrap().embedding("better", vector);
    db.put(Kind::Item, both).unwrap();
    db.put(Kind::Item, Entity::new(70).field("title", "only better").embedding("better", vector)).unwrap();
    refused(db.put(Kind::Item, Entity::new(71).embedding("better", [1.0; 3])), "embeddings.better", "5");
    let after = db.retrieve(&Retrieve::using("related").similar_to(0)).unwrap();
    assert_eq!(crate::ids(&after), crate::ids(&before));
    assert!(db.retrieve(&Retrieve::using("related").similar_to(70)).unwrap().results.is_empty());
    db.check().unwrap();
    // A slot that changes its dimension is another slot.
    db.close().unwrap();
    let changed = grown.replace("dimension: 3", "dimension: 4");
    let error =
        Database::open_in(world.env(), Schema::parse(&changed).unwrap(), Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn a_closed_database_says_so() {
    let (db, _world) = open();
    fill(&db);
    db.close().unwrap();
    assert_eq!(db.retrieve(&Retrieve::using("new")).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(db.signal(signal("view", 1, "ann")).unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(db.get(Kind::Item, &1.into()).unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn an_ephemeral_database_makes_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let before = std::env::current_dir().unwrap();
    let db = Database::ephemeral(crate::schema()).unwrap();
    fill(&db);
    assert_eq!(db.count(Kind::Item).unwrap(), 10);
    assert_eq!(std::env::current_dir().unwrap(), before);
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    assert_eq!(memory::env(1).1.files.files().len(), 0);
}
