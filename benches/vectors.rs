//! Sums over vectors beside what the machine can do at most: `cargo bench --bench vectors`.
//!
//! The ten nearest of 100,000 vectors of 1,536 numbers beside one plain parallel read of the same memory, 2,000 × 2,000
//! similarities beside the machine's rate of multiply-adds (products of matrices on all cores at once); then maps and
//! pairs. With `BENCHTOP_LARGE=1` also the map and all pairs of 100,000, which take minutes.
#![allow(missing_docs, clippy::print_stdout)]

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use benchtop::record::vectors::VectorTable;
use benchtop::text::Untrusted;
use benchtop::vectors::{self, ProgressFn};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use ndarray::Array2;
use ndarray::linalg::general_mat_mul;
use rayon::prelude::*;

const LENGTH: usize = 1_536;
const ROWS: usize = 100_000;
const MATRIX: usize = 2_000;
/// Side of the products that tell the rate of multiply-adds.
const SIDE: usize = 1_024;
const ON: ProgressFn<'static> = &|_, _| true;

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        beside_the_machine();
    }
    divan::main();
}

/// Unit vectors around thirty directions, always the same.
fn made(rows: usize) -> VectorTable {
    let numbers: Vec<f32> = (0..rows)
        .into_par_iter()
        .flat_map_iter(|row| {
            let group = noise(row as u64 % 30 + 1_000_000);
            let own = noise(row as u64 + 1);
            let mixed: Vec<f32> = group.zip(own).take(LENGTH).map(|(a, b)| a + 0.7 * b).collect();
            let norm = mixed.iter().map(|x| x * x).sum::<f32>().sqrt();
            mixed.into_iter().map(move |x| x / norm)
        })
        .collect();
    VectorTable::of(LENGTH, numbers)
}

fn noise(seed: u64) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    })
    .skip(8)
}

fn large() -> &'static VectorTable {
    static LARGE: OnceLock<VectorTable> = OnceLock::new();
    LARGE.get_or_init(|| made(ROWS))
}

/// Looks at every number once, on all cores.
fn read(table: &VectorTable) -> u32 {
    let part = |part: &[f32]| {
        let (lanes, _) = part.as_chunks::<32>();
        let mut seen = [0_u32; 32];
        for lane in lanes {
            seen.iter_mut().zip(lane).for_each(|(seen, x)| *seen ^= x.to_bits());
        }
        seen.iter().fold(0, |a, b| a ^ b)
    };
    table.numbers().par_chunks(1 << 18).map(part).reduce(|| 0, |a, b| a ^ b)
}

/// A product of matrices on each core at once.
fn multiply(sides: &(Array2<f32>, Array2<f32>)) -> f32 {
    let product = |_| {
        let mut product = Array2::zeros((SIDE, SIDE));
        general_mat_mul(1.0, &sides.0, &sides.1.t(), 0.0, &mut product);
        product[[SIDE / 2, SIDE / 3]]
    };
    (0..rayon::current_num_threads()).into_par_iter().map(product).sum()
}

fn sides() -> (Array2<f32>, Array2<f32>) {
    let side = |seed| Array2::from_shape_vec((SIDE, LENGTH), noise(seed).take(SIDE * LENGTH).collect());
    (side(1).expect("it has that many numbers"), side(2).expect("it has that many numbers"))
}

/// Seconds of the fastest of some runs: what else runs only makes them longer.
fn fastest<T>(runs: usize, mut run: impl FnMut() -> T) -> f64 {
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(timed).fold(f64::INFINITY, f64::min)
}

/// A line each for what is held against the machine.
fn beside_the_machine() {
    let table = large();
    let to = table.row(7).unwrap_or_default();
    let plain = fastest(15, || read(table));
    let near = fastest(15, || vectors::nearest(table, to, 10));
    let bytes = (ROWS * LENGTH * 4) as f64;
    println!("{} threads", rayon::current_num_threads());
    println!(
        "10 nearest of {ROWS} × {LENGTH}: {:.1} ms, {:.1} GB/s; one plain read {:.1} ms, {:.1} GB/s: ×{:.2}",
        near * 1e3,
        bytes / near / 1e9,
        plain * 1e3,
        bytes / plain / 1e9,
        near / plain,
    );
    let sides = sides();
    let products = fastest(7, || multiply(&sides));
    let rate = (SIDE * SIDE * LENGTH * rayon::current_num_threads()) as f64 / products;
    let small = made(MATRIX);
    let similarities = fastest(7, || vectors::similarities(&small));
    let ordered = fastest(7, || vectors::matrix(&small, ON));
    let needed = (MATRIX * (MATRIX + 1) / 2 * LENGTH) as f64;
    println!(
        "{MATRIX} × {MATRIX} similarities: {:.1} ms, {:.1} G multiply-adds/s of the half that is needed; products of \
         matrices {:.1} G/s: ×{:.2} of the time they would take; with lengths and clusters {:.1} ms",
        similarities * 1e3,
        needed / similarities / 1e9,
        rate / 1e9,
        similarities * rate / needed,
        ordered * 1e3,
    );
    if std::env::var_os("BENCHTOP_LARGE").is_some() {
        let map = fastest(1, || vectors::map(table, ON));
        println!("map of {ROWS}: {map:.1} s");
        let pairs = fastest(1, || vectors::pairs(table, 0.8, 1_000, ON));
        let needed = (ROWS as f64).powi(2) / 2.0 * LENGTH as f64;
        println!("all pairs of {ROWS}: {pairs:.0} s, {:.1} G multiply-adds/s", needed / pairs / 1e9);
    }
}

#[divan::bench]
fn plain_read_of_100_000(bencher: Bencher<'_, '_>) {
    let table = large();
    bencher.counter(BytesCount::of_many::<f32>(ROWS * LENGTH)).bench(|| read(table));
}

#[divan::bench]
fn ten_nearest_of_100_000(bencher: Bencher<'_, '_>) {
    let table = large();
    let to = table.row(7).unwrap_or_default();
    bencher.counter(BytesCount::of_many::<f32>(ROWS * LENGTH)).bench(|| vectors::nearest(table, to, 10));
}

#[divan::bench]
fn multiply_adds(bencher: Bencher<'_, '_>) {
    let sides = sides();
    let count = SIDE * SIDE * LENGTH * rayon::current_num_threads();
    bencher.counter(ItemsCount::new(count)).bench(|| multiply(&sides));
}

#[divan::bench(args = [500, 2_000])]
fn similarities(bencher: Bencher<'_, '_>, rows: usize) {
    let table = made(rows);
    bencher.counter(ItemsCount::new(rows * (rows + 1) / 2 * LENGTH)).bench(|| vectors::similarities(&table));
}

#[divan::bench(args = [20, 500, 2_000])]
fn cluster_order(bencher: Bencher<'_, '_>, rows: usize) {
    let Ok(matrix) = vectors::matrix(&made(rows), ON) else { return };
    bencher.bench(|| vectors::order(rows, &matrix.cosines));
}

#[divan::bench(args = [2_000, 10_000], sample_count = 10)]
fn map(bencher: Bencher<'_, '_>, rows: usize) {
    let table = made(rows);
    bencher.bench(|| vectors::map(&table, ON));
}

#[divan::bench(args = [2_000, 10_000], sample_count = 3)]
fn map_by_t_sne(bencher: Bencher<'_, '_>, rows: usize) {
    let table = made(rows);
    bencher.bench(|| vectors::tsne(&table, ON));
}

#[divan::bench(args = [2_000, 10_000], sample_count = 3)]
fn clusters(bencher: Bencher<'_, '_>, rows: usize) {
    let table = made(rows);
    let texts: Vec<Untrusted> = (0..rows).map(|row| format!("a text about {}", row % 30).into()).collect();
    bencher.bench(|| vectors::clusters(&table, &texts, ON));
}

#[divan::bench(args = [2_000, 10_000], sample_count = 5)]
fn pairs(bencher: Bencher<'_, '_>, rows: usize) {
    let table = made(rows);
    let count = rows * (rows - 1) / 2 * LENGTH;
    bencher.counter(ItemsCount::new(count)).bench(|| vectors::pairs(&table, 0.8, 1_000, ON));
}

#[divan::bench(sample_count = 5)]
fn agreement_of_2_000(bencher: Bencher<'_, '_>) {
    let table = made(MATRIX);
    let Ok(short) = vectors::cut(&table, 256) else { return };
    bencher.bench(|| vectors::compare(&table, &short, ON));
}

#[divan::bench(sample_count = 5)]
fn hygiene_of_100_000(bencher: Bencher<'_, '_>) {
    let table = large();
    bencher.bench(|| vectors::hygiene(table, Some(LENGTH as u32)));
}
