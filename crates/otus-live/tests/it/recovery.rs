//! A log on disk: what a process that goes on tells, and what it does not tell again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use otus_live::Config;

use crate::support::{Place, Watch, verdicts};

fn config(place: &Place) -> Config {
    let mut config = place.config();
    config.log = Some(place.path("state"));
    config
}

/// Copies a folder as it is while others write it, which is what a killed process leaves.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let _ = fs::copy(entry.path(), to.join(entry.file_name()));
    }
}

#[test]
fn open_groups_go_on_after_a_stop() {
    let place = Place::new();
    place.append("a.log", "x !ask\ny !ask\ny done\n");
    let watch = Watch::start(&place, config(&place));
    watch.wait_for(1);
    let (stopped, told) = watch.stop();
    assert_eq!((stopped.open, told.len()), (1, 1));
    // What is written while nothing runs is read as well.
    place.append("b.log", "x ?ask\nx !answer\n");
    place.append("a.log", "x ?answer\nx done\n");
    let watch = Watch::start(&place, config(&place));
    watch.wait_for(1);
    let (stopped, told) = watch.stop();
    assert_eq!((stopped.open, told.len()), (0, 1));
    assert_eq!((&told[0]["verdict"], &told[0]["events"]), (&"Pass".into(), &5.into()));
    let all = verdicts(&place.path("verdicts.jsonl"));
    assert_eq!(all["y"], ("WeakPass".to_owned(), 2));
    assert_eq!(all.len(), 2);
}

#[test]
fn whatever_a_killed_process_leaves_the_verdicts_are_the_same() {
    let place = Place::new();
    let groups = 40;
    let (mut at_a, mut at_b) = (String::new(), String::new());
    for group in 0..groups {
        let _ = writeln!(at_a, "g{group} !ask\ng{group} ?answer\ng{group} done");
        let event = if group % 3 == 0 { "!answer" } else { "?ask" };
        let _ = writeln!(at_b, "g{group} {event}");
    }
    place.append("a.log", &at_a);
    place.append("b.log", &at_b);
    let first = Watch::start(&place, config(&place));
    first.wait_for(groups);
    first.stop();
    let expected = verdicts(&place.path("verdicts.jsonl"));
    assert_eq!(expected.len(), groups);
    assert!(expected.values().any(|(verdict, _)| verdict == "Fail"));
    // The log of another process, cut at every tenth of its length, with as much of the file of verdicts as was told by then.
    let (state, copied) = (place.path("state"), place.path("copied"));
    fs::remove_dir_all(&state).unwrap();
    fs::remove_file(place.path("verdicts.jsonl")).unwrap();
    let second = Watch::start(&place, config(&place));
    second.wait_for(groups / 2);
    copy(&state, &copied);
    let told = fs::read(place.path("verdicts.jsonl")).unwrap();
    second.stop();
    let segment = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let segments = entries.filter(|path| path.extension().is_some_and(|it| it == "wal"));
        segments.max().unwrap()
    };
    let whole = fs::read(segment(&copied)).unwrap();
    for tenth in 0..=10 {
        copy(&copied, &state);
        fs::write(segment(&state), &whole[..whole.len() * tenth / 10]).unwrap();
        // The file of verdicts had what the log says was told, and maybe more.
        fs::write(place.path("verdicts.jsonl"), &told).unwrap();
        let again = Watch::start(&place, config(&place));
        for _ in 0..3000 {
            let file = fs::read_to_string(place.path("verdicts.jsonl")).unwrap();
            if file.matches('\n').count() >= groups {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        again.stop();
        assert_eq!(verdicts(&place.path("verdicts.jsonl")), expected, "{tenth}");
    }
}
