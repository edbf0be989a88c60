//! The process under test.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const KEY: &str = "sk-local-kill";

/// Returns a random number below `end`.
pub fn below(end: u64) -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).unwrap();
    u64::from_le_bytes(bytes) % end
}

/// A service that runs. Dropped, it is killed.
pub struct Service {
    child: Child,
    address: Address,
    data: PathBuf,
}

/// Where it is and how to ask it.
#[derive(Clone)]
pub struct Address {
    base_url: String,
    client: reqwest::Client,
}

impl Address {
    pub fn ask(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base_url)).bearer_auth(KEY)
    }

    pub fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.ask(reqwest::Method::GET, path)
    }
}

impl Service {
    /// Starts it and waits for its address.
    pub async fn start(data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_benchtop"))
            .args(["serve", "--port", "0", "--key", KEY, "--data"])
            .arg(data)
            .env_clear()
            .env("HOME", data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let told = tokio::task::spawn_blocking(move || {
            let mut printed = String::new();
            while !printed.contains("Ctrl-C stops.") {
                printed.push_str(&lines.next().expect("it ended early").unwrap());
                printed.push(' ');
            }
            printed
        });
        let printed = tokio::time::timeout(Duration::from_mins(1), told).await.expect("a start").unwrap();
        let base_url = printed.split(' ').find(|word| word.starts_with("http://")).expect("an address").to_owned();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_mins(1));
        let client = client.build().unwrap();
        Self { child, address: Address { base_url, client }, data: data.to_owned() }
    }

    pub fn address(&self) -> Address {
        self.address.clone()
    }

    /// Returns the names in a folder of its data directory, sorted.
    pub fn kept(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.data.join("service").join(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Kills the process with SIGKILL, at any point.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
