//! `otus completions` and `otus man`.

use snapbox::str;

use crate::sandbox::Sandbox;
use crate::usage::COMMANDS;

#[test]
fn completions_for_each_shell() {
    let sandbox = Sandbox::new("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = sandbox.otus(&format!("completions {shell}")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(output.stderr.is_empty());
        let script = String::from_utf8(output.stdout).unwrap();
        for word in ["otus", "convert", "check"] {
            assert!(script.contains(word), "{shell} completes {word}");
        }
    }
    sandbox.otus("completions tcsh").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value 'tcsh' for '<SHELL>'
  [possible values: bash, elvish, fish, powershell, zsh]

  tip: a similar value exists: 'zsh'

For more information, try '--help'.

"#]]);
}

/// What a shell makes of them, where the shell is installed.
#[test]
fn shells_accept_their_completions() {
    let sandbox = Sandbox::new("completions-read");
    for (shell, arguments) in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])] {
        let script = sandbox.otus(&format!("completions {shell}")).output().unwrap().stdout;
        std::fs::write(sandbox.path(shell), script).unwrap();
        let read =
            std::process::Command::new(shell).args(arguments).arg(sandbox.path(shell)).output();
        match read {
            Ok(read) => assert!(read.status.success(), "{shell}: {read:?}"),
            Err(_) => println!("{shell} is not installed; its completions are not tried"),
        }
    }
}

#[test]
fn the_manual_is_printed_or_written() {
    let sandbox = Sandbox::new("man");
    let page = String::from_utf8(sandbox.otus("man").output().unwrap().stdout).unwrap();
    for part in [".TH otus 1", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH SUBCOMMANDS"] {
        assert!(page.contains(part), "the page has {part}");
    }
    sandbox.otus("man --dir man1").assert().code(0).stdout_eq("").stderr_eq(str![[r#"
wrote otus.1, otus-analyze.1, otus-ctl.1, otus-watch.1, otus-studio.1, otus-explore.1, otus-draw.1, otus-map.1, otus-init.1, otus-learn.1, otus-generate.1, otus-demo.1, otus-fmt.1, otus-lint.1, otus-lsp.1, otus-convert.1, otus-slice.1, otus-mutate.1, otus-project.1, otus-remove.1, otus-test.1, otus-report.1, otus-explain.1, otus-schema.1, otus-completions.1, otus-man.1 to man1

"#]]);
    let pages = sandbox.files();
    assert!(pages.contains(&"man1/otus.1".to_owned()), "{pages:?}");
    for command in COMMANDS {
        let page = sandbox.read(&format!("man1/otus-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
    assert_eq!(pages.len(), 1 + COMMANDS.len());
}
