//! `otus demo`.

use snapbox::str;

use crate::sandbox::Sandbox;

#[test]
fn it_needs_no_files_and_writes_none() {
    let sandbox = Sandbox::new("demo");
    sandbox.otus("demo").assert().code(0).stderr_eq("").stdout_eq(str![[r#"
A publish/subscribe model, as an interaction:

    seq(
      loopS(pub -- publish -> bro),
      sub -- subscribe -> bro,
      loopS(seq(pub -- publish -> bro, bro -- publish -> sub))
    )

and as the Mermaid diagram that `otus convert` makes of it:

    sequenceDiagram
        participant pub
        participant bro
        participant sub
        %% otus: loopS
        loop 0..*
            pub->>bro: publish
        end
        sub->>bro: subscribe
        %% otus: loopS
        loop 0..*
            pub->>bro: publish
            bro->>sub: publish
        end

What was observed, one log per machine:

    // One log per machine: no clock is shared, so nothing orders `pub` against `sub`.
    {
      [pub] pub!publish;
      [bro] bro?subscribe.bro?publish.bro!publish;
      [sub] sub!subscribe.sub?publish
    }

Checked: 3 lifelines, 2 messages, 6 actions in 3 logs; 0 findings.

The run as it was: [pub] pub!publish; [bro] bro?subscribe.bro?publish.bro!publish; [sub] sub!subscribe.sub?publish

    complete       Pass      explained by sub!subscribe.bro?subscribe.pub!publish.bro?publish.bro!publish.sub?publish
    global-prefix  Pass      explained by sub!subscribe.bro?subscribe.pub!publish.bro?publish.bro!publish.sub?publish
    prefix         Pass      explained by sub!subscribe.bro?subscribe.pub!publish.bro?publish.bro!publish.sub?publish
    slice          Pass      explained by sub!subscribe.bro?subscribe.pub!publish.bro?publish.bro!publish.sub?publish

Without the subscriber's log: [pub] pub!publish; [bro] bro?subscribe.bro?publish

    complete       Fail      every log is explained by itself, but more must follow
    global-prefix  Fail      explained at most: pub 1 of 1, bro 0 of 2
    prefix         WeakPass  explained by (sub!subscribe).bro?subscribe.pub!publish.bro?publish.(bro!publish).(sub?publish)
    slice          WeakPass  explained by pub!publish.(bro?publish).(sub!subscribe).bro?subscribe.(pub!publish).bro?publish.(bro!publish).(sub?publish)

A broker that forwards too early: [pub]; [bro] bro!publish.bro?subscribe; [sub] sub!subscribe

    complete       Fail      explained at most: bro 0 of 2, sub 1 of 1
    global-prefix  Fail      explained at most: bro 0 of 2, sub 1 of 1
    prefix         Fail      explained at most: bro 0 of 2, sub 1 of 1
    slice          Fail      no explanation

With two slips of the pen in the log, Otus says:

    error[O0302]: the message `subscirbe` is not declared
     --> broken.htf:3:13
      |
    3 |   [bro] bro?subscirbe.sub!publish
      |             ^^^^^^^^^ used here
      |
      = help: did you mean `subscribe`? Otherwise declare it in `@message{…}`

    error[O0403]: `sub!publish` is not an action of [bro]
     --> broken.htf:3:23
      |
    3 |   [bro] bro?subscirbe.sub!publish
      |    ---                ^^^^^^^^^^^ on `sub`
      |    |
      |    the lifelines of the component
      |
      = help: add `sub` to the component if it shares its clock, or move the action to the component of `sub`

Try next:

  otus demo --write demo        writes these files, to play with
  otus analyze demo/pubsub.hsf demo/pubsub.hif demo/run.htf --observed complete

"#]]);
    assert!(sandbox.files().is_empty());
}

#[test]
fn its_files_can_be_written_and_are_sound() {
    let sandbox = Sandbox::new("demo-write");
    sandbox.otus("demo --write demo").assert().code(0).stdout_eq("").stderr_eq(str![[r#"
wrote demo/pubsub.hsf
wrote demo/pubsub.hif
wrote demo/run.htf

"#]]);
    sandbox
        .otus("lint demo/pubsub.hsf demo/pubsub.hif demo/run.htf")
        .assert()
        .code(0)
        .stdout_eq("");
    sandbox.otus("fmt --check demo").assert().code(0);
    sandbox.write("demo/pubsub.hif", "mine");
    sandbox.otus("demo --write demo").assert().code(2).stderr_eq(str![[r#"
otus: demo/pubsub.hsf exists already

"#]]);
    assert_eq!(sandbox.read("demo/pubsub.hif"), "mine");
}
