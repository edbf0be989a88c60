//! The real client and the real local service.

use benchtop::api::call::{Call, Content, Download, FailureKind, Reply, Span, Upload};
use benchtop::service::{Keys, Options, Running, start};

use super::{ask, bytes, download, endpoint, names, sha256};
use crate::server::KEY;

async fn service() -> Running {
    start(Options { keys: Some(Keys::single(KEY.to_owned().into())), ..Options::default() }).await.unwrap()
}

#[tokio::test]
async fn a_file_goes_there_and_back() {
    let service = service().await;
    let endpoint = endpoint(&service.base_url());
    let home = tempfile::tempdir().unwrap();
    let content = bytes(5_000_000);
    let path = home.path().join("notes \u{65e5} \"x\".bin");
    std::fs::write(&path, &content).unwrap();
    let sent = Upload { path, name: "notes \u{65e5}.bin".into(), purpose: "user_data".into() };
    let (replies, _, end) = ask(&endpoint, Call::Upload(Box::new(sent))).await;
    assert_eq!(end, Ok(()));
    let [Reply::Uploaded(file, hash)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!((file.bytes, file.filename.as_str(), *hash), (5_000_000, "notes \u{65e5}.bin", sha256(&content)));
    let id = file.id.clone();
    let (replies, _, _) = ask(&endpoint, Call::Files).await;
    let [Reply::Files(files)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(files.iter().map(|file| &file.id).collect::<Vec<_>>(), [&id]);
    let (replies, _, _) = ask(&endpoint, Call::File(id.clone())).await;
    assert!(matches!(&replies[..], [Reply::File(file)] if file.bytes == 5_000_000));
    let (replies, _, _) = ask(&endpoint, Call::Digest(id.clone())).await;
    assert_eq!(replies, [Reply::Digest(sha256(&content), 5_000_000)]);
    let span = Span { id: id.clone(), from: 4_999_990, most: 64 };
    let (replies, _, _) = ask(&endpoint, Call::Content(Box::new(span))).await;
    let part = Content { from: 4_999_990, bytes: content[4_999_990..].to_vec(), total: Some(5_000_000), ranges: true };
    assert_eq!(replies, [Reply::Content(part)]);
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.bin", "a (2).bin"] {
        let wanted = Download {
            id: id.clone(),
            bytes: Some(5_000_000),
            sha256: Some(sha256(&content)),
            ..download(folder.path(), "a.bin")
        };
        let (replies, lost, end) = ask(&endpoint, Call::Download(Box::new(wanted))).await;
        assert_eq!((end, lost.len()), (Ok(()), 0));
        let [Reply::Downloaded(down)] = &replies[..] else { panic!("{replies:?}") };
        assert_eq!(down.path, folder.path().join(name));
        assert!(std::fs::read(&down.path).unwrap() == content);
    }
    assert_eq!(names(folder.path()), ["a (2).bin", "a.bin"]);
    let (replies, _, end) = ask(&endpoint, Call::DeleteFile(id.clone())).await;
    assert_eq!((replies, end), (vec![Reply::Deleted(id.clone())], Ok(())));
    for call in [Call::File(id.clone()), Call::DeleteFile(id.clone()), Call::Digest(id)] {
        let why = ask(&endpoint, call).await.2.unwrap_err();
        assert_eq!(why.kind, FailureKind::Refused);
        assert!(why.sentence.contains("404 the server has no such file"), "{}", why.sentence.raw());
    }
}

#[tokio::test]
async fn rows_that_are_none_are_refused_with_their_line() {
    let service = service().await;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a.jsonl");
    std::fs::write(&path, "{\"prompt\":\"a\",\"completion\":\" b\"}\nno row\n".repeat(1000)).unwrap();
    let sent = Upload { path, name: "a.jsonl".into(), purpose: "fine-tune".into() };
    let (_, lost, end) = ask(&endpoint(&service.base_url()), Call::Upload(Box::new(sent))).await;
    let why = end.unwrap_err();
    assert_eq!((why.status, lost.len()), (Some(400), 0));
    assert!(why.sentence.contains("Line 2 is not a dictionary"), "{}", why.sentence.raw());
}
