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
/// Bytes that are read between two checks whether to continue.
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

/// Reads a file; fails with a sentence if it cannot be read or is too large.
fn load(path: &Path, course: &Course) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    // Opening a pipe would wait for a writer.
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let failed = |error| format!("cannot read {}: {error}", path.display());
    let mut file = File::open(path).map_err(failed)?;
    if about.len() > LARGEST {
        return Err(format!(
            "{} has {} MB, but curves can be read only from files up to {} MB; split it",
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::api::call::Ticket;

    fn course() -> Course {
        Course::new(Ticket(1), Arc::new(|_, _| ()))
    }

    #[test]
    fn a_file_is_read_and_what_is_none_is_said() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("compiled_results.csv");
        std::fs::write(&path, "step,train_loss,train_accuracy\n1,0.5,0.25\n").unwrap();
        let Done::Curves(curves) = read(&path.to_string_lossy(), &course()) else { panic!("not read") };
        assert_eq!((curves.name.line().as_ref(), curves.rows, curves.curves.len()), ("compiled_results.csv", 1, 2));
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(fetched(&"compiled_results.csv".into(), &bytes, &course()), Done::Curves(curves));
        let failed = |path: &Path| match read(&path.to_string_lossy(), &course()) {
            Done::Failed(why) => why.line().into_owned(),
            other => panic!("{other:?}"),
        };
        assert!(failed(&home.path().join("none.csv")).starts_with("cannot open"));
        assert!(failed(home.path()).ends_with("is not a file"));
        let large = home.path().join("large.csv");
        std::fs::File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        assert!(failed(&large).ends_with("curves can be read only from files up to 200 MB; split it"));
    }

    #[test]
    fn what_nobody_waits_for_is_not_read_to_its_end() {
        let course = course();
        course.stop();
        let rows = "1,0.5\n".repeat(2_000_000);
        let Done::Curves(curves) = fetched(&"a".into(), format!("step,train_loss\n{rows}").as_bytes(), &course) else {
            panic!("not read")
        };
        assert!(curves.rows < 1_000_000, "{}", curves.rows);
    }
}
