//! A stored file handed on to be trained with.

use super::shelf::{Shelf, Status, Stored};
use crate::component::Training;
use crate::text::Untrusted;

/// What stands in the names of parts that were made together.
const PARTS: (&str, &str) = ("_train", "_valid");

/// A file of the server as it is offered, with the one to validate with that was made beside it. `Err`: why not.
pub(super) fn training(shelf: &Shelf, file: &Stored) -> Result<Training, &'static str> {
    // Whoever chose the part to validate with means both.
    let name = file.name.raw();
    let (file, beside) = match partner(name) {
        Some(other) if name.contains(PARTS.1) => match newest(shelf, &other) {
            Some(train) => (train, Some(file)),
            None => (file, None),
        },
        Some(other) => (file, newest(shelf, &other)),
        None => (file, None),
    };
    if file.purpose.raw() != super::plan::TRAINING {
        return Err("a job trains with files that were uploaded for fine-tune");
    }
    match file.status {
        Status::Uploaded => return Err("the server is not done with it; a moment, or ^R"),
        Status::Error(_) => return Err("the server could not use it; v checks the local file"),
        Status::Gone => return Err("it is not there any more"),
        Status::Processed | Status::Other(_) => {}
    }
    let usable = |file: &&Stored| matches!(file.status, Status::Processed | Status::Other(_));
    let fact = shelf.known.of(&file.id).cloned().unwrap_or_default();
    Ok(Training {
        profile: shelf.profile.clone(),
        id: file.id.as_str().into(),
        name: file.name.clone(),
        validation: beside.filter(usable).map(|beside| (beside.id.as_str().into(), beside.name.clone())),
        rows: fact.rows,
        tokens: fact.tokens,
        class_count: fact.class_count.max(fact.classes.len() as u64),
        classes: fact.classes.into_iter().map(Untrusted::from).collect(),
    })
}

/// Both parts of a file that was parted for training, if this is one of them: the one to train with first.
pub(super) fn pair<'a>(shelf: &'a Shelf, id: &str) -> Option<(&'a Stored, &'a Stored)> {
    let file = shelf.file(id).filter(|file| file.purpose.raw() == super::plan::TRAINING)?;
    let other = newest(shelf, &partner(file.name.raw())?)?;
    Some(if file.name.raw().contains(PARTS.1) { (other, file) } else { (file, other) })
}

/// The stored file that a local one of this name and size was uploaded to, by the look of it.
pub(super) fn stored<'a>(shelf: &'a Shelf, name: &Untrusted, bytes: u64) -> Option<&'a Stored> {
    newest(shelf, name.raw()).filter(|file| file.bytes == bytes)
}

/// The name of the other part: `a_prepared_valid.jsonl` of `a_prepared_train.jsonl`.
pub(super) fn partner(name: &str) -> Option<String> {
    let at = |part: &str| name.rfind(part);
    let (at, here, there) = match (at(PARTS.0), at(PARTS.1)) {
        (Some(at), None) => (at, PARTS.0, PARTS.1),
        (None, Some(at)) => (at, PARTS.1, PARTS.0),
        _ => return None,
    };
    Some(format!("{}{there}{}", &name[..at], &name[at + here.len()..]))
}

/// The newest file of a name that can be trained with.
fn newest<'a>(shelf: &'a Shelf, name: &str) -> Option<&'a Stored> {
    let good = |file: &&Stored| {
        file.name.raw() == name
            && file.purpose.raw() == super::plan::TRAINING
            && !file.going
            && !matches!(file.status, Status::Error(_) | Status::Gone)
    };
    shelf.files().iter().filter(good).max_by_key(|file| file.created_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_each_other() {
        assert_eq!(partner("a_prepared_train.jsonl").as_deref(), Some("a_prepared_valid.jsonl"));
        assert_eq!(partner("a_prepared_valid (2).jsonl").as_deref(), Some("a_prepared_train (2).jsonl"));
        assert_eq!(partner("a.jsonl"), None);
        assert_eq!(partner("train_train_valid.jsonl"), None, "nobody made that");
    }
}
