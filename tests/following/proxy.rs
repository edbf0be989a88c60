//! A proxy between client and server that harms connections at random places: cut in the middle of a word, of a
//! character, of the headers; reset or closed as if all were said; silent; answered by a gateway's own words.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Numbers that are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `most`, which is above 0.
    pub fn below(&mut self, most: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// After so many bytes of the answer, headers included, it is reset.
    Reset(usize),
    /// After so many bytes it is closed, as an answer without a length ends.
    Close(usize),
    /// After so many bytes nothing more comes.
    Silence(usize),
    /// A gateway answers in the server's place.
    Gateway(&'static str),
}

/// Faults of one run.
pub struct Plan {
    /// Harmed connections.
    pub cuts: usize,
    /// Bytes of the longest answer, about.
    pub length: usize,
    /// Which requests are harmed: those whose first line holds this.
    pub harms: &'static str,
    /// Whether some are closed as if all were said. A client may then ask whether the job is over, and be done.
    pub closes: bool,
    pub seed: u64,
}

/// A proxy that harms connections as planned, and then no more.
pub struct Proxy {
    pub address: SocketAddr,
    harmed: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    pub async fn before(upstream: SocketAddr, plan: Plan) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let harmed = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&harmed);
        let dice = Arc::new(Mutex::new((Dice::new(plan.seed), 0)));
        let plan = Arc::new(plan);
        let task = tokio::spawn(async move {
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let (dice, plan, counted) = (Arc::clone(&dice), Arc::clone(&plan), Arc::clone(&counted));
                tokio::spawn(async move {
                    // Clients open connections in reserve.
                    let Some(head) = head(&mut client).await else { return };
                    let fault = next(&mut dice.lock().unwrap(), &plan, &head);
                    if relay(client, upstream, &head, fault).await {
                        counted.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { address, harmed, task }
    }

    /// Connections that were harmed before all was said.
    pub fn harmed(&self) -> usize {
        self.harmed.load(Ordering::Relaxed)
    }
}

/// Returns the fault of the next connection, if it has one.
fn next((dice, planned): &mut (Dice, usize), plan: &Plan, head: &str) -> Option<Fault> {
    let first = head.lines().next().unwrap_or_default();
    (*planned < plan.cuts && first.contains(plan.harms)).then(|| {
        *planned += 1;
        fault(dice, plan, *planned)
    })
}

/// Chooses a fault. Its position grows with the number of the connection, so that each can deliver new events.
fn fault(dice: &mut Dice, plan: &Plan, number: usize) -> Fault {
    let reach = (plan.length * number / plan.cuts).max(400);
    let at = dice.below(reach);
    match dice.below(12) {
        0 => {
            Fault::Gateway("HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n<html><title>Bad</title></html>")
        }
        1 => Fault::Gateway("HTTP/1.1 429 Too Many Requests\r\nretry-after: 900\r\ncontent-length: 2\r\n\r\n{}"),
        2 => Fault::Silence(at),
        3 => Fault::Reset(0),
        4..=7 => Fault::Reset(at),
        _ if plan.closes => Fault::Close(at),
        _ => Fault::Reset(at),
    }
}

/// Reads a request without a body; `None`: there was none.
async fn head(client: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let byte = client.read_u8().await.ok()?;
        bytes.push(byte);
    }
    Some(String::from_utf8(bytes).unwrap())
}

/// Carries one request and its answer. Whether the fault came before the answer's end.
async fn relay(mut client: TcpStream, upstream: SocketAddr, head: &str, fault: Option<Fault>) -> bool {
    if let Some(Fault::Gateway(answer)) = fault {
        let _ = client.write_all(answer.as_bytes()).await;
        let _ = client.shutdown().await;
        return true;
    }
    let mut server = TcpStream::connect(upstream).await.unwrap();
    // An answer to the older protocol has no chunks: it ends where its connection ends.
    let head = head.replacen("HTTP/1.1\r\n", "HTTP/1.0\r\n", 1);
    server.write_all(head.as_bytes()).await.unwrap();
    if !head.contains("stream=true")
        && let Some(fault) = fault
    {
        return within(client, server, fault).await;
    }
    let (mut sent, mut said) = (0, Vec::new());
    loop {
        let mut piece = [0; 4096];
        let Ok(read @ 1..) = server.read(&mut piece).await else { break };
        said.extend_from_slice(&piece[..read]);
        let place = match fault {
            Some(Fault::Reset(at) | Fault::Close(at) | Fault::Silence(at)) => at,
            _ => usize::MAX,
        };
        // The last word is never heard of a connection that is to be harmed.
        let done = said.windows(6).position(|word| word == b"[DONE]").filter(|_| fault.is_some());
        let end = said.len().min(place).min(done.map_or(usize::MAX, |done| done + 3));
        if client.write_all(&said[sent.min(end)..end]).await.is_err() {
            return fault.is_some();
        }
        sent = end;
        if end == place || done.is_some() {
            return harm(client, fault).await;
        }
    }
    if fault.is_some() && said.len() > 1 {
        // Too short to be cut where it was planned: it is reset at its end, in place of ending well.
        return harm(client, Some(Fault::Reset(0))).await;
    }
    let _ = client.shutdown().await;
    false
}

/// Harms an answer that has an end somewhere before it.
async fn within(mut client: TcpStream, mut server: TcpStream, fault: Fault) -> bool {
    let mut said = Vec::new();
    let _ = server.read_to_end(&mut said).await;
    if let Fault::Reset(at) | Fault::Close(at) | Fault::Silence(at) = fault {
        let _ = client.write_all(&said[..at % said.len().max(1)]).await;
    }
    harm(client, Some(fault)).await
}

async fn harm(mut client: TcpStream, fault: Option<Fault>) -> bool {
    match fault {
        Some(Fault::Silence(_)) => {
            // Until the client has lost its patience.
            let mut rest = [0; 64];
            let _ = tokio::time::timeout(Duration::from_mins(1), client.read(&mut rest)).await;
        }
        Some(Fault::Reset(_)) => {
            client.set_zero_linger().unwrap();
            drop(client);
        }
        _ => {
            let _ = client.shutdown().await;
        }
    }
    true
}
