//! Training files: checked and mended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::course::Course;
use crate::dataset::{Preparation, Written, lint};
use crate::disk;
use crate::record::training::{Check, Prepare, Prepared};
use crate::record::work::Done;

/// Names tried.
const MOST: u32 = 10_000;
/// Between two words on how far it is.
const OFTEN: Duration = Duration::from_millis(100);

pub(super) fn check(check: &Check, course: &Course) -> Done {
    let mut moved = moves(course);
    match lint(Path::new(&check.path), check.model.raw(), check.local, &mut moved) {
        Ok(report) => Done::Checked(Box::new(report)),
        Err(why) => Done::Failed(why.into()),
    }
}

pub(super) fn prepare(prepare: &Prepare, course: &Course) -> Done {
    match copy(prepare, course) {
        Ok(prepared) => Done::Prepared(Box::new(prepared)),
        Err(why) => Done::Failed(why.into()),
    }
}

/// Says now and then how far it is, and hears whether to go on.
fn moves(course: &Course) -> impl FnMut(u64, u64) -> bool {
    let mut said = Instant::now();
    move |done, total| {
        if said.elapsed() >= OFTEN {
            said = Instant::now();
            course.moved(done, total);
        }
        !course.is_stopped()
    }
}

fn copy(prepare: &Prepare, course: &Course) -> Result<Prepared, String> {
    let mut moved = moves(course);
    let path = Path::new(&prepare.path);
    let model = (prepare.model.raw(), prepare.local);
    let preparation = Preparation::new(path, model, &prepare.repairs, prepare.split, &mut moved)?;
    let names = names(path, preparation.parts());
    let mut written = vec![Written::default(); names.len()];
    let folder = path.parent().unwrap_or(Path::new("."));
    let first = disk::fill(folder, &names, &mut |part, to| {
        written[part] = preparation.write(part, to, &mut moved)?;
        Ok(())
    })
    .map_err(|why| format!("no copy was written: {why}"))?;
    // Where a name was taken this moment, all got the same number.
    let number = (1..=MOST).find(|n| disk::numbered(&names[0], *n) == first).unwrap_or(1);
    let files = names.iter().zip(written).map(|(name, written)| {
        let path = disk::numbered(name, number).to_string_lossy().into_owned();
        (path.into(), written.rows, written.bytes)
    });
    let (classes, class_count) = preparation.classes();
    Ok(Prepared {
        files: files.collect(),
        left_out: preparation.left_out(),
        classes: classes.iter().map(|class| class.clone().into()).collect(),
        class_count,
    })
}

/// Names of the copies beside a file, none of them taken: `data_prepared.jsonl`, `data_prepared (1).jsonl`, …
fn names(path: &Path, parts: usize) -> Vec<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = |end: &str, number: &str| path.with_file_name(format!("{stem}_prepared{end}{number}.jsonl"));
    let all = |number: &str| match parts {
        1 => vec![beside("", number)],
        _ => vec![beside("_train", number), beside("_valid", number)],
    };
    let free = |names: &Vec<PathBuf>| names.iter().all(|name| name.symlink_metadata().is_err());
    let mut numbers = (1..MOST).map(|number| all(&format!(" ({number})")));
    Some(all("")).filter(free).or_else(|| numbers.find(free)).unwrap_or_else(|| all(""))
}
