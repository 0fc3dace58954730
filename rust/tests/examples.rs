//! An example at every door: each type that the crate shows, and each module, has one in its documentation, which
//! `cargo test` compiles and runs.

use std::fs;
use std::path::{Path, PathBuf};

/// Without an example of their own: names for what others show, and traits that nobody outside implements.
const SHOWN_ELSEWHERE: [&str; 6] = ["Filter", "Geometry", "View", "Result", "Sharing", "Verify"];
/// Modules of small parts: types and functions in them that others use.
const PARTS: [&str; 4] = ["hash", "layout", "sizing", "wire"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn all_files(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if !path.ends_with("bin") => all_files(&path, found),
            true => {}
            false => found.push(fs::read_to_string(path).unwrap()),
        }
    }
}

/// The names in `pub use module::{A, B};` of lib.rs.
fn shown_types(library: &str) -> Vec<String> {
    let uses = library.lines().filter(|line| line.starts_with("pub use "));
    uses.flat_map(|line| {
        let names = line.rsplit("::").next().unwrap();
        let names = names.trim_matches(|c| "{};".contains(c));
        names.split(", ").map(str::to_string).collect::<Vec<_>>()
    })
    .collect()
}

/// Whether the comment before the definition of `name` has an example; `None` when `text` does not define it.
fn has_example(text: &str, name: &str) -> Option<bool> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let defines = |line: &str| {
        ["struct", "enum", "trait"].iter().any(|word| {
            let rest = line.strip_prefix(&format!("pub {} {}", word, name));
            rest.map_or(false, |rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    let at = lines.iter().position(|line| defines(line))?;
    let before = lines[..at].iter().rev();
    let mut comment = before.take_while(|line| line.starts_with("///") || line.starts_with("#["));
    Some(comment.any(|line| line.starts_with("/// ```")))
}

#[test]
fn every_type_of_the_crate_has_an_example() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let mut files = Vec::new();
    all_files(&source(), &mut files);
    let types = shown_types(&library);
    assert!(types.len() > 25, "{:?}", types);
    for name in types {
        let found = files.iter().find_map(|text| has_example(text, &name));
        let elsewhere = SHOWN_ELSEWHERE.contains(&name.as_str());
        assert!(elsewhere || found == Some(true), "{} has no example", name);
    }
}

#[test]
fn every_kind_has_an_example() {
    let library = fs::read_to_string(source().join("lib.rs")).unwrap();
    let modules = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let mut kinds = 0;
    for name in modules.filter(|name| !PARTS.contains(name)) {
        let folder = source().join(name).join("mod.rs");
        let text = fs::read_to_string(folder)
            .or_else(|_| fs::read_to_string(source().join(format!("{}.rs", name))));
        let text = text.unwrap();
        let shown = text.contains("\n//! ```") || text.contains("\n/// ```");
        assert!(shown, "{} has no example", name);
        kinds += 1;
    }
    assert_eq!(kinds, 12, "eleven kinds, and files");
}
