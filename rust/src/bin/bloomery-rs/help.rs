//! Help, made from what the commands say of themselves.

use crate::accepts::{title, Accepts, Word};
use crate::NAME;

const COLUMNS: usize = 80;
/// Where what an option is for begins.
const HELP_AT: usize = 26;

/// All commands, in a line each.
pub fn of_all(commands: &[&Accepts]) -> String {
    let mut text = format!(
        "{}: filters in files that C++, Rust and Go share.\n\nUsage: {} COMMAND [OPTIONS]\n\nCommands:\n",
        NAME, NAME
    );
    for accepts in commands {
        let first = accepts.about.split(". ").next().unwrap_or(accepts.about);
        text += &item(accepts.command, first.trim_end_matches('.'), 12);
    }
    text += &paragraph(&format!(
        "\n'{} COMMAND --help' tells of a command. Exit status: 0 yes or done, 1 no, 2 error.",
        NAME
    ));
    text
}

/// One command: its usage, what it does, its options.
pub fn of(accepts: &Accepts) -> String {
    let required: Vec<String> = all_words(accepts)
        .filter(|word| accepts.required.contains(&word.names[0]))
        .map(|word| format!(" {} {}", word.names[0], word.value))
        .collect();
    let arguments = accepts.arguments.iter().map(|name| {
        if name.ends_with("...") {
            format!(" [{}]", name)
        } else {
            format!(" {}", name)
        }
    });
    let arguments: String = arguments.collect();
    let mut text = format!(
        "Usage: {} {} [OPTIONS]{}{}\n\n",
        NAME,
        accepts.command,
        required.concat(),
        arguments
    );
    text += &paragraph(accepts.about);
    text += "\nOptions:\n";
    for word in all_words(accepts) {
        text += &item(&title(word), word.help, HELP_AT);
    }
    text += &item("-h, --help", "This help", HELP_AT);
    text
}

fn all_words(accepts: &Accepts) -> impl Iterator<Item = &'static Word> {
    accepts.words.iter().flat_map(|words| words.iter())
}

/// A name, and from column `at` on what it is.
fn item(name: &str, what: &str, at: usize) -> String {
    let mut text = format!("  {:<width$}", name, width = at - 2);
    if name.len() + 3 > at {
        text = format!("  {}\n{}", name, " ".repeat(at));
    }
    text += &wrapped(what, COLUMNS - at).join(&format!("\n{}", " ".repeat(at)));
    text + "\n"
}

fn paragraph(text: &str) -> String {
    let lines = text.split('\n').flat_map(|line| wrapped(line, COLUMNS));
    lines.map(|line| line + "\n").collect()
}

/// Lines of at most so many columns; a line of no words is one.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last] += word;
        } else if lines[last].len() + 1 + word.len() <= columns {
            lines[last] = format!("{} {}", lines[last], word);
        } else {
            lines.push(word.to_string());
        }
    }
    lines
}
