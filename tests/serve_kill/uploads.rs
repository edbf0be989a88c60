//! Files: several are uploaded at once, of all sizes, fast and slow, and some deleted again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::STUCK;
use crate::process::{Address, Service, below};

/// Uploads at once.
const AT_ONCE: usize = 4;
/// Bytes of the largest.
const LARGEST: u64 = 3 << 20;

/// What the service said it keeps.
#[derive(Default)]
pub struct Uploads(Mutex<Book>);

#[derive(Default)]
struct Book {
    /// By id: size and hash of the bytes sent. Each was answered 200.
    accepted: HashMap<String, (usize, String)>,
    /// Asked to be deleted, no answer: either will do.
    leaving: HashMap<String, (usize, String)>,
    /// Deleted, answered 200.
    deleted: Vec<String>,
    cut: usize,
}

pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Uploads {
    pub fn accepted(&self) -> usize {
        self.0.lock().unwrap().accepted.len()
    }

    pub fn summary(&self) -> String {
        let book = self.0.lock().unwrap();
        let Book { accepted, leaving, deleted, cut } = &*book;
        format!(
            "{} files kept, {} deleted, {} deletions and {cut} uploads cut off",
            accepted.len(),
            deleted.len(),
            leaving.len()
        )
    }

    /// Uploads and deletes until the service is gone.
    pub async fn load(self: Arc<Self>, address: Address) {
        let mut tasks = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (uploads, address) = (Arc::clone(&self), address.clone());
            tasks.spawn(async move { while uploads.step(&address).await.is_some() {} });
        }
        tasks.join_all().await;
    }

    /// Uploads a file, and sometimes deletes one. `None`: there was no answer.
    async fn step(&self, address: &Address) -> Option<()> {
        let bytes = if below(2) == 0 { rows() } else { noise() };
        let purpose = if bytes.starts_with(b"{\"prompt\"") { "fine-tune" } else { "evals" };
        let (size, hash) = (bytes.len(), sha256(&bytes));
        let form = Form::new().text("purpose", purpose).part("file", part(bytes).file_name("x.jsonl"));
        let answer = address.ask(Method::POST, "/files").multipart(form).send().await;
        let Some((status, file)) = whole(answer).await else {
            self.0.lock().unwrap().cut += 1;
            return None;
        };
        assert_eq!(status, 200, "{file}");
        let id = file["id"].as_str().unwrap().to_owned();
        self.0.lock().unwrap().accepted.insert(id.clone(), (size, hash.clone()));
        if below(4) == 0 {
            {
                let mut book = self.0.lock().unwrap();
                book.accepted.remove(&id);
                book.leaving.insert(id.clone(), (size, hash));
            }
            let answer = address.ask(Method::DELETE, &format!("/files/{id}")).send().await;
            let (status, _) = whole(answer).await?;
            let mut book = self.0.lock().unwrap();
            let entry = book.leaving.remove(&id).unwrap();
            match status {
                200 => book.deleted.push(id),
                // Still checked: it stays.
                409 => drop(book.accepted.insert(id, entry)),
                other => panic!("a deletion was answered {other}"),
            }
        }
        Some(())
    }

    /// Checks that every accepted file is listed and complete, every listed file is complete, and nothing else is on
    /// the disk.
    pub async fn check(&self, service: &Service) {
        let address = service.address();
        let (_, list) = whole(address.get("/files").send().await).await.unwrap();
        let listed: BTreeMap<String, Value> = list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| (file["id"].as_str().unwrap().to_owned(), file.clone()))
            .collect();
        let (accepted, deleted) = {
            let book = self.0.lock().unwrap();
            (book.accepted.clone(), book.deleted.clone())
        };
        for id in &deleted {
            assert!(!listed.contains_key(id), "{id} was deleted and is back");
        }
        for (id, (size, _)) in &accepted {
            let file = listed.get(id).unwrap_or_else(|| panic!("{id} was accepted and is gone"));
            assert_eq!(file["bytes"], *size, "{id}");
        }
        let mut names = Vec::new();
        for (id, file) in &listed {
            names.extend([format!("{id}.data"), format!("{id}.json")]);
            let answer = address.get(&format!("/files/{id}/content")).send().await.unwrap();
            assert_eq!(answer.status(), 200, "{id}");
            let tag = answer.headers()["etag"].to_str().unwrap().trim_matches('"').to_owned();
            let content = answer.bytes().await.unwrap();
            assert_eq!(file["bytes"], content.len(), "{id}");
            assert_eq!(sha256(&content), tag, "{id} is not what it was");
            if let Some((_, hash)) = accepted.get(id) {
                assert_eq!(*hash, tag, "{id} is not what was sent");
            }
            checked(&address, id).await;
        }
        // What is noted last: records that were being written are gone by now.
        names.sort();
        assert_eq!(service.kept("files"), names, "something half done is left");
    }
}

/// Waits until the rows of a file are checked: never stuck.
async fn checked(address: &Address, id: &str) {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < STUCK, "{id} is never checked");
        let (_, file) = whole(address.get(&format!("/files/{id}")).send().await).await.unwrap();
        match file["status"].as_str() {
            Some("processed") => break,
            Some("uploaded") => tokio::time::sleep(Duration::from_millis(5)).await,
            other => panic!("{id} is {other:?}: {file}"),
        }
    }
}

/// Returns an answer if it arrived completely.
async fn whole(answer: reqwest::Result<reqwest::Response>) -> Option<(u16, Value)> {
    let answer = answer.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.ok()?))
}

fn noise() -> Vec<u8> {
    // Small ones are as likely as large ones.
    let mut bytes = vec![0; below(1 << below(LARGEST.ilog2().into())) as usize];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

fn rows() -> Vec<u8> {
    let count = 1 + below(1 << below(15));
    (0..count)
        .flat_map(|row| format!("{{\"prompt\":\"{row} {}\",\"completion\":\" b\"}}\n", below(1 << 30)).into_bytes())
        .collect()
}

/// Returns a part that is sent at once, or in pieces with time between them.
fn part(bytes: Vec<u8>) -> Part {
    if below(3) > 0 {
        return Part::bytes(bytes);
    }
    let length = bytes.len() as u64;
    let pieces = futures_util::stream::unfold(bytes, |mut bytes| async move {
        if bytes.is_empty() {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        let rest = bytes.split_off(bytes.len().min(32 << 10));
        Some((Ok::<_, std::io::Error>(bytes), rest))
    });
    Part::stream_with_length(reqwest::Body::wrap_stream(pieces), length)
}
