//! `build`: a filter file of all keys. Without a size it counts them first.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bloomery::file::check_target;
use bloomery::sizing::{self, fmt_g4};
use bloomery::{Filter, Format, Geometry, HashId, Hasher};

use crate::arguments::{Accepts, Arguments};
use crate::failure::{self, Failure, Outcome};
use crate::keys::Source;
use crate::{complain, hashing, numbers};

const ACCEPTS: Accepts = Accepts {
    flags: &["-0", "-q", "--envelope"],
    options: &[
        "--kind",
        "--fpr",
        "-n",
        "--bits-per-key",
        "-m",
        "-k",
        "--hash",
        "--seed",
        "--secret",
        "-o",
    ],
    operands: 1,
};

/// How the size of the filter was given.
#[derive(Clone, Copy)]
enum Size {
    Exact(Geometry),
    Fpr(f64),
    BitsPerKey(f64),
}

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    check_kind(&arguments)?;
    let size = size(&arguments)?;
    let expected = arguments.parsed("-n", WHOLE, numbers::whole)?;
    if expected == Some(0) {
        return Err(
            "-n is 0, must be at least 1: a filter is sized for some number of keys".into(),
        );
    }
    let format = format(&arguments);
    let hasher = hasher(&arguments, format)?;
    let path = arguments.option("-o").ok_or("no output: give -o FILE")?;
    check_target(Path::new(path))?;
    let mut keys = Source::open(arguments.operand(0), hashing::separator(&arguments))?;

    let (geometry, mut warnings) = geometry(size, expected, &mut keys)?;
    let mut filter = Filter::new(geometry, hasher)?;
    keys.each_block(|block| {
        block.each_group(|keys| {
            filter.add_many(keys);
            Ok(())
        })
    })?;
    let added = filter.key_count().unwrap_or(u64::MAX);
    if let Some(expected) = expected.filter(|expected| added > *expected) {
        warnings.push(format!(
            "{} keys were added, -n was {}: absent keys will pass more often than planned",
            added, expected
        ));
    }
    filter.save(path, format)?;
    // Only now, so that a build that fails has one line to say why.
    for warning in warnings {
        complain(&format!("warning: {}", warning));
    }
    if !arguments.has("-q") {
        report(path, &filter, format).map_err(failure::output)?;
    }
    Ok(0)
}

const WHOLE: &str = "a whole number like 1000, 10M or 1e9";

fn check_kind(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.option("--kind") {
        Some(kind) if kind != "classic" => Err(format!(
            "--kind is '{}', must be classic, the only kind this command builds",
            kind.to_string_lossy()
        )
        .into()),
        _ => Ok(()),
    }
}

fn size(arguments: &Arguments) -> Result<Size, Failure> {
    let fpr = arguments.parsed("--fpr", "a number above 0 and below 1", |text| {
        numbers::real(text).filter(|fpr| *fpr > 0.0 && *fpr < 1.0)
    })?;
    let bits = arguments.parsed("--bits-per-key", "a number above 0", |text| {
        numbers::real(text).filter(|bits| *bits > 0.0)
    })?;
    let m = arguments.parsed("-m", WHOLE, numbers::whole)?;
    let k = arguments.parsed("-k", "1 to 30", |text| {
        numbers::whole(text).and_then(|k| u32::try_from(k).ok())
    })?;
    match (m, k, fpr, bits) {
        (Some(m), Some(k), None, None) => Ok(Size::Exact(Geometry::new(m, k)?)),
        (Some(_), Some(_), _, _) => {
            Err("-m and -k fix the size: leave out --fpr and --bits-per-key".into())
        }
        (Some(_), None, _, _) => Err("-m needs -k".into()),
        (None, Some(_), _, _) => Err("-k needs -m".into()),
        (None, None, Some(_), Some(_)) => Err("--fpr and --bits-per-key exclude each other".into()),
        (None, None, None, Some(bits)) => Ok(Size::BitsPerKey(bits)),
        (None, None, fpr, None) => Ok(Size::Fpr(fpr.unwrap_or(0.01))),
    }
}

fn format(arguments: &Arguments) -> Format {
    if arguments.has("--envelope") {
        Format::Envelope
    } else {
        Format::Raw
    }
}

fn hasher(arguments: &Arguments, format: Format) -> Result<Hasher, Failure> {
    let hasher = hashing::hasher(arguments)?;
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

/// The geometry, and what there is to say about it.
fn geometry(
    size: Size,
    expected: Option<u64>,
    keys: &mut Source,
) -> Result<(Geometry, Vec<String>), Failure> {
    let mut n = || match expected {
        Some(n) => Ok(n),
        None => keys.count().map(|count| count.max(1)),
    };
    match size {
        Size::Exact(geometry) => Ok((geometry, Vec::new())),
        Size::BitsPerKey(bits) => {
            let geometry = sizing::classic_geometry_from_bits(n()?, bits)?;
            Ok((geometry, Vec::new()))
        }
        Size::Fpr(fpr) => {
            let plan = sizing::plan_classic(n()?, fpr)?;
            Ok((plan.geometry, plan.warning().into_iter().collect()))
        }
    }
}

fn report(path: &OsStr, filter: &Filter, format: Format) -> io::Result<()> {
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
        ": classic, {} keys, {} bytes, {} bits/key, predicted fpr {}",
        keys,
        header as u64 + geometry.payload_bytes(),
        fmt_g4(geometry.m() as f64 / keys.max(1) as f64),
        fmt_g4(filter.predicted_fpr())
    )?;
    out.flush()
}
