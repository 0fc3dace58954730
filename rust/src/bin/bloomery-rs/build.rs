//! `build`: a filter file of all keys. Without a size it counts them first.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bloomery::file::check_target;
use bloomery::{AnyFilter, Format, Hash, HashId, Hasher, Kind};

use crate::arguments::{Accepts, Arguments};
use crate::failure::{self, Failure, Outcome};
use crate::format::fmt_g4;
use crate::keys::Source;
use crate::lock::Lock;
use crate::size::{self, Target};
use crate::{complain, hashing};

const ACCEPTS: Accepts = Accepts {
    flags: &["-0", "-q", "--envelope"],
    options: &["--kind", "--hash", "--seed", "--secret", "-o"],
    more_options: &size::OPTIONS,
    operands: 1,
};

/// A number of keys that no size is too small for.
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
    let path = arguments.option("-o").ok_or("no output: give -o FILE")?;
    check_target(Path::new(path))?;
    let keys = Source::open(arguments.operand(0), hashing::separator(&arguments))?;
    refuse_inputs_as_output(Path::new(path), &keys, arguments.option("--secret"))?;

    let (filter, mut warnings) = if kind.is_static() {
        (built(&target, hasher, keys)?, Vec::new())
    } else {
        filled(&target, hasher, keys)?
    };
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
        if let Err(Failure::Message(why)) = report(path, &filter, format).map_err(failure::output) {
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
    keys: &Source,
    secret: Option<&OsStr>,
) -> Result<(), Failure> {
    let written = match fs::metadata(output) {
        Ok(written) => written,
        Err(_) => return Ok(()), // a new file
    };
    let secret = secret.and_then(|path| fs::metadata(path).ok());
    let read = [("keys", keys.metadata()), ("secret", secret)];
    for (what, read) in read {
        if read.map_or(false, |read| {
            (read.dev(), read.ino()) == (written.dev(), written.ino())
        }) {
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
    mut keys: Source,
) -> Result<(AnyFilter, Vec<String>), Failure> {
    let n = match target.needs_count() {
        true => keys.count()?,
        false => target.keys.unwrap_or(1),
    };
    let (geometry, warning) = target.geometry(n.max(1))?;
    let mut filter = AnyFilter::new(geometry, hasher)?;
    keys.each_block(|block| block.each_group(|keys| Ok(filter.add_many(keys)?)))?;
    Ok((filter, warning.into_iter().collect()))
}

/// The same of a kind that is made of all its keys at once: their hashes are read first.
fn built(target: &Target, hasher: Hasher, mut keys: Source) -> Result<AnyFilter, Failure> {
    // A rate that the kind cannot have is refused before the keys are read.
    target.geometry(TRIAL)?;
    let mut hashes: Vec<Hash> = Vec::new();
    let mut group = [Hash::default(); 64];
    keys.each_block(|block| {
        block.each_group(|keys| {
            hashes
                .try_reserve(keys.len())
                .map_err(|_| Failure::from("no memory for the hashes of the keys"))?;
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

fn report(path: &OsStr, filter: &AnyFilter, format: Format) -> io::Result<()> {
    let keys = filter.key_count().unwrap_or(u64::MAX);
    let header = match format {
        Format::Raw => bloomery::wire::RAW_HEADER,
        Format::Envelope => bloomery::wire::ENVELOPE_HEADER,
    };
    let geometry = filter.geometry();
    let mut out = io::stdout().lock();
    out.write_all(path.as_bytes())?;
    writeln!(
        out,
        ": {}, {} keys, {} bytes, {} bits/key, predicted fpr {}",
        geometry.kind(),
        keys,
        header as u64 + geometry.payload_bytes(),
        fmt_g4(geometry.payload_bits() as f64 / keys.max(1) as f64),
        fmt_g4(filter.view().predicted_fpr())
    )?;
    out.flush()
}
