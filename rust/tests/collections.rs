//! A filter at home: in collections, streams, serde and maps.

mod common;

use std::convert::TryFrom;
use std::io::BufWriter;

use bloomery::{
    block, classic, split, AnyFilter, AnyView, Error, ErrorKind, Filter, Format, Hasher, Kind,
};

#[test]
fn keys_are_collected_and_extended() {
    let mut filter: Filter = (0u64..10_000).collect();
    assert_eq!(filter.key_count(), Some(10_000));
    assert!((0u64..10_000).all(|key| filter.contains(key)));
    let found = (10_000u64..20_000)
        .filter(|key| filter.contains(key))
        .count();
    assert!(found < 200, "{} of 10,000, for 1 %", found);
    filter.extend(["a", "b"]);
    filter.extend(vec![String::from("c")]);
    assert!(["a", "b", "c"].iter().all(|key| filter.contains(key)));
    assert_eq!(filter.key_count(), Some(10_003));
    let empty: Filter = std::iter::empty::<&str>().collect();
    assert!(!empty.contains(""));
    let mut one_by_one = classic::Filter::with_geometry(9586, 7).unwrap();
    let mut at_once = one_by_one.clone();
    (0..1000).for_each(|key| {
        one_by_one.add(key);
    });
    at_once.extend(0..1000);
    assert!(one_by_one == at_once);
}

#[test]
fn streams_carry_the_bytes_of_a_file() {
    let filter: Filter = ["a", "b"].iter().collect();
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes, Format::Envelope).unwrap();
    assert_eq!(bytes, filter.encode(Format::Envelope).unwrap());
    assert!(Filter::read_from(bytes.as_slice(), None).unwrap() == filter);
    assert!(AnyFilter::read_from(bytes.as_slice(), None).is_ok());
    let wrong = split::Filter::read_from(bytes.as_slice(), None).unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::WrongKind);
    let full = filter.write_to(&mut [0; 10][..], Format::Envelope);
    assert_eq!(full.unwrap_err().kind(), ErrorKind::Io);
    let mut room = [0; 10];
    let buffered = BufWriter::new(&mut room[..]); // which fails when it is emptied
    let lost = filter.write_to(buffered, Format::Envelope);
    assert_eq!(lost.unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn an_intersection_says_of_its_keys_what_a_union_says() {
    let of = |keys: Option<&str>, label: Option<&str>| {
        let mut filter: Filter = ["a", "b"].iter().collect();
        filter.records_mut().set_keys(keys).unwrap();
        filter.records_mut().set_label(label).unwrap();
        filter
    };
    let mut numbers = of(Some("int"), Some("users"));
    let refused = numbers.intersect(&of(Some("text"), None)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Incompatible);
    assert!(numbers == of(Some("int"), Some("users")));
    assert_eq!(numbers.records().label(), Some("users"));
    numbers.intersect(&of(Some("int"), None)).unwrap();
    assert_eq!(
        (numbers.records().keys(), numbers.records().label()),
        (Some("int"), None)
    );
    numbers.intersect(&of(None, None)).unwrap();
    assert_eq!(numbers.records().keys(), None);
}

/// Half a megabyte of records that nobody knows, each of another type, in no order.
#[test]
fn many_records_are_read_in_no_time() {
    let filter: Filter = ["a"].iter().collect();
    let mut file = filter.encode(Format::Envelope).unwrap();
    let payload = file.split_off(128);
    let kinds = (6..=u16::MAX).rev();
    kinds.for_each(|kind| file.extend(u64::from(kind).to_le_bytes()));
    let twice = file[128..136].to_vec();
    let sealed = |mut file: Vec<u8>| {
        file.resize((file.len() + 63) / 64 * 64, 0);
        let offset = file.len() as u64;
        file[32..40].copy_from_slice(&offset.to_le_bytes());
        let summed = [&file[..120], &file[128..]].concat();
        let sum = Hasher::xxh3(0).hash(&summed);
        file[120..128].copy_from_slice(&sum.bits().to_le_bytes());
        file.extend(&payload);
        file
    };
    let read = Filter::decode(&sealed(file.clone()), None).unwrap();
    assert_eq!(read.view().payload(), filter.view().payload());
    file.extend(twice);
    let refused = Filter::decode(&sealed(file), None).unwrap_err();
    assert_eq!(refused.field_name(), Some("records"));
}

#[test]
fn bytes_become_views_and_filters() {
    let filter: Filter = ["a", "b"].iter().collect();
    let file = filter.encode(Format::Envelope).unwrap();
    let view = AnyView::try_from(file.as_slice()).unwrap();
    assert!(view.contains("a") && view.kind() == Kind::Block);
    // In place: the view looks at the very bytes.
    assert_eq!(view.payload().as_ptr(), file[128..].as_ptr());
    assert!(block::Filter::try_from(file.as_slice()).unwrap() == filter);
    let mut any = AnyFilter::try_from(file.as_slice()).unwrap();
    assert!(any.kind() == Kind::Block && any.add("c").unwrap() && any.contains("c"));
    let error: Error = AnyView::try_from(&file[1..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
}

#[test]
fn what_a_kind_does_not_take_is_refused_by_its_name() {
    let fuse = bloomery::fuse::Filter::build(&["a", "b"], 0.01).unwrap();
    let error = AnyFilter::from(fuse).add("c").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotChangeable);
    assert!(error.to_string().contains("fuse"));
}

#[cfg(feature = "serde")]
#[test]
fn serde_carries_the_envelope() {
    let filter: Filter = ["a", "b"].iter().collect();
    let text = serde_json::to_string(&filter).unwrap();
    let again: Filter = serde_json::from_str(&text).unwrap();
    assert!(again == filter);
    let any: AnyFilter = serde_json::from_str(&text).unwrap();
    assert_eq!(any.kind(), Kind::Block);
    assert!(serde_json::from_str::<split::Filter>(&text).is_err());
    assert!(serde_json::from_str::<Filter>("[1,2,3]").is_err());
}

#[cfg(feature = "mmap")]
#[test]
fn a_mapped_file_is_asked_in_place() {
    let folder = common::Folder::new("mapped");
    let filter: Filter = ["a", "b"].iter().collect();
    let path = folder.path("f.blm");
    filter.save(&path, Format::Envelope).unwrap();
    // SAFETY: nobody else knows of the file.
    let mapped = unsafe { bloomery::Mapped::open(&path) }.unwrap();
    assert!(mapped.view(None).unwrap().contains("a"));
    assert!(!mapped.view(None).unwrap().contains("c"));
    mapped.verify().unwrap();
    let mut file = std::fs::read(&path).unwrap();
    *file.last_mut().unwrap() ^= 1;
    let damaged = folder.write("damaged.blm", &file);
    let mapped = unsafe { bloomery::Mapped::open(damaged) }.unwrap();
    assert!(mapped.verify().is_err());
    let empty = folder.write("empty.blm", b"");
    assert!(unsafe { bloomery::Mapped::open(empty) }.is_err());
}
