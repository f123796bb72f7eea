//! Who may ask, and what is inside of the folder.

use serde_json::json;

use crate::client::Studio;

#[test]
fn only_who_knows_the_token_may_ask() {
    let studio = Studio::new();
    for (path, cookie) in [
        ("/?token=0000", ""),
        ("/?token=", ""),
        ("/", ""),
        ("/studio.js", ""),
        ("/api/state", ""),
        ("/api/state", "otus_studio=1"),
        ("/api/state", "otus_studio_1=0000"),
        ("/api/nothing", ""),
    ] {
        let answer = studio.send("GET", path, &[("Cookie", cookie)], "");
        assert_eq!(answer.status, 403, "{path} {cookie}");
        assert_eq!(answer.json()["kind"], "forbidden");
    }
    assert_eq!(studio.get("/api/state").status, 200);
    // The address with the token is good for the page only.
    let url = studio.running.url().to_owned();
    let query = url.split_once('?').unwrap().1;
    let answer = studio.send("GET", &format!("/api/state?{query}"), &[("Cookie", "")], "");
    assert_eq!(answer.status, 403);
}

#[test]
fn another_host_or_site_is_refused() {
    let studio = Studio::new();
    let own = format!("http://{}", studio.host());
    for headers in [
        [("Host", "evil.example"), ("X", "1")],
        [("Host", "127.0.0.1:1"), ("X", "1")],
        [("Host", ""), ("X", "1")],
        [("Origin", "http://evil.example"), ("X", "1")],
        [("Origin", "null"), ("X", "1")],
        [("Origin", "http://127.0.0.1:1"), ("X", "1")],
        [("Sec-Fetch-Site", "cross-site"), ("X", "1")],
        [("Origin", own.as_str()), ("Sec-Fetch-Site", "same-site")],
    ] {
        let answer = studio.send("GET", "/api/state", &headers, "");
        // Without a host it is no HTTP/1.1.
        assert!(matches!(answer.status, 400 | 403), "{headers:?}: {}", answer.status);
        let body = json!({ "path": "x", "text": "x", "version": null }).to_string();
        let answer = studio.send("POST", "/api/save", &headers, &body);
        assert!(matches!(answer.status, 400 | 403), "{headers:?}: {}", answer.status);
    }
    assert!(!studio.path().join("x").exists());
    let headers = [("Origin", own.as_str()), ("Sec-Fetch-Site", "same-origin")];
    assert_eq!(studio.send("GET", "/api/state", &headers, "").status, 200);
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let studio = Studio::new();
    let page = studio.get("/");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.header("access-control-allow-origin"), None);
    for path in ["/studio.js", "/studio.css"] {
        assert_eq!(studio.get(path).status, 200);
    }
    assert!(!page.body.contains("http://") && !page.body.contains("https://"), "{}", page.body);
}

#[test]
fn nothing_outside_of_the_folder_is_read() {
    let studio = Studio::new();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.mmd"), "secret").unwrap();
    let absolute = outside.path().join("secret.mmd");
    let absolute = absolute.to_str().unwrap();
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    let up = format!("../{name}/secret.mmd");
    let packed = format!("%2e%2e%2f{name}%2fsecret.mmd");
    let through = format!("logs/../../{name}/secret.mmd");
    for path in [absolute, &up, &packed, &through, "..", "/etc/passwd", "logs/../../x", "a%00b", ""]
    {
        let answer = studio.get(&format!("/api/file?path={path}"));
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        assert!(!answer.body.contains("\"secret\""));
    }
    for path in [absolute, up.as_str(), through.as_str()] {
        for (route, body) in [
            ("/api/check", json!({ "spec": path, "runs": ["logs"] })),
            ("/api/check", json!({ "spec": "", "runs": [path] })),
            ("/api/check", json!({ "spec": "", "runs": ["logs"], "unsaved": { path: "x" } })),
            ("/api/text", json!({ "path": path, "text": "x", "theme": "light", "picture": true })),
            ("/api/case", json!({ "spec": path, "runs": ["logs"], "id": "one", "theme": "light" })),
            ("/api/lines", json!({ "log": path, "from": 0, "count": 1 })),
            ("/api/account", json!({ "runs": [path] })),
            ("/api/order", json!({ "order": path })),
            ("/api/results", json!({ "path": path })),
            ("/api/save", json!({ "path": path, "text": "x", "version": null })),
        ] {
            let answer = studio.post(route, &body);
            assert_eq!(answer.status, 403, "{route} {path}: {}", answer.body);
        }
    }
    // An otus.toml or a diagram that names a file outside finds nothing.
    let config = format!("spec = '{up}'\n");
    let question = json!({ "spec": "", "runs": [], "unsaved": { "otus.toml": config } });
    let answer = studio.post("/api/check", &question);
    assert!(answer.status == 422 && !answer.body.contains("\"secret\""), "{}", answer.body);
    let question = json!({ "path": "x.puml", "theme": "light", "picture": true,
        "text": format!("@startuml\n!include {up}\na -> b: x\n@enduml\n") });
    let answer = studio.post("/api/text", &question);
    assert!(answer.status == 200 && !answer.body.contains("secret\""), "{}", answer.body);
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;

    let studio = Studio::new();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.mmd"), "sequenceDiagram\n a->>b: secret\n").unwrap();
    let inside = studio.path();
    symlink(outside.path().join("secret.mmd"), inside.join("link.mmd")).unwrap();
    symlink(outside.path(), inside.join("linked")).unwrap();
    symlink(outside.path().join("new.txt"), inside.join("dangling.txt")).unwrap();
    symlink(inside.join("flow.mmd"), inside.join("own.mmd")).unwrap();
    for path in ["link.mmd", "linked/secret.mmd", "dangling.txt"] {
        let answer = studio.get(&format!("/api/file?path={path}"));
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        let answer =
            studio.post("/api/save", &json!({ "path": path, "text": "x", "version": null }));
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        let question = json!({ "spec": path, "runs": ["logs"] });
        assert_eq!(studio.post("/api/check", &question).status, 403, "{path}");
    }
    assert!(!outside.path().join("new.txt").exists());
    let state = studio.get("/api/state").body;
    assert!(!state.contains("link.mmd") && !state.contains("linked"), "{state}");
    // A link that stays inside is a file like any other, and stays a link when it is saved.
    let own = studio.get("/api/file?path=own.mmd").json();
    assert!(own["text"].as_str().unwrap().starts_with("sequenceDiagram"));
    let save = json!({ "path": "own.mmd", "text": "sequenceDiagram\n", "version": own["version"] });
    studio.ask("/api/save", &save);
    assert!(std::fs::symlink_metadata(inside.join("own.mmd")).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(inside.join("flow.mmd")).unwrap(), "sequenceDiagram\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_blocks_nobody() {
    let studio = Studio::new();
    let pipe = studio.path().join("logs/pipe.log");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    assert_eq!(studio.get("/api/file?path=logs/pipe.log").status, 422);
    assert_eq!(studio.get("/api/state").status, 200);
    assert_eq!(studio.ask("/api/check", &json!({ "spec": "", "runs": [] }))["counts"]["pass"], 1);
}

#[test]
fn malformed_requests_are_told() {
    let studio = Studio::new();
    let json = [("Content-Type", "application/json")];
    for (method, path, headers, body, status) in [
        ("POST", "/api/check", &json[..], "{", 400),
        ("POST", "/api/check", &json[..], "[]", 400),
        ("POST", "/api/check", &json[..], "{\"spec\": 1}", 400),
        ("POST", "/api/check", &json[..], "", 400),
        ("POST", "/api/check", &[("Content-Type", "text/plain")][..], "{}", 415),
        ("GET", "/api/check", &[][..], "", 405),
        ("POST", "/api/state", &json[..], "{}", 405),
        ("POST", "/", &json[..], "{}", 405),
        ("GET", "/api/nothing", &[][..], "", 404),
        ("GET", "/../Cargo.toml", &[][..], "", 404),
        ("GET", "/api/file", &[][..], "", 400),
        ("GET", "/api/file?path=nothing.mmd", &[][..], "", 404),
        ("GET", "/api/file?path=flow.mmd&from=x", &[][..], "", 400),
        ("GET", "/api/file?path=logs", &[][..], "", 422),
        ("POST", "/api/check", &json[..], "{\"spec\": \"no.mmd\", \"runs\": [\"logs\"]}", 422),
        ("POST", "/api/case", &json[..], "{\"spec\": \"\", \"runs\": [], \"id\": \"no\"}", 422),
        ("POST", "/api/lines", &json[..], "{\"log\": \"no.log\", \"from\": 0, \"count\": 5}", 422),
    ] {
        let answer = studio.send(method, path, headers, body);
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.body);
        assert!(answer.json()["error"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let deep = "[".repeat(100_000);
    assert_eq!(studio.send("POST", "/api/check", &json, &deep).status, 400);
}
