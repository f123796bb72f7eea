//! `otus explain`.

use snapbox::str;

use crate::sandbox::Sandbox;

#[test]
fn codes_in_any_spelling() {
    let sandbox = Sandbox::new("explain");
    let page = sandbox.otus("explain O0301").output().unwrap().stdout;
    assert!(String::from_utf8(page.clone()).unwrap().starts_with("# O0301: "));
    for spelling in ["o0301", "0301", "301"] {
        assert_eq!(sandbox.otus(&format!("explain {spelling}")).output().unwrap().stdout, page);
    }
    for spelling in ["E0301", "O9999", "x", "-1"] {
        sandbox.otus(&format!("explain {spelling}")).assert().code(2).stdout_eq("");
    }
    sandbox.otus("explain O0300").assert().code(2).stderr_eq(str![[r#"
otus: there is no code `O0300`; `otus explain` lists all of them

"#]]);
}

#[test]
fn without_a_code_all_are_listed_and_each_has_a_page() {
    let sandbox = Sandbox::new("explain-all");
    let list = sandbox.otus("explain").output().unwrap();
    assert_eq!(list.status.code(), Some(0));
    let list = String::from_utf8(list.stdout).unwrap();
    let codes: Vec<&str> =
        list.lines().map(str::trim).filter(|line| line.starts_with("O0")).collect();
    assert!(codes.len() > 60);
    for line in codes {
        let code = line.split(' ').next().unwrap();
        let page = sandbox.otus(&format!("explain {code}")).output().unwrap();
        assert_eq!(page.status.code(), Some(0));
        assert!(String::from_utf8(page.stdout).unwrap().starts_with(&format!("# {code}: ")));
    }
}
