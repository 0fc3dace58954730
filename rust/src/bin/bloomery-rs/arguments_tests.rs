//! How words are taken, and which are refused.

use super::*;
use crate::accepts::{flag, option};

const ACCEPTS: Accepts = Accepts {
    command: "try",
    about: "",
    words: &[
        &[
            flag(&["-q", "--quiet"], ""),
            flag(&["-0"], ""),
            flag(&["--json"], ""),
            option(&["-n"], "N", ""),
        ],
        &[option(&["--fpr"], "P", ""), option(&["--key"], "KEY", "")],
    ],
    required: &[],
    repeated: &["--key"],
    arguments: &["FILE", "OTHER"],
};

fn parse(line: &[&str]) -> Result<Arguments, Failure> {
    let line: Vec<OsString> = line.iter().chain(&["a", "b"]).map(OsString::from).collect();
    ACCEPTS.parse(&line)
}

#[test]
fn a_value_may_be_attached_or_follow() {
    for line in [
        ["-n", "5", "--fpr", "0.1"],
        ["-n5", "--fpr=0.1", "-q", "-0"],
    ] {
        let parsed = parse(&line).unwrap();
        assert_eq!(parsed.option("-n"), Some(OsStr::new("5")));
        assert_eq!(parsed.option("--fpr"), Some(OsStr::new("0.1")));
    }
    assert!(parse(&["-q0"]).unwrap().has("-0"));
    assert!(parse(&["--quiet"]).unwrap().has("-q"));
    for line in [&["-qn7"][..], &["-qn", "7"]] {
        assert_eq!(parse(line).unwrap().option("-n"), Some(OsStr::new("7")));
    }
    let empty = parse(&["--fpr="]).unwrap();
    assert_eq!(empty.option("--fpr"), Some(OsStr::new("")));
    let keys = parse(&["--key", "x", "--key=", "--key", "-y"]).unwrap();
    assert_eq!(keys.all("--key").collect::<Vec<_>>(), ["x", "", "-y"]);
}

#[test]
fn a_dash_is_a_file_and_two_end_the_options() {
    let line = ["-", "--", "-q"].map(OsString::from);
    let parsed = ACCEPTS.parse(&line).unwrap();
    assert_eq!(parsed.operands(), ["-", "-q"]);
    assert!(!parsed.has("-q"));
}

#[test]
fn what_a_command_does_not_accept_is_refused_with_its_help() {
    let lines: [(&[&str], &str); 10] = [
        (&["--nope"], "there is no option '--nope'"),
        (&["--qiet"], "did you mean '--quiet'?"),
        (&["-x"], "'-x'"),
        (&["-qx"], "'-x'"),
        (&["-n", "--fpr"], "-n needs a value: -n N"),
        (&["--fpr", "-h"], "--fpr needs a value"),
        (&["--json=1"], "--json takes no value"),
        (&["-n1", "-n2"], "-n is given twice"),
        (&["-q", "--quiet"], "--quiet is given twice"),
        (&["c"], "one argument too many, 'b'"),
    ];
    for (line, expected) in lines {
        match parse(line).unwrap_err() {
            Failure::Message(why) => {
                assert!(why.contains(expected), "{:?}: {}", line, why);
                assert!(why.ends_with(": see 'bloomery-rs try --help'"), "{}", why);
            }
            other => panic!("{:?}", other),
        }
    }
    let few = ACCEPTS.parse(&["a".into()]).unwrap_err();
    assert!(format!("{:?}", few).contains("OTHER is missing"));
}
