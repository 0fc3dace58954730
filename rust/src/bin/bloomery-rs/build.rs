//! `build`: a filter file of all keys. Without a size it counts them first.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bloomery::file::check_target;
use bloomery::{AnyFilter, ErrorKind, Format, Hash, HashId, Hasher, Kind, Records};

use crate::accepts::{flag, option, Accepts};
use crate::arguments::Arguments;
use crate::failure::{self, Failure, Outcome};
use crate::hashing::{self, HASH, SECRET};
use crate::keys::{KeyFiles, Lines, LINES};
use crate::lock::Lock;
use crate::report::{rounded, Built};
use crate::size::{Target, SIZE};
use crate::spelling::{Spelling, KEYS};
use crate::{complain, numbers};

pub const ACCEPTS: Accepts = Accepts {
    command: "build",
    about: "Build a filter file from keys. KEYS are files with a key a line, by default standard input. Without -n the \
            keys are counted first, and the filter is sized for exactly that many. A filter is sized by --fpr, by \
            --bits-per-key, or exactly: by -m and -k (classic), --blocks (split), --blocks and -k (block), or \
            --geometry. Sizes are like 1000, 10M or 1e9.",
    words: &[
        &[option(&["--kind"], "KIND", "block (default), split, fuse or classic")],
        &SIZE,
        &HASH,
        &[
            SECRET,
            flag(&["--envelope"], "Write classic as an envelope, with checksums, instead of its raw file"),
            KEYS,
            option(&["--label"], "TEXT", "A name for people, kept in the file: at most 255 bytes"),
            flag(&["--chunks"], "Keep a checksum of each chunk of the payload, by which a part can be verified"),
            option(&["--align"], "SIZE", "Begin the payload at a multiple of SIZE, a power of two from 64 to 4M"),
            option(&["--threads"], "T", "Taken for the sake of the other commands; one thread builds"),
        ],
        &LINES,
        &[
            flag(&["--json"], "One line of JSON"),
            flag(&["-q", "--quiet"], "Print nothing when all goes well"),
            option(&["-o", "--output"], "FILE", "The filter file; it appears whole or not at all"),
        ],
    ],
    required: &["-o"],
    repeated: &[],
    arguments: &["KEYS..."],
};

const MOST_THREADS: u64 = 256;

/// A number of keys for which the kind can have any rate that it can have at all.
const TRIAL: u64 = 1_000_000;

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let kind = match arguments.option("--kind") {
        Some(name) => {
            let kind = Kind::from_name(&name.to_string_lossy())?;
            kind.check_made()?;
            kind
        }
        None => Kind::Block,
    };
    let target = Target::parse(&arguments, kind)?;
    let format = format(&arguments, kind);
    let hasher = hasher(&arguments, kind, format)?;
    let spelling = Spelling::given(&arguments)?;
    let records = records(&arguments, spelling, format)?;
    let rule = "a power of two from 64 to 4M, such as 4096 or 2M";
    let alignment = arguments.parsed("--align", rule, numbers::alignment)?;
    let threads = |text: &str| numbers::whole(text).filter(|t| (1..=MOST_THREADS).contains(t));
    arguments.parsed("--threads", "a number from 1 to 256", threads)?;
    let path = arguments.option("-o").unwrap_or_default();
    check_target(Path::new(path))?;
    let lines = Lines::of(&arguments);
    let spelling = spelling.unwrap_or(Spelling::Text);
    let mut keys = KeyFiles::open(arguments.operands(), lines, spelling)?;
    refuse_inputs_as_output(Path::new(path), &keys, arguments.option("--secret"))?;

    let (mut filter, mut warnings) = if kind.is_static() {
        (build_static(&target, hasher, &mut keys)?, Vec::new())
    } else {
        filled(&target, hasher, &mut keys)?
    };
    *filter.records_mut() = records;
    if let Some(bytes) = alignment {
        filter.align_payload(bytes)?;
    }
    let added = filter.key_count().unwrap_or(u64::MAX);
    if let Some(expected) = target.keys.filter(|expected| added > *expected) {
        warnings.push(format!(
            "{} keys were added, -n was {}: absent keys will pass more often than planned",
            added, expected
        ));
    }
    {
        let _held = Lock::take(Path::new(path))?;
        filter.save(path, format)?;
    }
    // Only now, so that a build that fails has one line to say why.
    for warning in warnings {
        complain(&format!("warning: {}", warning));
    }
    if !arguments.has("-q") {
        let built = Built {
            path,
            filter: &filter,
            format,
            keys: &keys,
        };
        if let Err(Failure::Message(why)) = built
            .report(arguments.has("--json"))
            .map_err(failure::output)
        {
            // The filter is what was asked for, and that is written.
            let path = path.to_string_lossy();
            complain(&format!("warning: {}; {} is written", why, path));
        }
    }
    Ok(0)
}

/// What is read is not what is written, whatever names they have.
fn refuse_inputs_as_output(
    output: &Path,
    keys: &KeyFiles,
    secret: Option<&OsStr>,
) -> Result<(), Failure> {
    let written = match fs::metadata(output) {
        Ok(written) => written,
        Err(_) => return Ok(()), // a new file
    };
    let secret = secret.and_then(|path| fs::metadata(path).ok());
    let keys = keys.metadata().map(|read| ("keys", read));
    for (what, read) in keys.chain(secret.map(|read| ("secret", read))) {
        if (read.dev(), read.ino()) == (written.dev(), written.ino()) {
            return Err(format!(
                "{}: is the file of the {} itself, which the filter would replace: name another file",
                output.display(),
                what
            )
            .into());
        }
    }
    Ok(())
}

/// The filter of all keys, and what there is to say about its size.
fn filled(
    target: &Target,
    hasher: Hasher,
    keys: &mut KeyFiles,
) -> Result<(AnyFilter, Vec<String>), Failure> {
    let n = match target.needs_count() {
        true => keys.count()?,
        false => target.keys.unwrap_or(1),
    };
    let (geometry, warning) = target.geometry(n.max(1))?;
    let mut filter = AnyFilter::new(geometry, hasher).map_err(|error| match error.kind() {
        ErrorKind::OutOfMemory => Failure::from(format!(
            "out of memory for a {} filter of {} keys, which takes {}: give fewer keys (-n) or a higher rate (--fpr)",
            geometry.kind(),
            n.max(1),
            rounded(geometry.payload_bytes())
        )),
        _ => error.into(),
    })?;
    keys.each_block(|mut block| block.each_group(|_, keys| Ok(filter.add_many(keys)?)))?;
    Ok((filter, warning.into_iter().collect()))
}

/// Builds a filter of a kind that takes all its keys at once: their hashes are read first.
fn build_static(
    target: &Target,
    hasher: Hasher,
    keys: &mut KeyFiles,
) -> Result<AnyFilter, Failure> {
    // A rate that the kind cannot have is refused before the keys are read. How many bits are too few depends on them.
    if !target.is_by_bits() {
        target.geometry(TRIAL)?;
    }
    let mut hashes: Vec<Hash> = Vec::new();
    let mut group = [Hash::default(); 64];
    keys.each_block(|mut block| {
        block.each_group(|_, keys| {
            hashes
                .try_reserve(keys.len())
                .map_err(|_| {
                    Failure::from(
                        "out of memory for the hashes of all keys, of which a fuse filter is made: build a kind that \
                         takes keys one by one, such as block",
                    )
                })?;
            for keys in keys.chunks(group.len()) {
                hasher.hash_many(keys, &mut group);
                hashes.extend_from_slice(&group[..keys.len()]);
            }
            Ok(())
        })
    })?;
    let (geometry, _) = target.geometry(hashes.len().max(1) as u64)?;
    Ok(AnyFilter::build_hashes(hashes, geometry, hasher)?)
}

/// Classic alone has a format of its own.
fn format(arguments: &Arguments, kind: Kind) -> Format {
    if kind == Kind::Classic && !arguments.has("--envelope") {
        Format::Raw
    } else {
        Format::Envelope
    }
}

fn hasher(arguments: &Arguments, kind: Kind, format: Format) -> Result<Hasher, Failure> {
    let hasher = hashing::hasher(arguments, AnyFilter::default_hasher(kind).spec().id)?;
    match hasher.spec().id {
        HashId::FnvSplitmix => Ok(hasher),
        _ if format == Format::Envelope => Ok(hasher),
        id => Err(format!(
            "--hash {} needs --envelope: a raw file is always fnv_splitmix",
            id.name()
        )
        .into()),
    }
}

/// What the file says of itself: only what was asked for, so that else files are the same whoever writes them.
fn records(
    arguments: &Arguments,
    spelling: Option<Spelling>,
    format: Format,
) -> Result<Records, Failure> {
    let mut records = Records::default();
    let label = arguments.option("--label").filter(|text| !text.is_empty());
    let given = [
        ("--label", label.is_some()),
        ("--chunks", arguments.has("--chunks")),
        ("--align", arguments.option("--align").is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) if format == Format::Raw => {
            let why = "only an envelope has records";
            return Err(format!("{}: add --envelope, or leave out {}", why, option).into());
        }
        _ => {}
    }
    if let Some(label) = label {
        records.set_label(Some(label.to_str().ok_or("--label is no UTF-8")?))?;
    }
    records.set_chunks(arguments.has("--chunks"));
    if format == Format::Envelope {
        records.set_keys(spelling.map(Spelling::record))?;
    }
    Ok(records)
}
