use super::*;

fn schema() -> Schema {
    Schema::parse("signals: {view: {}, tip: {on: creator}, poke: {on: user}}").unwrap()
}

#[test]
fn a_signal_reads_back_as_written() {
    for full in [
        json!({"signal": "view", "item": 17, "user": "u", "weight": 0.5, "at": "2026-01-31T12:00:00.25Z", "key": "k"}),
        json!({"signal": "tip", "creator": "c", "weight": 1.0}),
        json!({"signal": "poke", "target_user": 3, "user": 4, "weight": 1.0}),
    ] {
        let signal = from_json(&full, &schema()).unwrap();
        let on = schema().signal(&signal.signal).unwrap().on;
        assert_eq!(to_json(&signal, on), full);
    }
    let seconds = from_json(&json!({"signal": "view", "item": 1, "at": 1.5}), &schema()).unwrap();
    assert_eq!((seconds.at, seconds.weight), (Some(Timestamp(1_500_000)), 1.0));
}

#[test]
fn what_is_wrong_is_named() {
    let refused = |json| from_json(&json, &schema()).unwrap_err().to_string();
    assert_eq!(
        refused(json!({"signal": "veiw", "item": 1})),
        "signal: no signal \"veiw\" in the schema; there are view, tip, poke"
    );
    assert_eq!(
        refused(json!({"signal": "tip", "item": 1})),
        "item: tip is a signal on a creator: give the target as creator"
    );
    assert_eq!(refused(json!({"signal": "view"})), "item: is missing");
    assert_eq!(
        refused(json!({"signal": "view", "item": 1, "weight": "2"})),
        "weight: expected a number, found \"2\""
    );
    assert!(refused(json!({"signal": "view", "item": 1, "at": "yesterday"})).starts_with("at: "));
    assert!(refused(json!({"signal": "view", "item": 1, "when": 1})).starts_with("when: unknown key"));
}
