//! What changes on disk, by looking at sizes and times of files again and again.
//!
//! A look costs a few microseconds a file. The next one comes after ten times as long as the last one took, but at least
//! [`PAUSE`] later, so that a large folder does not keep a processor busy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use otus::{FileKind, Files as _};
use serde_json::json;

use crate::api::Studio;

const PAUSE: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(50);
/// The most files that are looked at, and the most names that are told at once.
pub(crate) const MOST_FILES: usize = 20_000;
const MOST_NAMES: usize = 200;

type Stamp = (u64, Option<SystemTime>);

/// Looks until the studio ends.
pub(crate) fn run(studio: &Arc<Studio>, stop: &AtomicBool) {
    let mut known = look(studio);
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        let now = look(studio);
        let mut changed: Vec<String> = Vec::new();
        for (path, stamp) in &now {
            if known.get(path) != Some(stamp) {
                changed.push(studio.view.folder().name(path));
            }
        }
        changed.extend(
            known
                .keys()
                .filter(|path| !now.contains_key(*path))
                .map(|it| studio.view.folder().name(it)),
        );
        known = now;
        if !changed.is_empty() {
            changed.sort();
            changed.truncate(MOST_NAMES);
            let generation = studio.generation.fetch_add(1, Ordering::Relaxed) + 1;
            let data = json!({ "generation": generation, "changed": changed });
            studio.events.tell(None, "files", &data);
        }
        let pause = PAUSE.max(start.elapsed() * 10);
        let until = Instant::now() + pause;
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(TICK);
        }
    }
}

fn look(studio: &Studio) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    for path in files(studio, MOST_FILES).0 {
        if let Ok(metadata) = std::fs::metadata(&path) {
            found.insert(path, (metadata.len(), metadata.modified().ok()));
        }
    }
    found
}

/// The files of the folder, sorted, and whether there are more. Hidden files and folders are left out, and so are folders that
/// build tools fill.
pub(crate) fn files(studio: &Studio, most: usize) -> (Vec<PathBuf>, bool) {
    let view = &studio.view;
    let mut folders: Vec<PathBuf> = vec![view.folder().root().to_owned()];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for (path, kind) in view.list(&folder).unwrap_or_default() {
            if is_left_out(&path) {
                continue;
            }
            match kind {
                FileKind::Folder => folders.push(path),
                FileKind::File => found.push(path),
            }
            if found.len() > most {
                found.truncate(most);
                found.sort();
                return (found, true);
            }
        }
    }
    found.sort();
    (found, false)
}

fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "node_modules" || name == "target"
}
