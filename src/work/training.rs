//! Training files: checked and mended.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::course::Course;
use super::save;
use crate::dataset::{Preparation, Written, lint};
use crate::record::training::{Check, Prepare, Prepared};
use crate::record::work::Done;

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
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = |end: &str| path.with_file_name(format!("{name}_prepared{end}.jsonl"));
    let names: Vec<PathBuf> = match preparation.parts() {
        1 => vec![beside("")],
        _ => vec![beside("_train"), beside("_valid")],
    };
    let mut written = vec![Written::default(); names.len()];
    let saved = save::write_all(&names, &mut |part, to| {
        written[part] = preparation.write(part, to, &mut moved)?;
        Ok(())
    })?;
    let files = saved.iter().zip(written).map(|(path, written)| {
        (path.to_string_lossy().into_owned().into(), written.rows, written.bytes)
    });
    let (classes, class_count) = preparation.classes();
    Ok(Prepared {
        files: files.collect(),
        left_out: preparation.left_out(),
        classes: classes.iter().map(|class| class.clone().into()).collect(),
        class_count,
    })
}
