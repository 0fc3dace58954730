//! Words that are nearly right.

/// ` (did you mean 'build'?)`, or nothing when no word is near.
pub fn suggestion(word: &str, among: &[&str]) -> String {
    let most = 1.max(word.len() / 3);
    let steps = |known: &str| match word.len() >= 3 && known.starts_with(word) {
        true => 1,
        false => distance(word.as_bytes(), known.as_bytes()),
    };
    let near = among.iter().map(|known| (steps(known), *known));
    match near.min_by_key(|(steps, _)| *steps) {
        Some((steps, known)) if steps <= most => format!(" (did you mean '{}'?)", known),
        _ => String::new(),
    }
}

/// How many letters have to be inserted, dropped, replaced or swapped with their neighbour to make one of the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["hash", "build", "query", "inspect"];
        for (word, wanted) in [
            ("biuld", "build"),
            ("quer", "query"),
            ("ins", "inspect"),
            ("hassh", "hash"),
        ] {
            assert_eq!(
                suggestion(word, &words),
                format!(" (did you mean '{}'?)", wanted)
            );
        }
        for word in ["completely-different", "", "x"] {
            assert_eq!(suggestion(word, &words), "");
        }
        assert_eq!(distance(b"frp", b"fpr"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
    }
}
