//! What an error tells: its kind, the field, the file and the cause; and what `Debug` shows of a filter.

mod common;

use std::error::Error as _;

use bloomery::{block, split, AnyFilter, ErrorKind, Format};
use common::Folder;

#[test]
fn the_cause_of_an_io_error_is_its_source() {
    let folder = Folder::new("errors-source");
    let path = folder.path("none");
    let error = AnyFilter::open(&path, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.path(), Some(path.as_path()));
    let source = error.source().expect("a cause");
    let source = source.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
    // The message leaves the cause to whoever prints the chain.
    assert!(!error.to_string().contains(&source.to_string()));
}

#[test]
fn errors_have_kinds_of_their_own() {
    let small = block::Filter::with_capacity(10, 0.01).unwrap();
    let mut large = block::Filter::with_capacity(1000, 0.01).unwrap();
    let error = large.merge(&small).unwrap_err();
    assert_eq!(
        (error.kind(), error.field_name()),
        (ErrorKind::Incompatible, Some("blocks"))
    );
    let file = small.encode(Format::Envelope).unwrap();
    let error = split::Filter::decode(&file, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongKind);
    let error = AnyFilter::decode(&file[..file.len() - 1], None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.source().is_none());
}

#[test]
fn debug_is_one_short_line() {
    let mut filter = block::Filter::with_capacity(1_000_000, 0.01).unwrap();
    filter.add("apple");
    let any = AnyFilter::from(filter.clone());
    for text in [
        format!("{:?}", filter),
        format!("{:#?}", filter),
        format!("{:?}", filter.view()),
        format!("{:#?}", any),
        format!("{:?}", any.view()),
    ] {
        assert!(text.contains("block: blocks ") && text.contains(", k "));
        assert!(text.len() < 100 && !text.contains('\n'), "{}", text);
    }
    assert!(format!("{:?}", filter).contains("xxh3, 1 keys"));
}
