//! One process serves a data directory, the others join.

use std::path::Path;

use benchtop::service::share::{Address, Local};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::desk::{BROKEN, client};

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_data_directory_is_its_users_alone() {
    let _ = rustix::process::umask(rustix::fs::Mode::from(0o022));
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("fresh").join("data");
    let joined = local(&data).await;
    owners_alone(&data);
    joined.leave().await;
}

/// Asserts that only the owner can enter a directory and all in it, and read its files.
#[cfg(unix)]
fn owners_alone(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(directory), 0o700, "{}", directory.display());
    for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            owners_alone(&path);
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

async fn local(data: &Path) -> Local {
    tokio::time::timeout(BROKEN, Local::join_or_start(data)).await.unwrap().unwrap()
}

/// Requests the list of models at the address of a copy; returns the status.
async fn answers(local: &Local) -> u16 {
    let address = local.address().borrow().clone();
    let request = client().get(format!("{}/models", address.base_url)).bearer_auth(address.key.expose_secret());
    request.send().await.map_or(0, |response| response.status().as_u16())
}

#[tokio::test]
async fn one_copy_serves_the_others_join_and_one_takes_over() {
    let data = tempfile::tempdir().unwrap();
    let first = local(data.path()).await;
    let (second, third) = (local(data.path()).await, local(data.path()).await);
    let address = first.address().borrow().clone();
    assert!(address.mine);
    for copy in [&second, &third] {
        let joined = copy.address().borrow().clone();
        assert_eq!((&joined.base_url, joined.mine), (&address.base_url, false));
        assert_eq!(answers(copy).await, 200);
    }
    let (mut at_second, mut at_third) = (second.address(), third.address());
    first.leave().await;
    let both = async { tokio::join!(at_second.changed(), at_third.changed()) };
    let (a, b) = tokio::time::timeout(BROKEN, both).await.unwrap();
    a.unwrap();
    b.unwrap();
    let (a, b) = (at_second.borrow().clone(), at_third.borrow().clone());
    assert_eq!(a.base_url, b.base_url);
    assert!(a.mine != b.mine, "one of them serves");
    let kept = |address: &Address| (address.base_url.clone(), address.key.expose_secret().to_owned());
    assert_eq!(kept(&a), kept(&address), "other programs that use the service go on");
    assert_eq!((answers(&second).await, answers(&third).await), (200, 200));
    // A drop leaves as well.
    let (server, mut left) = if a.mine { (second, at_third) } else { (third, at_second) };
    drop(server);
    tokio::time::timeout(BROKEN, left.changed()).await.unwrap().unwrap();
    assert!(left.borrow().mine);
    let locks = std::fs::read_dir(data.path())
        .unwrap()
        .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with(".lock"));
    assert_eq!(locks.count(), 1, "the locks of those who left are cleared away");
}

#[tokio::test]
async fn a_copy_that_leaves_completes_answers_and_the_next_serves_at_its_address() {
    let data = tempfile::tempdir().unwrap();
    let (first, second) = (local(data.path()).await, local(data.path()).await);
    let address = second.address().borrow().clone();
    let asked = json!({"model": "text-davinci-003", "prompt": "Once", "max_tokens": 64, "n": 2, "stream": true});
    let request = client().post(format!("{}/completions", address.base_url)).bearer_auth(address.key.expose_secret());
    let mut answer = request.json(&asked).send().await.unwrap();
    let mut text = answer.chunk().await.unwrap().expect("a first token").to_vec();
    let read = async {
        while let Some(part) = answer.chunk().await.unwrap() {
            text.extend(part);
        }
    };
    // A copy that comes meanwhile waits, and the one that had joined finds the next at the same address.
    let (.., third) = tokio::join!(first.leave(), read, local(data.path()));
    assert!(String::from_utf8(text).unwrap().ends_with("data: [DONE]\n\n"));
    let at = |copy: &Local| {
        let address = copy.address().borrow().clone();
        (address.base_url, address.key.expose_secret().to_owned())
    };
    assert_eq!(at(&third), (address.base_url.clone(), address.key.expose_secret().to_owned()));
    assert_eq!((answers(&second).await, answers(&third).await), (200, 200));
}

#[tokio::test]
async fn many_copies_started_at_once_agree() {
    let data = tempfile::tempdir().unwrap();
    let copies = futures_util::future::join_all((0..12).map(|_| local(data.path()))).await;
    let serving = copies.iter().filter(|copy| copy.address().borrow().mine).count();
    assert_eq!(serving, 1);
    for copy in &copies {
        assert_eq!(answers(copy).await, 200);
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_used_does_not_stop_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let copy = local(&file.join("data")).await;
    assert!(copy.address().borrow().mine);
    assert_eq!(answers(&copy).await, 200);
}

#[tokio::test]
async fn an_address_left_behind_or_garbled_is_not_joined() {
    let gone = r#"{"base_url":"http://127.0.0.1:1/v1","key":"k","id":"0a"}"#;
    let outside = r#"{"base_url":"http://127.0.0.1:1/v1","key":"k","id":"../x"}"#;
    for left in [gone, outside, "", "{"] {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("service.json"), left).unwrap();
        std::fs::write(data.path().join("service-0a.lock"), "").unwrap();
        let copy = local(data.path()).await;
        assert!(copy.address().borrow().mine, "{left}");
        assert_eq!(answers(&copy).await, 200, "{left}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_published_key_is_its_owners_alone() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let _copy = local(&data).await;
    let files = std::fs::read_dir(&data).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file());
    assert_eq!(files.count(), 4);
    owners_alone(&data);
}

#[tokio::test]
async fn a_holder_that_does_not_answer_is_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let lock = std::fs::File::create(data.path().join("service-1f.lock")).unwrap();
    lock.lock().unwrap();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = silent.local_addr().unwrap();
    let published = json!({"base_url": format!("http://{at}/v1"), "key": "k", "id": "1f"});
    std::fs::write(data.path().join("service.json"), published.to_string()).unwrap();
    let copy = local(data.path()).await;
    assert!(copy.address().borrow().mine);
    assert_eq!(answers(&copy).await, 200);
}

#[cfg(unix)]
#[tokio::test]
async fn a_data_directory_that_others_could_enter_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(data.join("service/files")).unwrap();
    let outside = home.path().join("outside");
    std::fs::write(&outside, "").unwrap();
    open(&outside, 0o644);
    std::os::unix::fs::symlink(&outside, data.join("service/files/link")).unwrap();
    for file in ["service.json", "service/files/file-x.data", "service/files/note"] {
        std::fs::write(data.join(file), "").unwrap();
        open(&data.join(file), 0o666);
    }
    for directory in ["service/files", "service", ""] {
        open(&data.join(directory), 0o777);
    }
    let copy = local(&data).await;
    assert_eq!(answers(&copy).await, 200);
    std::fs::remove_file(data.join("service/files/link")).unwrap();
    owners_alone(&data);
    let mode = std::fs::metadata(&outside).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o644, "a link is not followed");
}
