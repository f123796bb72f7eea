//! Files that grow and rotate.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::support::{Place, Watch, verdicts};

#[test]
fn a_fail_is_told_while_the_group_is_open() {
    let place = Place::new();
    let watch = Watch::start(&place, place.config());
    place.append("a.log", "x !ask\n");
    place.append("b.log", "x ?ask\nx !answer\ny !answer\n");
    place.append("a.log", "x ?answer\nx done\ny !a");
    watch.wait_for(2);
    place.append("a.log", "sk\n");
    place.append("c.log", "nothing that a rule takes\n");
    let (stopped, told) = watch.stop();
    let of = |group: &str| told.iter().find(|it| it["group"] == group).unwrap().clone();
    assert_eq!((&of("x")["verdict"], &of("x")["ended"]), (&"Pass".into(), &"rule".into()));
    // It answers before it was asked, whatever follows.
    assert_eq!((&of("y")["verdict"], &of("y")["ended"]), (&"Fail".into(), &"open".into()));
    assert_eq!(of("y")["event"], 0);
    assert!(of("y")["explanation"]["headline"].is_string());
    assert_eq!(told.len(), 2);
    assert_eq!(stopped.verdicts, [1, 0, 1, 0]);
}

#[test]
fn late_events_open_no_group_unless_asked_for() {
    for reopen in [false, true] {
        let place = Place::new();
        let mut config = place.config();
        config.closing.reopen = reopen.then(|| std::time::Duration::from_hours(1));
        let watch = Watch::start(&place, config);
        place.append("a.log", "x !ask\nx done\n");
        watch.wait_for(1);
        place.append("b.log", "x !answer\nz !answer\n");
        watch.wait_for(if reopen { 3 } else { 2 });
        let (_, told) = watch.stop();
        let of_x: Vec<_> = told.iter().filter(|it| it["group"] == "x").collect();
        assert_eq!(of_x.len(), if reopen { 2 } else { 1 });
        assert_eq!(of_x[0]["verdict"], "WeakPass");
        if reopen {
            assert_eq!((&of_x[1]["verdict"], &of_x[1]["generation"]), (&"Fail".into(), &2.into()));
            assert_ne!(of_x[0]["id"], of_x[1]["id"]);
        }
    }
}

/// Writes lines, and opens its file again when another one has its name.
fn write(path: &Path, lines: std::ops::Range<usize>) {
    let open = || fs::File::options().append(true).create(true).open(path).unwrap();
    let mut file = open();
    for number in lines {
        if number % 50 == 0 {
            let there = fs::metadata(path).map(|it| it.ino()).ok();
            if there != Some(file.metadata().unwrap().ino()) {
                file = open();
            }
        }
        // In two pieces, so that a reader meets unfinished lines.
        let line = format!("g{number} !ask\n");
        let (first, rest) = line.split_at(number % line.len());
        file.write_all(first.as_bytes()).unwrap();
        file.write_all(rest.as_bytes()).unwrap();
    }
}

/// Moves a log to a name with a number, and packs the one before, as logrotate does with `dateext` and `delaycompress`.
fn rotate(path: &Path, times: usize) {
    let named = |suffix: String| path.with_file_name(format!("a.log.{suffix}"));
    if let Some(before) = times.checked_sub(1)
        && let Ok(text) = fs::read(named(before.to_string()))
    {
        let changed = fs::metadata(named(before.to_string())).unwrap().modified().unwrap();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&text).unwrap();
        let draft = named(format!("{before}.gz.tmp"));
        fs::write(&draft, packed.finish().unwrap()).unwrap();
        // As gzip does it.
        fs::File::options().write(true).open(&draft).unwrap().set_modified(changed).unwrap();
        fs::rename(draft, named(format!("{before}.gz"))).unwrap();
        fs::remove_file(named(before.to_string())).unwrap();
    }
    fs::rename(path, named(times.to_string())).unwrap();
    if times.is_multiple_of(2) {
        // Some rotations make the new file, and others leave that to the program.
        drop(fs::File::options().append(true).create(true).open(path));
    }
}

#[test]
fn rotation_at_full_speed_loses_no_line_and_doubles_none() {
    const LINES: usize = 60_000;
    let place = Place::new();
    let mut config = place.config();
    config.closing.most_open = 100;
    config.limits.remembered = 2 * LINES;
    let path = place.path("logs").join("a.log");
    place.append("a.log", "first !ask\nfirst done\n");
    let watch = Watch::start(&place, config);
    // What was rotated away before the watch began is none of its files.
    watch.wait_for(1);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || write(&path, 0..LINES)
    });
    let mut times = 0;
    while !writer.is_finished() {
        // The program has seen the last rotation when its new file has content. A file is packed when nobody writes it.
        if fs::metadata(&path).is_ok_and(|it| it.len() > 30_000) {
            rotate(&path, times);
            times += 1;
        }
        std::thread::yield_now();
    }
    writer.join().unwrap();
    assert!(times >= 10, "rotated {times} times");
    watch.wait_for(LINES - 100);
    watch.stop();
    let told = verdicts(&place.path("verdicts.jsonl"));
    let is_twice =
        |(group, (_, events)): &(&String, &(String, u64))| *events != 1 && *group != "first";
    let twice: Vec<_> = told.iter().filter(is_twice).collect();
    let missing: Vec<_> =
        (0..LINES).filter(|number| !told.contains_key(&format!("g{number}"))).collect();
    let first = |count: usize| count.min(5);
    assert!(
        twice.is_empty() && missing.is_empty(),
        "after {times} rotations, {} lines came twice {:?} and {} are missing {:?}",
        twice.len(),
        &twice[..first(twice.len())],
        missing.len(),
        &missing[..first(missing.len())],
    );
}

#[test]
fn truncated_files_are_read_from_their_start() {
    let place = Place::new();
    let mut config = place.config();
    config.closing.most_open = 1;
    let path = place.path("logs").join("a.log");
    place.append("a.log", "a1 !ask\na2 !ask\n");
    let watch = Watch::start(&place, config);
    watch.wait_for(1);
    // Copied, one more line that only the copy has, and truncated; then it grows beyond its old length at once.
    place.append("a.log", "a3 !ask\n");
    fs::copy(&path, path.with_file_name("a.log.1")).unwrap();
    fs::write(&path, "b1 !ask\nb2 !ask\nb3 !ask\nb4 !ask\nb5 !ask\n").unwrap();
    watch.wait_for(7);
    watch.stop();
    let told = verdicts(&place.path("verdicts.jsonl"));
    let groups: Vec<&str> = told.keys().map(String::as_str).collect();
    assert_eq!(groups, ["a1", "a2", "a3", "b1", "b2", "b3", "b4", "b5"]);
    assert!(told.values().all(|(_, events)| *events == 1));
}
