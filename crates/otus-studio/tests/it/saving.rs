//! Saving: with a version, and never over what somebody else wrote.

use serde_json::json;

use crate::client::{FLOW, Studio};

#[test]
fn a_conflict_is_told_and_nothing_is_written() {
    let studio = Studio::new();
    let file = studio.path().join("flow.mmd");
    let read = studio.get("/api/file?path=flow.mmd").json();
    assert_eq!(read["text"], FLOW);
    assert_eq!((&read["whole"], &read["first_line"]), (&json!(true), &json!(1)));
    let save = |text: &str, version: &serde_json::Value| {
        studio.post("/api/save", &json!({ "path": "flow.mmd", "text": text, "version": version }))
    };
    let saved = save("one\n", &read["version"]);
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n");
    // The page goes on with the version of what it wrote.
    let version = saved.json()["version"].clone();
    assert_eq!(save("two\n", &version).status, 200);
    // It does not with an older one, whoever wrote in the meantime.
    for old in [&version, &read["version"], &json!(null)] {
        let conflict = save("three\n", old);
        assert_eq!(conflict.status, 409, "{}", conflict.body);
        let told = conflict.json();
        assert_eq!((&told["kind"], &told["text"]), (&json!("conflict"), &json!("two\n")));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two\n");
    }
    let now = save("three\n", &json!(null)).json()["version"].clone();
    assert_eq!(save("three\n", &now).status, 200);
    std::fs::remove_file(&file).unwrap();
    let gone = save("four\n", &now);
    assert_eq!((gone.status, &gone.json()["version"]), (409, &json!(null)));
    assert!(!file.exists());
}

#[test]
fn a_file_is_created_only_where_there_is_none() {
    let studio = Studio::new();
    let create = |path: &str| {
        studio.post("/api/save", &json!({ "path": path, "text": "x\n", "version": null })).status
    };
    assert_eq!(create("new.mmd"), 200);
    assert_eq!(create("new.mmd"), 409);
    assert_eq!(create("logs/new.log"), 200);
    assert_eq!(create("nowhere/new.mmd"), 422);
    assert_eq!(std::fs::read_to_string(studio.path().join("logs/new.log")).unwrap(), "x\n");
}

#[cfg(unix)]
#[test]
fn permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let studio = Studio::new();
    let file = studio.path().join("flow.mmd");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let read = studio.get("/api/file?path=flow.mmd").json();
    studio
        .ask("/api/save", &json!({ "path": "flow.mmd", "text": "x", "version": read["version"] }));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let left: Vec<_> = std::fs::read_dir(studio.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 3, "no draft is left: {left:?}");
}

#[test]
fn what_is_not_a_text_cannot_be_saved() {
    let studio = Studio::new();
    std::fs::write(studio.path().join("bytes.mmd"), b"a\xffb").unwrap();
    let read = studio.get("/api/file?path=bytes.mmd").json();
    assert_eq!((&read["lossy"], &read["version"]), (&json!(true), &json!(null)));
    let answer =
        studio.post("/api/save", &json!({ "path": "bytes.mmd", "text": "x", "version": null }));
    assert_eq!(answer.status, 409);
}

#[test]
fn changes_on_disk_are_told() {
    use std::io::Read as _;

    let studio = Studio::new();
    let mut events = studio.open("GET", "/api/events?page=p1", &[], "");
    let mut bytes = [0; 4096];
    let mut told = String::new();
    while !told.contains(": otus studio") {
        let count = events.read(&mut bytes).unwrap();
        told.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    // The watcher has looked once when the state has been asked for several times its pause.
    std::thread::sleep(std::time::Duration::from_millis(700));
    std::fs::write(studio.path().join("other.mmd"), "sequenceDiagram\n").unwrap();
    while !told.contains("other.mmd") {
        let count = events.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "{told}");
        told.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(told.contains("event: files"), "{told}");
    assert_ne!(studio.get("/api/state").json()["generation"], 0);
}
