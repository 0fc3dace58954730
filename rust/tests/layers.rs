//! The layers of the crate: a file uses only what comes before it in this list, so that nothing goes in circles.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules of the same row do not use each other.
const LAYERS: [&[&str]; 13] = [
    &["prelude", "sealed"],
    &["error"],
    &["key", "kind"],
    &["hash", "mem", "publish", "records"],
    &["layout"],
    &["blocks", "words"],
    &["sizing"],
    &["filter", "simd"],
    &[
        "classic",
        "split",
        "block",
        "partitioned",
        "stable",
        "cuckoo",
        "quotient",
        "fuse",
        "ribbon",
    ],
    // Made of kinds of the row before.
    &["counting", "scalable", "shared"],
    &["any"],
    &["wire"],
    &["file", "mapped"],
];

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().map_or(false, |end| end == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a line names by `crate::`.
fn named(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or("");
    let ends = |c: char| !c.is_alphanumeric() && c != '_';
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split(',').map(str::trim).collect(),
            None => vec![rest],
        })
        .map(|rest| rest.split(ends).next().unwrap_or(""))
        .filter(|name| name.starts_with(char::is_lowercase))
        .collect()
}

#[test]
fn no_module_uses_a_later_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut looked_at = 0;
    for file in files {
        let inside = file.strip_prefix(&root).unwrap();
        let module = inside.iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        // Commands and tests may use everything, and lib.rs names all.
        if module == "lib" || module == "bin" || inside.to_string_lossy().contains("tests") {
            continue;
        }
        let own = layer_of(module).unwrap_or_else(|| panic!("{} is in no layer", module));
        for line in fs::read_to_string(&file).unwrap().lines() {
            for name in named(line).into_iter().filter(|name| *name != module) {
                let used = layer_of(name);
                let fine = name == "golden" || used.map_or(false, |used| used < own);
                assert!(fine, "{}: uses {}: {}", inside.display(), name, line);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 100, "only {} uses were seen", looked_at);
}

#[test]
fn names_are_found_in_a_line() {
    assert_eq!(named("use crate::error::Result; // crate::any"), ["error"]);
    assert_eq!(named("use crate::{block, classic};"), ["block", "classic"]);
    assert_eq!(named("    crate::wire::parse(x)"), ["wire"]);
}
