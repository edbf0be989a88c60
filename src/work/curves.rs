//! Result files and logs of events as curves.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::course::Course;
use super::save::expand;
use crate::dataset;
use crate::record::work::Done;
use crate::text::Untrusted;

/// Bytes of the largest file that is read.
const LARGEST: u64 = 200_000_000;
/// Bytes that are read between two looks at whether somebody still waits.
const PART: u64 = 8 << 20;

pub(super) fn read(path: &str, course: &Course) -> Done {
    match expand(path).and_then(|path| Ok((load(&path, course)?, path))) {
        Err(why) => Done::Failed(why.into()),
        Ok((bytes, path)) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            parse(&name.into(), &bytes, course)
        }
    }
}

pub(super) fn fetched(name: &Untrusted, bytes: &[u8], course: &Course) -> Done {
    parse(name, bytes, course)
}

fn parse(name: &Untrusted, bytes: &[u8], course: &Course) -> Done {
    let total = bytes.len() as u64;
    let curves = dataset::read_curves(name.clone(), bytes, &mut |done| {
        course.moved(done, total);
        !course.is_stopped()
    });
    Done::Curves(Box::new(curves))
}

/// The bytes of a file that is not too large.
fn load(path: &Path, course: &Course) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    // A pipe would be waited for.
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let failed = |error| format!("cannot read {}: {error}", path.display());
    let mut file = File::open(path).map_err(failed)?;
    if about.len() > LARGEST {
        return Err(format!(
            "{} has {} MB, and curves are read of files up to {} MB; cut it into parts",
            path.display(),
            about.len() / 1_000_000,
            LARGEST / 1_000_000
        ));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    while !course.is_stopped() && (bytes.len() as u64) < LARGEST {
        let most = PART.min(LARGEST - bytes.len() as u64);
        if (&mut file).take(most).read_to_end(&mut bytes).map_err(failed)? == 0 {
            break;
        }
    }
    Ok(bytes)
}
