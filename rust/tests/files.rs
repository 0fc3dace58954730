//! Files on disk: published whole or not at all, and opened without believing what they claim.

mod common;

use std::fs;
use std::os::unix::fs::{chown, symlink, MetadataExt, PermissionsExt};
use std::sync::atomic::{AtomicBool, Ordering};

use bloomery::classic::{Filter, Geometry};
use bloomery::file::Stored;
use bloomery::wire::Verify;
use bloomery::{ErrorKind, Format, Hasher, Secret};
use common::{named_keys, Folder};

fn small() -> Filter {
    let mut filter = Filter::with_capacity(100, 0.01).unwrap();
    filter.add_many(&named_keys("key", 100));
    filter
}

#[test]
fn a_saved_filter_opens_as_it_was() {
    let folder = Folder::new("saved");
    let path = folder.path("f");
    small().save(&path, Format::Envelope).unwrap();
    assert!(Filter::open(&path, None).unwrap() == small());
    small().save(&path, Format::Raw).unwrap();
    let raw = Filter::open(&path, None).unwrap();
    assert_eq!(raw.view().payload(), small().view().payload());
    assert_eq!(folder.names(), ["f"]);
}

#[test]
fn a_keyed_file_opens_with_its_secret() {
    let folder = Folder::new("keyed");
    let path = folder.path("f");
    let secret = Secret::new([1; 16]);
    let hasher = Hasher::siphash13(&secret);
    let mut filter = Filter::new(Geometry::new(100, 3).unwrap(), hasher).unwrap();
    filter.add("x");
    filter.save(&path, Format::Envelope).unwrap();
    assert!(Filter::open(&path, Some(&secret)).unwrap().contains("x"));
    let error = Filter::open(&path, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongSecret);
    assert_eq!(error.path(), Some(path.as_path()));
    assert!(filter.save(&path, Format::Raw).is_err());
    assert!(Filter::open(&path, Some(&secret)).is_ok());
}

#[test]
fn a_failed_save_leaves_the_old_file_and_nothing_else() {
    let folder = Folder::new("failed");
    fs::create_dir(folder.path("taken")).unwrap();
    assert!(small().save(folder.path("taken"), Format::Raw).is_err());
    assert!(small().save(folder.path("no/such/f"), Format::Raw).is_err());
    assert!(small().save(folder.path(".."), Format::Raw).is_err());
    folder.pipe("pipe");
    assert!(small().save(folder.path("pipe"), Format::Raw).is_err());
    symlink("no/such/f", folder.path("dangling")).unwrap();
    assert!(small().save(folder.path("dangling"), Format::Raw).is_err());
    assert_eq!(folder.names(), ["dangling", "pipe", "taken"]);
}

/// The rights to files of a user who owns nothing, for this thread, which ends with the test. Root's have no limits.
#[cfg(target_os = "linux")]
fn become_nobody() {
    extern "C" {
        fn setfsuid(user: u32) -> i32;
    }
    unsafe { setfsuid(NOBODY) };
}

#[cfg(target_os = "linux")]
const NOBODY: u32 = 65534;

#[test]
#[cfg(target_os = "linux")]
fn a_save_whose_folder_cannot_be_read_changes_nothing() {
    let folder = Folder::new("unreadable");
    let path = folder.write("f", "old");
    let of =
        |mode| fs::set_permissions(folder.path("."), fs::Permissions::from_mode(mode)).unwrap();
    for owned in [&path, &folder.path(".")] {
        let _ = chown(owned, Some(NOBODY), None); // only root may, and needs to
    }
    of(0o300);
    let (unreadable, saved) = std::thread::scope(|threads| {
        let save = || {
            become_nobody();
            let unreadable = fs::read_dir(folder.path(".")).is_err();
            (unreadable, small().save(&path, Format::Envelope))
        };
        threads.spawn(save).join().unwrap()
    });
    of(0o700);
    if !unreadable {
        return eprintln!("skipped: this user reads every folder");
    }
    let error = saved.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("folder"), "{}", error);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["f"]);
}

#[test]
fn saving_through_a_link_replaces_what_it_leads_to() {
    let folder = Folder::new("link");
    folder.write("real", "old");
    fs::set_permissions(folder.path("real"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real", folder.path("link")).unwrap();
    small().save(folder.path("link"), Format::Raw).unwrap();
    assert!(Filter::open(folder.path("real"), None).is_ok());
    let mode = fs::metadata(folder.path("real"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(folder.names(), ["link", "real"]);
}

/// The new file is looked for under its temporary name while it is written.
#[test]
fn a_file_that_only_its_owner_may_read_is_replaced_by_one_that_was_never_open_to_others() {
    let folder = Folder::new("private");
    let path = folder.write("f", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let large = Filter::new(Geometry::new(1 << 28, 3).unwrap(), Hasher::xxh3(0)).unwrap();
    let saved = AtomicBool::new(false);
    let open_to_others = std::thread::scope(|threads| {
        let watch = || {
            let mut found = false;
            while !saved.load(Ordering::Acquire) {
                let entries = fs::read_dir(folder.path(".")).unwrap();
                let there = entries.filter_map(|entry| entry.ok()?.metadata().ok());
                found |= { there }.any(|file| file.len() > 3 && file.mode() & 0o077 != 0);
            }
            found
        };
        let watcher = threads.spawn(watch);
        large.save(&path, Format::Envelope).unwrap();
        saved.store(true, Ordering::Release);
        watcher.join().unwrap()
    });
    assert!(!open_to_others);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn saving_through_a_link_to_nothing_makes_what_it_names() {
    let folder = Folder::new("dangling");
    symlink("second", folder.path("first")).unwrap();
    symlink(folder.path("real"), folder.path("second")).unwrap();
    small().save(folder.path("first"), Format::Raw).unwrap();
    assert!(Filter::open(folder.path("real"), None).is_ok());
    assert!(fs::read_link(folder.path("first")).is_ok());
    assert!(fs::read_link(folder.path("second")).is_ok());
    symlink("round", folder.path("round")).unwrap();
    assert!(small().save(folder.path("round"), Format::Raw).is_err());
    assert_eq!(folder.names(), ["first", "real", "round", "second"]);
}

#[test]
fn a_header_that_claims_more_than_the_file_is_refused_at_once() {
    let folder = Folder::new("hostile");
    let mut claim = 7u32.to_le_bytes().to_vec();
    claim.extend((1u64 << 60).to_le_bytes());
    claim.push(0);
    let path = folder.write("f", &claim);
    let error = Filter::open(&path, None).unwrap_err();
    assert_eq!(error.field_name(), Some("payload length"));
    assert!(error.to_string().starts_with(path.to_str().unwrap()));
}

#[test]
fn damage_on_disk_is_refused_and_an_unverified_open_says_so() {
    let folder = Folder::new("damage");
    let path = folder.path("f");
    small().save(&path, Format::Envelope).unwrap();
    let mut file = fs::read(&path).unwrap();
    file[130] ^= 4;
    fs::write(&path, &file).unwrap();
    let error = Filter::open(&path, None).unwrap_err();
    assert_eq!(error.field_name(), Some("payload checksum"));
    assert!(!Stored::open(&path, Verify::Header).unwrap().is_verified());
    fs::write(&path, &file[..140]).unwrap();
    assert!(Stored::open(&path, Verify::Header).is_err());
}

#[test]
fn what_is_no_filter_file_is_an_error_with_its_name() {
    let folder = Folder::new("none");
    folder.write("empty", "");
    folder.write("text", "hello, this is not a filter");
    for name in ["empty", "text", "missing", "."] {
        let path = folder.path(name);
        let error = Filter::open(&path, None).unwrap_err();
        assert_eq!(error.path(), Some(path.as_path()), "{}", name);
    }
}

#[test]
fn a_pipe_can_be_opened_too() {
    let folder = Folder::new("pipe");
    small().save(folder.path("f"), Format::Envelope).unwrap();
    let pipe = folder.pipe("pipe");
    let bytes = fs::read(folder.path("f")).unwrap();
    let target = pipe.clone();
    let writer = std::thread::spawn(move || fs::write(target, bytes).unwrap());
    assert!(Filter::open(&pipe, None).unwrap() == small());
    writer.join().unwrap();
}
