//! A folder of its own for each test, and `otus` run in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use snapbox::cmd::Command;

/// How often each name of a folder was asked for.
static TAKEN: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// A fresh folder with some files.
pub(crate) struct Sandbox {
    folder: PathBuf,
}

impl Sandbox {
    /// An empty folder, called like the test that asks for it. Tests run at the same time, so a name that was taken before
    /// gets a number.
    pub(crate) fn new(name: &str) -> Sandbox {
        let mut taken = TAKEN.lock().unwrap();
        let times = taken.entry(name.to_owned()).or_insert(0);
        *times += 1;
        let name = if *times == 1 { name.to_owned() } else { format!("{name}.{times}") };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Sandbox { folder }
    }

    /// A folder with the publish/subscribe model, in the two files of one specification.
    pub(crate) fn with_model(name: &str) -> Sandbox {
        let sandbox = Sandbox::new(name);
        sandbox.write("sig.hsf", SIGNATURE);
        sandbox.write("model.hif", MODEL);
        sandbox.write("run.htf", TRACE);
        sandbox
    }

    /// Puts `otus` on the path of [`Sandbox::shell`], and the examples, models and pages of the
    /// repository where its pages have them.
    #[cfg(unix)]
    pub(crate) fn with_repository(&self) {
        use std::os::unix::fs::symlink;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in ["bin", "docs/pictures"] {
            std::fs::create_dir_all(self.path(folder)).unwrap();
        }
        symlink(snapbox::cmd::cargo_bin!("otus"), self.path("bin/otus")).unwrap();
        for folder in ["examples", "bench"] {
            symlink(root.join(folder), self.path(folder)).unwrap();
        }
        for entry in std::fs::read_dir(root.join("docs")).unwrap() {
            let (page, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
            if page.is_file() {
                std::fs::copy(page, self.path("docs").join(name)).unwrap();
            }
        }
    }

    /// Runs a line as a shell would; a question may be answered with no, but it can be asked.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn shell(&self, line: &str) {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = std::process::Command::new("sh")
            .args(["-c", line])
            .current_dir(self.path(""))
            .env("HOME", self.path(""))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .output()
            .unwrap();
        let asked = output.status.code().is_some_and(|code| code <= 1);
        assert!(asked, "`{line}` does not work: {output:?}");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file, and the folders it is in.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// All files, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.folder).unwrap();
                    files.push(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        files.sort();
        files
    }

    /// `otus` with these arguments, begun and not waited for; what it says is lost.
    pub(crate) fn start(&self, arguments: &str) -> std::process::Child {
        std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    }

    /// `otus` with these arguments, run in the folder.
    pub(crate) fn otus(&self, arguments: &str) -> Command {
        Command::new(snapbox::cmd::cargo_bin!("otus"))
            .args(arguments.split_whitespace())
            .current_dir(&self.folder)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env("COLUMNS", "100")
    }
}

pub(crate) const SIGNATURE: &str =
    "@message{ subscribe; publish; unsubscribe }\n@lifeline{ publisher; broker; subscriber }\n";

pub(crate) const MODEL: &str = "\
seq(
  subscriber -- subscribe -> broker,
  loopW(seq(publisher -- publish -> broker, broker -- publish -> subscriber)),
  subscriber -- unsubscribe -> broker
)
";

pub(crate) const TRACE: &str = "\
{
  [publisher] publisher!publish;
  [broker] broker?subscribe.broker?publish.broker!publish;
  [subscriber] subscriber!subscribe.subscriber?publish
}
";
