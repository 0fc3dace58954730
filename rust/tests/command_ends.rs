//! How `bloomery-rs` ends: mistakes, warnings, full disks, closed pipes, and readers that wait for answers.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::{named_keys, run, stdout_of, Folder};

#[test]
fn mistakes_get_one_line_and_status_2() {
    let folder = Folder::new("mistakes");
    folder.write("keys", "a\nb\n");
    folder.write("bad-secret", "xyz");
    fs::create_dir(folder.path("dir")).unwrap();
    folder.pipe("pipe");
    let mistakes = "\
frobnicate
--frobnicate
hash --nope
hash --hash md5
hash --seed 1
hash --hash xxh3 --seed -1
hash --hash siphash13
hash --hash siphash13 --secret bad-secret
hash --hash siphash13 --secret missing
hash --secret bad-secret
hash missing
hash dir
hash keys missing
build --kind classic keys
build --kind classic -o f --fpr 2 keys
build --kind classic -o f --fpr 0 keys
build --kind classic -o f --fpr nan keys
build --kind classic -o f --fpr
build --kind classic -o f -n 0 keys
build --kind classic -o f -n -5 keys
build --kind classic -o f -n 1.5 keys
build --kind classic -o f -n 1e30 keys
build --kind classic -o f -n 10 --fpr 1e-30 keys
build --kind classic -o f -n 1e18 --fpr 0.5 keys
build --kind classic -o f -n 1e9 keys
build --kind classic -o f -m 10 keys
build --kind classic -o f -k 3 keys
build --kind classic -o f -m 0 -k 3 keys
build --kind classic -o f -m 10 -k 31 keys
build --kind classic -o f -m 1e19 -k 3 keys
build --kind classic -o f -m 10 -k 3 --fpr 0.1 keys
build --kind classic -o f --bits-per-key 0 keys
build --kind classic -o f --bits-per-key 8 --fpr 0.1 keys
build -o f --kind cuckoo keys
build -o f --kind nosuch keys
build -o f --blocks 10 keys
build -o f --kind split --blocks 0 keys
build -o f --kind split -k 3 --blocks 5 keys
build -o f --kind split --fpr 1e-6 keys
build -o f --kind block --blocks 10 -k 17 keys
build -o f --kind block --geometry blocks=10,k keys
build -o f --kind block --blocks 10 --geometry blocks=10,k=3 keys
build -o f --kind block --blocks 10 -k 3 --fpr 0.1 keys
build --kind classic -o f --hash xxh3 keys
build --kind classic -o f missing
build --kind classic -o dir keys
build --kind classic -o no/such/f keys
build --kind classic -o pipe keys
query
query missing
query keys
query dir
inspect
inspect missing
inspect keys
inspect --secret bad-secret keys
";
    for line in mistakes.lines() {
        let output = run(&folder, line, b"a\n");
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{}: {}", line, why);
        assert_eq!(output.stdout, b"", "{}", line);
        assert!(why.starts_with("bloomery-rs: "), "{}: {}", line, why);
        assert_eq!(why.lines().count(), 1, "{}: {}", line, why);
    }
    assert_eq!(folder.names(), ["bad-secret", "dir", "keys", "pipe"]);
}

#[test]
fn a_disk_that_is_full_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("full");
    folder.write("f", "old");
    // Files may grow to 512 bytes, and the signal that would tell so is ignored, so that writing fails.
    let script =
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" build --kind classic -q -m 100k -k 3 -o \"$1\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_bloomery-rs")])
        .arg(folder.path("f"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", why);
    assert_eq!(why.lines().count(), 1, "{}", why);
    assert_eq!(fs::read(folder.path("f")).unwrap(), b"old");
    assert_eq!(folder.names(), ["f"]);
}

#[test]
fn a_target_that_will_be_missed_is_warned_of() {
    let folder = Folder::new("warned");
    let output = run(&folder, "build --kind classic -q -n 1 -o f", b"a\nb\n");
    assert_eq!(output.status.code(), Some(0));
    let warnings = String::from_utf8(output.stderr).unwrap();
    let warnings: Vec<&str> = warnings.lines().collect();
    assert_eq!(warnings.len(), 2, "{:?}", warnings);
    assert!(warnings
        .iter()
        .all(|line| line.starts_with("bloomery-rs: warning: ")));
    assert!(warnings[0].contains("block"));
    let quiet = run(&folder, "build --kind classic -q -n 1000 -o f", b"a\nb\n");
    assert_eq!(quiet.stderr, b"");
}

#[test]
fn answers_come_while_the_input_is_still_open() {
    let folder = Folder::new("talk");
    folder.worked_example();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bloomery-rs"))
        .arg("query")
        .arg(folder.path("f.bloom"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    // Read elsewhere, so that a command that holds its answers back fails the test instead of hanging it.
    let (send, answers) = mpsc::channel();
    thread::spawn(move || output.lines().try_for_each(|line| send.send(line.unwrap())));
    for (key, expected) in [("key7", "maybe\tkey7"), ("miss7", "no\tmiss7")] {
        writeln!(input, "{}", key).unwrap();
        let answer = answers.recv_timeout(Duration::from_secs(180));
        assert_eq!(answer.as_deref(), Ok(expected));
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let folder = Folder::new("closed");
    folder.worked_example();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bloomery-rs"))
        .arg("hash")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let _ = input.write_all(named_keys("key", 100_000).join("\n").as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new("help");
    assert_eq!(
        stdout_of(&folder, "--version", b"", 0),
        b"bloomery-rs 0.1.0\n"
    );
    for line in ["", "--help", "-h", "help"] {
        assert!(stdout_of(&folder, line, b"", 0).starts_with(b"bloomery-rs: "));
    }
    for line in ["build --help", "build -q -h", "help build"] {
        let text = stdout_of(&folder, line, b"", 0);
        assert!(text.starts_with(b"Usage: bloomery-rs build "));
    }
}
