//! What `bloomery-rs` prints, to the byte, and the files it writes.

mod common;

use std::fs;

use common::json::Json;
use common::{named_keys, run, sha256, stdout_of, vectors, Folder};

#[test]
fn the_worked_example_of_the_specification() {
    let folder = Folder::new("worked");
    folder.worked_example();
    let file = fs::read(folder.path("f.bloom")).unwrap();
    assert_eq!(
        sha256::hex(&file),
        "6e99dda6232de657832b98bb299357aa83e835a3f299316be83c44186328a6e1"
    );
}

#[test]
fn build_and_inspect_print_the_golden_text() {
    let folder = Folder::new("golden");
    for row in vectors("cli.json").rows("rows") {
        let mut keys = named_keys("key", row.number("keys"));
        keys.push(String::new());
        let mut line = "build -o FILE".to_string();
        if let Some(Json::List(arguments)) = row.get("args") {
            for argument in arguments {
                line = line + " " + argument.as_text();
            }
        }
        if let Some(Json::Text(secret)) = row.get("secret") {
            folder.write("secret", secret);
            line += " --secret secret";
        }
        let text = |line: &str, input: &str| {
            String::from_utf8(stdout_of(&folder, line, input.as_bytes(), 0)).unwrap()
        };
        assert_eq!(text(&line, &keys.join("\n")), row.text("build"));
        assert_eq!(text("inspect FILE", ""), row.text("inspect"));
        assert_eq!(text("inspect --json FILE", ""), row.text("inspect_json"));
    }
}

#[test]
fn every_way_to_give_the_keys_builds_the_same_file() {
    let folder = Folder::new("ways");
    folder.worked_example();
    let keys = named_keys("key", 1000);
    let text = keys.join("\n").into_bytes();
    let nul = keys.join("\0").into_bytes();
    let ways: [(&str, &[u8]); 7] = [
        ("build --kind classic -q -o g", &[&text[..], b"\n"].concat()),
        ("build --kind classic -q -o g -", &text),
        ("build --kind classic -q -og -n1000 keys", b""),
        ("build -q -o g --kind=classic --fpr 0.01 -n 1k keys", b""),
        ("build --kind classic -q -o g -m 9586 -k 7 keys", b""),
        ("build --kind classic -q0 -o g", &nul),
        (
            "build --kind classic -q -o g --bits-per-key=9.5855 keys",
            b"",
        ),
    ];
    for (line, input) in ways {
        assert_eq!(stdout_of(&folder, line, input, 0), b"", "{}", line);
        let (f, g) = (folder.path("f.bloom"), folder.path("g"));
        assert_eq!(fs::read(&g).unwrap(), fs::read(f).unwrap(), "{}", line);
        fs::remove_file(g).unwrap();
    }
}

#[test]
fn query_answers_in_order_and_by_its_status() {
    let folder = Folder::new("query");
    folder.worked_example();
    let some = stdout_of(&folder, "query f.bloom", b"key1\nmiss1\r\n\nkey999", 1);
    assert_eq!(some, b"maybe\tkey1\nno\tmiss1\r\nno\t\nmaybe\tkey999\n");
    assert_eq!(
        stdout_of(&folder, "query -0 f.bloom", b"key1\0a\nb", 1),
        b"maybe\tkey1\0no\ta\nb\0"
    );
    assert_eq!(stdout_of(&folder, "query f.bloom", b"", 0), b"");
    let all = stdout_of(&folder, "query f.bloom keys", b"", 0);
    assert_eq!(
        all.split(|b| *b == b'\n')
            .filter(|l| l.starts_with(b"maybe\tkey"))
            .count(),
        1000
    );
}

#[test]
fn keys_longer_than_a_block_and_bytes_of_any_value_pass_whole() {
    let folder = Folder::new("long");
    let mut input = Vec::new();
    for length in [0, 1, 131_071, 131_072, 131_073, 700_000] {
        input.extend((0..length).map(|i| if i % 251 == 10 { 255 } else { (i % 251) as u8 }));
        input.push(b'\n');
    }
    stdout_of(&folder, "build --kind classic -q -o f", &input, 0);
    let answers = stdout_of(&folder, "query f", &input, 0);
    let expected: Vec<u8> = input
        .split_inclusive(|b| *b == b'\n')
        .flat_map(|line| [b"maybe\t", line].concat())
        .collect();
    assert!(answers == expected);
}

#[test]
fn hash_prints_the_digits_and_the_key() {
    let folder = Folder::new("hash");
    let secret = "000102030405060708090a0b0c0d0e0f\n";
    folder.write("secret", secret);
    assert_eq!(
        stdout_of(&folder, "hash", b"\na", 0),
        b"c3817c016ba4ff30\t\n5f29c2aadd9b8527\ta\n"
    );
    let keyed = stdout_of(
        &folder,
        "hash -0 --hash siphash24 --secret secret",
        b"\0",
        0,
    );
    assert_eq!(keyed, b"726fdb47dd0e0e31\t\0");
    let seeded = stdout_of(&folder, "hash --hash=xxh64 --seed=0x1", b"\n", 0);
    assert_eq!(seeded, b"d5afba1336a3be4b\t\n");
}

#[test]
fn envelopes_carry_hash_and_count() {
    let folder = Folder::new("envelope");
    folder.write("secret", "000102030405060708090a0b0c0d0e0f");
    folder.write("other", "000102030405060708090a0b0c0d0e00");
    let built = stdout_of(
        &folder,
        "build --kind classic --envelope --hash siphash13 --secret secret -m 100 -k 3 -o f",
        b"a\nb\na\n",
        0,
    );
    let built = String::from_utf8(built).unwrap();
    assert!(built.starts_with("f: classic, 3 keys, 141 bytes, 33.33 bits/key, predicted fpr "));
    assert_eq!(
        stdout_of(&folder, "query --secret secret f", b"a", 0),
        b"maybe\ta\n"
    );
    assert_eq!(stdout_of(&folder, "query f", b"a", 2), b"");
    assert_eq!(stdout_of(&folder, "query --secret other f", b"a", 2), b"");
    let text = String::from_utf8(stdout_of(&folder, "inspect f", b"", 0)).unwrap();
    assert!(text.contains("format          envelope 1\n"));
    assert!(text.contains("hash            siphash13, secret id 0xbf1656a63c735967\n"));
    assert!(text.contains("keys added      3\n"));
    stdout_of(
        &folder,
        "build --kind classic -q --envelope --hash xxh3 --seed 5 -o g",
        b"a",
        0,
    );
    let json = String::from_utf8(stdout_of(&folder, "inspect --json g", b"", 0)).unwrap();
    assert!(json.contains(
        "\"version\":1,\"hash\":\"xxh3\",\"seed\":\"0x0000000000000005\",\"secret_id\":null"
    ));
    let mut damaged = fs::read(folder.path("g")).unwrap();
    damaged[128] ^= 1;
    folder.write("g", damaged);
    assert_eq!(stdout_of(&folder, "query g", b"a", 2), b"");
    assert!(run(&folder, "query --no-verify g", b"a").status.code() < Some(2));
}

#[test]
fn extremes_of_fill_are_printed_as_specified() {
    let folder = Folder::new("extremes");
    stdout_of(&folder, "build --kind classic -q -o empty", b"", 0);
    let text = String::from_utf8(stdout_of(&folder, "inspect empty", b"", 0)).unwrap();
    assert!(text.contains("geometry        m 10, k 7\n"), "{}", text);
    assert!(text.contains("fill            0\nestimated keys  0\npredicted fpr   0\n"));
    assert!(text.ends_with("fill along      |  |\n"));
    stdout_of(
        &folder,
        "build --kind classic -q -m 1 -k 1 -o full",
        b"x",
        0,
    );
    let json = String::from_utf8(stdout_of(&folder, "inspect --json full", b"", 0)).unwrap();
    assert!(json.contains(
        "\"fill\":1.0,\"estimated_count\":null,\"predicted_fpr\":1.0,\"sampled_fpr\":1.0"
    ));
    assert!(json.ends_with("\"fill_along\":[1000]}\n"), "{}", json);
}
