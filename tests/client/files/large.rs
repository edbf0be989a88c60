//! A gigabyte there and back through the real client and the real `benchtop serve`, beside curl.
//!
//! `cargo test --release --test client large -- --ignored --nocapture`

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Download, Reply, Upload};

use super::{ask, bytes, download, endpoint};
use crate::server::KEY;

const MIB: usize = 1 << 20;
const SIZE: usize = 1000 * MIB;
/// What the process may grow by.
const MOST: u64 = 32 << 10;

/// Returns the peak memory of this process, KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

fn timed<T>(what: &str, act: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = act();
    let took = begun.elapsed();
    said(what, took);
    (done, took)
}

#[allow(clippy::print_stdout)]
fn said(what: &str, took: Duration) {
    println!("{what}: {:.2} s, {:.0} MB/s", took.as_secs_f64(), SIZE as f64 / 1e6 / took.as_secs_f64());
}

/// Hashes a file in little memory.
fn hash(path: &Path) -> Vec<u8> {
    use std::io::Read as _;
    let (mut hash, mut block) = (ring::digest::Context::new(&ring::digest::SHA256), vec![0; MIB]);
    let mut file = std::fs::File::open(path).unwrap();
    loop {
        let read = file.read(&mut block).unwrap();
        if read == 0 {
            return hash.finish().as_ref().to_vec();
        }
        hash.update(&block[..read]);
    }
}

/// Waits until what was written so far is on the disk.
fn settle() {
    assert!(Command::new("sync").status().unwrap().success());
}

struct Service(std::process::Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "moves eight gigabytes: run it by hand, built for release"]
async fn a_gigabyte_goes_there_and_back() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = home.path().join("large.bin");
    let block = bytes(MIB);
    let mut file = std::fs::File::create(&path).unwrap();
    for n in 0..SIZE / MIB {
        file.write_all(&(n as u64).to_le_bytes()).unwrap();
        file.write_all(&block[8..]).unwrap();
    }
    file.sync_all().unwrap();
    let expected = hash(&path);
    let mut service = Command::new(env!("CARGO_BIN_EXE_benchtop"))
        .args(["serve", "--port", "0", "--key", KEY, "--data"])
        .arg(home.path().join("data"))
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(service.stdout.take().unwrap()).lines();
    let _service = Service(service);
    let mut printed = String::new();
    while !printed.contains("Ctrl-C stops.") {
        printed.push_str(&lines.next().expect("it ended early").unwrap());
        printed.push(' ');
    }
    let url = printed.split(' ').find(|word| word.starts_with("http://")).expect("an address").to_owned();
    let to = endpoint(&url);
    let (before, begun) = (peak(), Instant::now());
    let sent = Upload { path: path.clone(), name: "large.bin".into(), purpose: "user_data".into() };
    let (replies, lost, end) = ask(&to, Call::Upload(Box::new(sent))).await;
    assert_eq!((end, lost.len()), (Ok(()), 0));
    said("upload", begun.elapsed());
    let [Reply::Uploaded(stored, hash_sent)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!((&hash_sent[..], stored.bytes), (&expected[..], SIZE as u64));
    let auth = format!("Authorization: Bearer {KEY}");
    let mut grown = 0;
    // In turn, since what is still to be written to the disk slows down whoever comes next.
    for _ in 0..3 {
        settle();
        let begun = Instant::now();
        let wanted = Download {
            id: stored.id.clone(),
            bytes: Some(SIZE as u64),
            sha256: Some(*hash_sent),
            ..download(home.path(), "back.bin")
        };
        let (replies, lost, end) = ask(&to, Call::Download(Box::new(wanted))).await;
        assert_eq!((end, lost.len()), (Ok(()), 0));
        said("download", begun.elapsed());
        let [Reply::Downloaded(down)] = &replies[..] else { panic!("{replies:?}") };
        grown = grown.max(peak() - before);
        assert_eq!(hash(&down.path), expected);
        std::fs::remove_file(&down.path).unwrap();
        settle();
        let begun = Instant::now();
        let (copied, _) = timed("curl -O", || {
            let url = format!("{url}/files/{}/content", stored.id);
            let bytes = home.path().join("curl.bin");
            Command::new("curl").args(["-sf", "-H", &auth, "-o"]).arg(bytes).arg(url).status().unwrap()
        });
        assert!(copied.success());
        settle();
        said("curl -O, on the disk", begun.elapsed());
        std::fs::remove_file(home.path().join("curl.bin")).unwrap();
    }
    let id = stored.id.clone();
    let _ = ask(&to, Call::DeleteFile(id)).await;
    let (copied, _) = timed("curl -F", || {
        let file = format!("file=@{}", path.display());
        let url = format!("{url}/files");
        Command::new("curl")
            .args(["-sf", "-H", &auth, "-F", "purpose=user_data", "-F", &file, &url])
            .stdout(Stdio::null())
            .status()
            .unwrap()
    });
    assert!(copied.success());
    grew(grown);
    assert!(grown <= MOST, "the process grew by {grown} KiB");
}

#[allow(clippy::print_stdout)]
fn grew(kib: u64) {
    println!("memory grew by {kib} KiB at most");
}
