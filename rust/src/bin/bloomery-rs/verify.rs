//! `verify`: is a file a whole, undamaged filter?

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bloomery::{ErrorKind, Format, Verify};

use crate::accepts::{flag, Accepts};
use crate::failure::{Failure, Outcome};
use crate::json::Object;
use crate::stored::{self, Refused};
use crate::{complain, show};

pub const ACCEPTS: Accepts = Accepts {
    command: "verify",
    about: "Check that files are whole, undamaged filters. A raw classic file has no checksum: only its header and \
            length can be checked. Exit status 1 when a file is damaged or no filter, 2 when one cannot be read.",
    words: &[&[flag(&["--json"], "A line of JSON for each file")]],
    required: &[],
    repeated: &[],
    arguments: &["FILE", "FILE..."],
};

/// Judges every file. The exit status is that of the worst.
pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let mut worst = 0;
    for path in arguments.operands() {
        let found = examine(Path::new(path));
        worst = worst.max(status(&found));
        match found {
            found if arguments.has("--json") => show(&json(path, &found))?,
            Ok(verdict) => show([path.as_bytes(), format!(": {}\n", verdict).as_bytes()].concat())?,
            Err(refused) => {
                if let Failure::Message(why) = refused.failure {
                    complain(&why);
                }
                0
            }
        };
    }
    Ok(worst)
}

/// What was found sound. What has no checksum may hold flipped bits.
fn examine(path: &Path) -> Result<&'static str, Refused> {
    let stored = stored::open(path, Verify::Header)?;
    let whole = stored.parsed().and_then(|parsed| parsed.verify());
    whole.map_err(|e| e.in_file(path))?;
    Ok(match stored.header().format {
        Format::Envelope => "sound: header, geometry and checksums agree",
        Format::Raw => {
            "header and length are sound; a raw classic file has no checksum, so flipped bits would go unnoticed"
        }
    })
}

fn status(found: &Result<&str, Refused>) -> u8 {
    match found.as_ref().map_err(|refused| refused.kind) {
        Ok(_) => 0,
        Err(ErrorKind::Damaged | ErrorKind::Unsupported) => 1,
        Err(_) => 2,
    }
}

fn json(path: &OsStr, found: &Result<&str, Refused>) -> String {
    let sound = ["true", "false", "null"][usize::from(status(found))];
    let verdict = match found {
        Ok(verdict) => *verdict,
        Err(refused) => refused.verdict.as_str(),
    };
    let object = Object::default().path("file", path).put("sound", sound);
    object.text("verdict", verdict).line()
}
