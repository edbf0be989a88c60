//! Training files: checked and repaired.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::course::Course;
use crate::dataset::{Preparation, Written, copy_sheet, lint};
use crate::disk;
use crate::record::files::SheetCopy;
use crate::record::training::{CheckRequest, Prepare, Prepared};
use crate::record::work::Done;

/// Numbers tried.
const MOST: u32 = 10_000;

pub(super) fn check(check: &CheckRequest, course: &Course) -> Done {
    let mut moved = course.reporter();
    match lint(Path::new(&check.path), check.model.raw(), check.local, &check.mappings, &mut moved) {
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

/// Copies the first sheet of a workbook to a temporary file.
pub(super) fn sheet(path: &str, course: &Course) -> Done {
    match copy_sheet(Path::new(path), &mut course.reporter()) {
        Ok(copy) => Done::Sheet(SheetCopy::new(copy)),
        Err(why) => Done::Failed(why.into()),
    }
}

fn copy(prepare: &Prepare, course: &Course) -> Result<Prepared, String> {
    let mut moved = course.reporter();
    let path = Path::new(&prepare.path);
    let model = (prepare.model.raw(), prepare.local);
    let preparation =
        Preparation::new(path, model, prepare.mapping.as_ref(), &prepare.repairs, prepare.split, &mut moved)?;
    let names = match &prepare.output {
        Some(output) => output_names(Path::new(output), prepare.split.is_some()),
        None => names(path, preparation.parts()),
    };
    let mut written = vec![Written::default(); names.len()];
    let folder = names[0].parent().unwrap_or(Path::new("."));
    let first = disk::fill(folder, &names, &mut |part, to| {
        written[part] = preparation.write(part, to, &mut moved)?;
        Ok(())
    })
    .map_err(|why| format!("no copy was written: {why}"))?;
    // If a name was taken at this moment, all got the same number.
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
        prompt_end: preparation.ends().0.to_owned(),
        completion_end: preparation.ends().1.to_owned(),
    })
}

/// Returns the names of the copies for an output that was named: `out.jsonl`, or `out_train.jsonl` and
/// `out_valid.jsonl`.
pub fn output_names(output: &Path, is_split: bool) -> Vec<PathBuf> {
    if !is_split {
        return vec![output.to_owned()];
    }
    let part = |path: Option<&OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(output.file_stem()), part(output.extension()));
    let ending = if ending.is_empty() { ending } else { format!(".{ending}") };
    ["_train", "_valid"].map(|end| output.with_file_name(format!("{stem}{end}{ending}"))).into()
}

/// Returns unused names for the copies beside a file: `data_prepared.jsonl`, `data_prepared (1).jsonl`, …
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::api::call::Ticket;
    use crate::dataset::{LineLimits, examples};
    use crate::record::training::{RepairKind, Split};

    fn course() -> Course {
        Course::new(Ticket(1), Arc::new(|_, _| {}))
    }

    fn order(path: &Path, split: Option<Split>) -> Prepare {
        let repairs = vec![RepairKind::LeadingSpace, RepairKind::KeyCase];
        Prepare {
            path: path.to_str().unwrap().to_owned(),
            model: "ada".into(),
            local: true,
            mapping: None,
            repairs,
            split,
            output: None,
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn a_copy_is_written_beside_the_file_and_never_over_another() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("my data.csv");
        let rows: Vec<String> = (0..100).map(|n| format!("question {n},answer {n}\n")).collect();
        fs::write(&path, format!("Prompt,completion\n{}", rows.concat())).unwrap();
        let mut seen = Vec::new();
        for _ in 0..2 {
            let Done::Prepared(prepared) = prepare(&order(&path, None), &course()) else { panic!("not written") };
            let [(path, 100, bytes)] = &prepared.files[..] else { panic!("one file of 100 rows") };
            let text = fs::read_to_string(path.raw()).unwrap();
            assert_eq!(text.len() as u64, *bytes);
            assert!(text.starts_with("{\"prompt\":\"question 0\",\"completion\":\" answer 0\"}\n"));
            assert_eq!((prepared.left_out, prepared.class_count), (0, 0));
            seen.push(text);
        }
        assert_eq!(seen[0], seen[1]);
        let split = Some(Split { share: None, seed: 1 });
        let Done::Prepared(prepared) = prepare(&order(&path, split), &course()) else { panic!("not written") };
        let rows: Vec<u64> = prepared.files.iter().map(|(_, rows, _)| *rows).collect();
        assert!(rows[0] + rows[1] == 100 && rows[1].abs_diff(20) < 2, "{rows:?}");
        for (path, rows, _) in &prepared.files {
            let text = fs::read(path.raw()).unwrap();
            assert_eq!(examples(text.as_slice(), LineLimits::default()).flatten().count() as u64, *rows);
        }
        let expected = [
            "my data.csv",
            "my data_prepared (1).jsonl",
            "my data_prepared.jsonl",
            "my data_prepared_train.jsonl",
            "my data_prepared_valid.jsonl",
        ];
        assert_eq!(names(home.path()), expected);
        let named = home.path().join("set.v1.jsonl");
        let to = Prepare { output: Some(named.to_str().unwrap().to_owned()), ..order(&path, split) };
        let Done::Prepared(prepared) = prepare(&to, &course()) else { panic!("not written") };
        for (at, end) in ["_train", "_valid"].iter().enumerate() {
            let path = home.path().join(format!("set.v1{end}.jsonl"));
            assert_eq!(prepared.files[at].0, path.to_str().unwrap());
            fs::remove_file(path).unwrap();
        }
        // A part whose name is taken determines the number of both.
        fs::remove_file(home.path().join(expected[3])).unwrap();
        let Done::Prepared(prepared) = prepare(&order(&path, split), &course()) else { panic!("not written") };
        assert!(prepared.files[0].0.contains("_train (1).jsonl") && prepared.files[1].0.contains("_valid (1).jsonl"));
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.jsonl");
        fs::write(&path, "{\"prompt\":\"a\",\"completion\":\"b\"}\nnothing\n").unwrap();
        let Done::Failed(why) = prepare(&order(&path, None), &course()) else { panic!("written") };
        assert!(why.contains("line 2 cannot be written"), "{}", why.screen());
        let gone = home.path().join("gone.jsonl");
        assert!(matches!(prepare(&order(&gone, None), &course()), Done::Failed(_)));
        let asked = CheckRequest {
            path: gone.to_str().unwrap().to_owned(),
            model: "ada".into(),
            local: false,
            mappings: Vec::new(),
        };
        let Done::Failed(why) = check(&asked, &course()) else { panic!("checked") };
        assert!(why.contains("there is no such file"));
        assert_eq!(names(home.path()), ["a.jsonl"]);
    }

    #[test]
    fn it_says_how_far_it_is_and_stops() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.jsonl");
        fs::write(&path, "{\"prompt\":\"a\",\"completion\":\"b\"}\n".repeat(200_000)).unwrap();
        let asked = CheckRequest {
            path: path.to_str().unwrap().to_owned(),
            model: "ada".into(),
            local: false,
            mappings: Vec::new(),
        };
        let (said, hears) = channel();
        let under_way = Course::new(Ticket(1), Arc::new(move |_, done| said.send(done).unwrap()));
        let Done::Checked(report) = check(&asked, &under_way) else { panic!("not checked") };
        assert_eq!((report.rows, report.counts[0].1), (200_000, 199_999));
        assert!(hears.try_iter().all(|done| matches!(done, Done::Moved { done, total } if done <= total)));
        let stopped = course();
        stopped.stop();
        assert!(matches!(check(&asked, &stopped), Done::Failed(_)));
        assert!(matches!(prepare(&order(&path, None), &stopped), Done::Failed(_)));
        assert_eq!(names(home.path()), ["a.jsonl"]);
    }
}
