//! Hands a server file over to Tune, to be trained with.

use super::remote_files::{FileStatus, RemoteFile, RemoteFiles};
use crate::component::Training;
use crate::text::Untrusted;

/// What stands in the names of parts that were made together.
const PARTS: (&str, &str) = ("_train", "_valid");

/// Returns a file of the server as it is offered, with the one to validate with that was made beside it, or why it
/// cannot be trained with.
pub(super) fn offer(remote: &RemoteFiles, file: &RemoteFile) -> Result<Training, &'static str> {
    // A user who chose the validation part means both parts.
    let name = file.name.raw();
    let (file, beside) = match other_part(name) {
        Some(other) if name.contains(PARTS.1) => match newest(remote, &other) {
            Some(train) => (train, Some(file)),
            None => (file, None),
        },
        Some(other) => (file, newest(remote, &other)),
        None => (file, None),
    };
    if file.purpose.raw() != super::upload_plan::TRAINING {
        return Err("a job needs files uploaded for the purpose fine-tune");
    }
    match file.status {
        FileStatus::Uploaded => return Err("the server is still processing it; ^R refreshes the list"),
        FileStatus::Error(_) => return Err("the server rejected it; v checks the local file"),
        FileStatus::DeletedElsewhere => return Err("it is no longer on the server"),
        FileStatus::Processed | FileStatus::Other(_) => {}
    }
    let usable = |file: &&RemoteFile| matches!(file.status, FileStatus::Processed | FileStatus::Other(_));
    let known = remote.metadata.training(&file.id).unwrap_or_default();
    Ok(Training {
        profile: remote.profile.clone(),
        id: file.id.as_str().into(),
        name: file.name.clone(),
        validation: beside.filter(usable).map(|beside| (beside.id.as_str().into(), beside.name.clone())),
        ..known
    })
}

/// Returns both parts of a file that was parted for training, if this is one of them: the one to train with first.
pub(super) fn both_parts<'a>(remote: &'a RemoteFiles, id: &str) -> Option<(&'a RemoteFile, &'a RemoteFile)> {
    let file = remote.list.get(id).filter(|file| file.purpose.raw() == super::upload_plan::TRAINING)?;
    let other = newest(remote, &other_part(file.name.raw())?)?;
    Some(if file.name.raw().contains(PARTS.1) { (other, file) } else { (file, other) })
}

/// Returns the stored file that a local one of this name and size was uploaded to, by the look of it.
pub(super) fn uploaded<'a>(remote: &'a RemoteFiles, name: &Untrusted, bytes: u64) -> Option<&'a RemoteFile> {
    newest(remote, name.raw()).filter(|file| file.bytes == bytes)
}

/// Returns the name of the other part: `a_prepared_valid.jsonl` of `a_prepared_train.jsonl`.
fn other_part(name: &str) -> Option<String> {
    let at = |part: &str| name.rfind(part);
    let (at, here, there) = match (at(PARTS.0), at(PARTS.1)) {
        (Some(at), None) => (at, PARTS.0, PARTS.1),
        (None, Some(at)) => (at, PARTS.1, PARTS.0),
        _ => return None,
    };
    Some(format!("{}{there}{}", &name[..at], &name[at + here.len()..]))
}

/// Returns the newest file of a name that can be trained with.
fn newest<'a>(remote: &'a RemoteFiles, name: &str) -> Option<&'a RemoteFile> {
    let good = |file: &&RemoteFile| {
        file.name.raw() == name
            && file.purpose.raw() == super::upload_plan::TRAINING
            && !file.going
            && !matches!(file.status, FileStatus::Error(_) | FileStatus::DeletedElsewhere)
    };
    remote.list.items().iter().filter(good).max_by_key(|file| file.created_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_each_other() {
        assert_eq!(other_part("a_prepared_train.jsonl").as_deref(), Some("a_prepared_valid.jsonl"));
        assert_eq!(other_part("a_prepared_valid (2).jsonl").as_deref(), Some("a_prepared_train (2).jsonl"));
        assert_eq!(other_part("a.jsonl"), None);
        assert_eq!(other_part("train_train_valid.jsonl"), None, "nobody made that");
    }
}
