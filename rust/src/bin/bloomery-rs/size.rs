//! The options of `build` that say how large the filter gets, for any kind.

use bloomery::classic::Plan;
use bloomery::layout::Words;
use bloomery::{AnyGeometry, Kind, Size};

use crate::accepts::{option, Word};
use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::numbers;

/// The options that [`Target::parse`] reads.
pub const SIZE: [Word; 7] = [
    option(&["--fpr"], "P", "False-positive rate (default 0.01)"),
    option(
        &["-n"],
        "N",
        "Number of keys to size for (default: as many as there are)",
    ),
    option(
        &["--bits-per-key"],
        "B",
        "Size by bits per key instead of a rate",
    ),
    option(&["-m"], "M", "Exact number of bits (classic, with -k)"),
    option(&["-k"], "K", "Exact number of bits set for each key"),
    option(
        &["--blocks"],
        "B",
        "Exact number of blocks (split; block with -k)",
    ),
    option(
        &["--geometry"],
        "NAME=N,..",
        "All numbers of the kind, by the names of 'inspect'",
    ),
];

const WHOLE: &str = "a whole number such as 1000, 10M or 1e9";
const DEFAULT_FPR: f64 = 0.01;

/// How the size of the filter was given.
pub struct Target {
    kind: Kind,
    /// The number of keys to size for, where it was given.
    pub keys: Option<u64>,
    size: Size,
    choice: Option<u64>,
    exact: Option<AnyGeometry>,
}

impl Target {
    /// Refuses options that contradict each other or the kind, before any key is read.
    pub fn parse(arguments: &Arguments, kind: Kind) -> Result<Target, Failure> {
        let keys = arguments.parsed("-n", WHOLE, numbers::whole)?;
        if keys == Some(0) {
            return Err(
                "-n is 0, must be at least 1: a filter is sized for some number of keys".into(),
            );
        }
        let fpr = arguments.parsed(
            "--fpr",
            "a number above 0 and below 1, such as 0.01",
            |text| numbers::real(text).filter(|fpr| *fpr > 0.0 && *fpr < 1.0),
        )?;
        let bits = arguments.parsed("--bits-per-key", "a number above 0, such as 10", |text| {
            numbers::real(text).filter(|bits| *bits > 0.0)
        })?;
        if kind.is_static() && keys.is_some() {
            return Err(format!(
                "{} filters are sized for the very keys they are built of: leave out -n",
                kind
            )
            .into());
        }
        let numbers = numbers(arguments)?;
        let choice = choice(&numbers, kind);
        let exact = match choice {
            Some(_) => None,
            None => exact(&numbers, kind)?,
        };
        let size = match (fpr, bits) {
            (Some(_), Some(_)) => {
                return Err("--fpr and --bits-per-key exclude each other".into());
            }
            (None, Some(bits)) => Size::BitsPerKey(bits),
            (fpr, None) => Size::Fpr(fpr.unwrap_or(DEFAULT_FPR)),
        };
        if exact.is_some() && (fpr.is_some() || bits.is_some()) {
            return Err(
                "-m, -k, --blocks and --geometry fix the size: leave out --fpr and --bits-per-key"
                    .into(),
            );
        }
        Ok(Target {
            kind,
            keys,
            size,
            choice,
            exact,
        })
    }

    /// Whether the geometry depends on the number of keys, and that is not known.
    pub fn needs_count(&self) -> bool {
        self.exact.is_none() && self.keys.is_none()
    }

    /// Whether it was given by bits per key.
    pub fn is_by_bits(&self) -> bool {
        matches!(self.size, Size::BitsPerKey(_))
    }

    /// The geometry for so many keys, and what there is to say about it.
    pub fn geometry(&self, n: u64) -> Result<(AnyGeometry, Option<String>), Failure> {
        if let Some(geometry) = self.exact {
            return Ok((geometry, None));
        }
        if let (Kind::Classic, Size::Fpr(fpr)) = (self.kind, self.size) {
            let plan = Plan::new(n, fpr)?;
            return Ok((plan.geometry.into(), plan.warning()));
        }
        let geometry = AnyGeometry::for_keys(self.kind, n, self.size, self.choice)?;
        Ok((geometry, None))
    }
}

/// `-m`, `-k`, `--blocks`, and what `--geometry` names: `blocks=100,k=6`.
fn numbers(arguments: &Arguments) -> Result<Vec<(String, u64)>, Failure> {
    let mut numbers = Vec::new();
    for (option, name) in [("-m", "m"), ("-k", "k"), ("--blocks", "blocks")] {
        if let Some(number) = arguments.parsed(option, WHOLE, numbers::whole)? {
            numbers.push((name.to_string(), number));
        }
    }
    let named = arguments
        .option("--geometry")
        .map(|text| text.to_string_lossy());
    for part in named.iter().flat_map(|text| text.split(',')) {
        let wrong = || {
            format!(
                "--geometry has '{}': give names and numbers, as blocks=100,k=6",
                part
            )
        };
        let (name, number) = part.split_once('=').ok_or_else(wrong)?;
        numbers.push((name.to_string(), numbers::whole(number).ok_or_else(wrong)?));
    }
    Ok(numbers)
}

/// The one number that a rate leaves open, when it is given alone.
fn choice(numbers: &[(String, u64)], kind: Kind) -> Option<u64> {
    match numbers {
        [(name, number)] if AnyGeometry::choice(kind) == Some(name) => Some(*number),
        _ => None,
    }
}

/// The geometry that the numbers give; the kind must have each of them. `None` without numbers.
fn exact(numbers: &[(String, u64)], kind: Kind) -> Result<Option<AnyGeometry>, Failure> {
    let fields = AnyGeometry::fields(kind);
    let mut values = Words::default();
    let mut given = Vec::new();
    for (name, number) in numbers {
        let at = fields
            .iter()
            .position(|field| field == name)
            .ok_or_else(|| {
                format!(
                    "{} filters have no {}: their geometry is {}, as in --geometry {}",
                    kind,
                    name,
                    listed(fields),
                    fields.join("=N,") + "=N"
                )
            })?;
        if given.contains(&at) {
            return Err(format!("{} is given twice", name).into());
        }
        given.push(at);
        values[at] = *number;
    }
    if given.is_empty() {
        return Ok(None);
    }
    if kind.is_static() {
        return Err(format!(
            "the geometry of a {} filter follows from its keys: give a rate",
            kind
        )
        .into());
    }
    if given.len() != fields.len() {
        return Err(format!(
            "{} go together: an exact geometry of a {} filter needs all of them",
            listed(fields),
            kind
        )
        .into());
    }
    Ok(Some(AnyGeometry::from_values(kind, &values)?))
}

/// "blocks and k"
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {}", rest.join(", "), last),
        _ => words.concat(),
    }
}
