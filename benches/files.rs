//! How fast training files are read and uploads stored: bytes per second.
//!
//! `cargo bench --bench files`
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::http::Request;
use benchtop::dataset::{LineLimits, check, examples};
use benchtop::service::{State, router};
use divan::Bencher;
use divan::counter::BytesCount;
use tower::ServiceExt as _;

/// 16 MiB of prompts and completions, 150 bytes each.
static ROWS: LazyLock<String> = LazyLock::new(|| {
    let row =
        |n: usize| format!("{{\"prompt\":\"{n:06} {} ->\",\"completion\":\" {}\"}}\n", "a".repeat(60), "b".repeat(45));
    let mut rows = String::new();
    for n in 0.. {
        rows.push_str(&row(n));
        if rows.len() >= 16 << 20 {
            break;
        }
    }
    rows
});

fn main() {
    divan::main();
}

/// Is every line a JSON object?
#[divan::bench(sample_count = 10)]
fn form(bencher: Bencher) {
    let rows = &*ROWS;
    bencher.counter(BytesCount::of_str(rows)).bench(|| check(rows.as_bytes(), LineLimits::default()).unwrap());
}

/// Every row as an example.
#[divan::bench(sample_count = 10)]
fn rows(bencher: Bencher) {
    let rows = &*ROWS;
    let read = || examples(rows.as_bytes(), LineLimits::default()).filter_map(Result::ok).count();
    bencher.counter(BytesCount::of_str(rows)).bench(read);
}

/// An upload through the router, with the check of its form, until it would survive a power cut.
#[divan::bench(sample_count = 10)]
fn upload(bencher: Bencher) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let head = "--XX\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nfine-tune\r\n--XX\r\nContent-Disposition: \
                form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
    let form = Bytes::from(format!("{head}{}\r\n--XX--\r\n", &*ROWS));
    let request = || {
        Request::post("/v1/files")
            .header("host", "127.0.0.1")
            .header("authorization", "Bearer k")
            .header("content-type", "multipart/form-data; boundary=XX")
            .body(Body::from(form.clone()))
            .unwrap()
    };
    bencher
        .counter(BytesCount::of_str(&*ROWS))
        .with_inputs(|| router(State::new("k".to_owned().into()).unwrap()))
        .bench_values(|router| {
            let answer = runtime.block_on(router.oneshot(request())).unwrap();
            assert_eq!(answer.status(), 200);
        });
}
