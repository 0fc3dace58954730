//! The options that name a hash, shared by the commands that hash keys.

use std::path::Path;

use bloomery::{HashId, Hasher, Secret};

use crate::accepts::{option, Word};
use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::numbers;

/// The options that [`hasher`] reads.
pub const HASH: [Word; 2] = [
    option(
        &["--hash"],
        "H",
        "fnv_splitmix, xxh3, xxh64, siphash13 or siphash24; each kind has its default",
    ),
    option(&["--seed"], "S", "Seed of xxh3 or xxh64 (default 0)"),
];
pub const SECRET: Word = option(
    &["--secret"],
    "FILE",
    "32 hexadecimal digits: the secret of siphash13 or siphash24",
);

/// The hasher of `--hash`, or the default one, with `--seed` and `--secret`.
pub fn hasher(arguments: &Arguments, default: HashId) -> Result<Hasher, Failure> {
    let id = arguments
        .parsed(
            "--hash",
            "fnv_splitmix, xxh3, xxh64, siphash13 or siphash24",
            HashId::from_name,
        )?
        .unwrap_or(default);
    let seed = arguments.parsed(
        "--seed",
        "a 64-bit number, decimal or 0x hexadecimal",
        numbers::seed,
    )?;
    if seed.is_some() && !id.is_seeded() {
        return Err(format!("--seed is for xxh3 and xxh64, the hash is {}", id.name()).into());
    }
    let secret = secret(arguments)?;
    if secret.is_some() && !id.is_keyed() {
        return Err(format!(
            "--secret is for siphash13 and siphash24, the hash is {}",
            id.name()
        )
        .into());
    }
    let seed = seed.unwrap_or(0);
    match (id, secret) {
        (HashId::FnvSplitmix, _) => Ok(Hasher::fnv_splitmix()),
        (HashId::Xxh3, _) => Ok(Hasher::xxh3(seed)),
        (HashId::Xxh64, _) => Ok(Hasher::xxh64(seed)),
        (HashId::Siphash13, Some(secret)) => Ok(Hasher::siphash13(&secret)),
        (HashId::Siphash24, Some(secret)) => Ok(Hasher::siphash24(&secret)),
        (_, None) => Err(format!("{} needs --secret FILE", id.name()).into()),
    }
}

/// The secret of `--secret`, if there is one.
pub fn secret(arguments: &Arguments) -> Result<Option<Secret>, Failure> {
    let path = arguments.option("--secret");
    Ok(path.map(|path| Secret::open(Path::new(path))).transpose()?)
}
