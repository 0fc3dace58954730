//! What a command accepts. It describes itself once; parsing, help and suggestions follow from that.

/// One option: how it is written, its value by name (`""` of a flag), and what it is for.
pub struct Word {
    /// The first is the one that the commands ask for.
    pub names: &'static [&'static str],
    pub value: &'static str,
    pub help: &'static str,
}

pub const fn flag(names: &'static [&'static str], help: &'static str) -> Word {
    Word {
        names,
        value: "",
        help,
    }
}

pub const fn option(
    names: &'static [&'static str],
    value: &'static str,
    help: &'static str,
) -> Word {
    Word { names, value, help }
}

/// What a command accepts, and what its help says.
pub struct Accepts {
    pub command: &'static str,
    /// What the command does, in a sentence or some.
    pub about: &'static str,
    pub words: &'static [&'static [Word]],
    /// Options that have to be there.
    pub required: &'static [&'static str],
    /// Options that may be given again.
    pub repeated: &'static [&'static str],
    /// The arguments that are no options: each `NAME`, or at the end `NAME...` for any number.
    pub arguments: &'static [&'static str],
}

/// `-o, --output FILE`
pub fn title(word: &Word) -> String {
    let names = word.names.join(", ");
    match word.value {
        "" => names,
        value => format!("{} {}", names, value),
    }
}
