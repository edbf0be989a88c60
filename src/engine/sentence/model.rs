//! The model: from pieces to a vector. Weights and the numbers they are multiplied with are 8-bit integers, everything
//! else `f32`.
//!
//! Loops over numbers go by index, as in [`numbers`](crate::engine::numbers).

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use bytemuck::cast_slice;
use lru::LruCache;
use rayon::prelude::*;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{SimdOp as _, SimdUnaryOp as _};
use rten_tensor::Matrix;
use rten_vecmath::{ExtendInit as _, Gelu, MinMax, Normalize, NormalizeOptions, Quantize, Softmax};

use super::pieces::{Pieces, Vocabulary};
use super::weights::{INNER, LAYERS, WeightReader};
use super::{WIDTH, WINDOW};
use crate::engine::numbers::{add_scaled, fold, map_in_place};

/// Numbers of one attention head.
const HEAD: usize = 32;
/// Numbers of a row that holds query, key and value.
const THREE: usize = 3 * WIDTH;

/// Windows whose vectors are kept: some 5 MB at most.
const RECENT: NonZeroUsize = NonZeroUsize::new(2048).expect("not zero");

/// Products of 8-bit integers.
type Integers = GemmExecutor<u8, i8, i32>;

/// The model, read.
pub struct Model {
    vocabulary: Vocabulary,
    /// Numbers of the pieces that begin and end a window.
    ends: (u32, u32),
    words: &'static [u8],
    scales: Vec<f32>,
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    /// Vectors of windows that may come again: those around the place where a text is edited, a prompt that is sent
    /// again, a file of examples.
    recent: Mutex<LruCache<Box<[u32]>, Vec<f32>>>,
}

struct Layer {
    three: Linear,
    out: Linear,
    up: Linear,
    down: Linear,
    norms: [Norm; 2],
}

impl Model {
    pub(super) fn read(file: &'static [u8]) -> Self {
        let mut reader = WeightReader::new(file);
        let vocabulary = Vocabulary::new(reader.vocabulary());
        let ends = (vocabulary.number("[CLS]"), vocabulary.number("[SEP]"));
        let words = reader.bytes(vocabulary.len() * WIDTH);
        let scales = reader.floats(vocabulary.len());
        let places = reader.floats(WINDOW * WIDTH);
        let norm = Norm::read(&mut reader);
        let integers = Integers::new();
        let layer = |_| Layer {
            three: Linear::read(&mut reader, &integers, WIDTH, THREE),
            out: Linear::read(&mut reader, &integers, WIDTH, WIDTH),
            up: Linear::read(&mut reader, &integers, WIDTH, INNER),
            down: Linear::read(&mut reader, &integers, INNER, WIDTH),
            norms: [Norm::read(&mut reader), Norm::read(&mut reader)],
        };
        let layers = (0..LAYERS).map(layer).collect();
        assert!(reader.is_done(), "the file of weights goes on behind its end");
        let recent = Mutex::new(LruCache::new(RECENT));
        Self { vocabulary, ends, words, scales, places, norm, layers, recent }
    }

    /// Returns whether a word in lower case is one piece: most common words of English are.
    pub fn knows(&self, word: &str) -> bool {
        self.vocabulary.has(word)
    }

    /// Splits a text into pieces.
    pub fn pieces(&self, text: &str) -> Pieces {
        self.vocabulary.pieces(text)
    }

    /// Returns the windows of a text, each at most [`WINDOW`] pieces with its beginning and end; one where the text is
    /// empty.
    pub fn windows(&self, pieces: &Pieces) -> Vec<Vec<u32>> {
        let window = |part: &[u32]| [&[self.ends.0], part, &[self.ends.1]].concat();
        if pieces.numbers.is_empty() {
            return vec![window(&[])];
        }
        pieces.numbers.chunks(WINDOW - 2).map(window).collect()
    }

    /// Returns the vector of each window: [`WIDTH`] numbers, normalised to length 1. Computing one takes some 150 µs per
    /// piece on one core; the threads of rayon share the work. Equal windows are computed once, and the vectors
    /// of the last `RECENT` are kept.
    pub fn vectors(&self, windows: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let windows = || windows.iter().map(Vec::as_slice);
        let mut known: HashMap<&[u32], Vec<f32>> = HashMap::new();
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(windows().filter_map(|window| Some((window, recent.get(window)?.clone()))));
        drop(recent);
        let mut new: Vec<&[u32]> = windows().filter(|window| !known.contains_key(window)).collect();
        new.sort_unstable();
        new.dedup();
        let each = new.len().div_ceil(rayon::current_num_threads()).max(1);
        let vectors: Vec<Vec<f32>> = new.par_chunks(each).flat_map_iter(|windows| self.run(windows)).collect();
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for (window, vector) in new.iter().zip(&vectors).skip(new.len().saturating_sub(RECENT.get())) {
            recent.put((*window).into(), vector.clone());
        }
        drop(recent);
        known.extend(new.into_iter().zip(vectors));
        windows().map(|window| known[window].clone()).collect()
    }

    fn run(&self, windows: &[&[u32]]) -> Vec<Vec<f32>> {
        let (integers, floats) = (Integers::new(), GemmExecutor::new());
        let mut rows = Vec::with_capacity(windows.iter().map(|window| window.len()).sum::<usize>() * WIDTH);
        for window in windows {
            self.begin(window, &mut rows);
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            let mixed = attend(windows, &layer.three.apply(&integers, &rows), &floats);
            let mut middle = layer.out.apply(&integers, &mixed);
            add_scaled(&mut middle, &rows, 1.0);
            layer.norms[0].apply(&mut middle);
            let mut inner = layer.up.apply(&integers, &middle);
            Gelu {}.map_mut(&mut inner);
            rows = layer.down.apply(&integers, &inner);
            add_scaled(&mut rows, &middle, 1.0);
            layer.norms[1].apply(&mut rows);
        }
        let mut rest = rows.as_slice();
        let mut vector = |window: &&[u32]| {
            let (own, behind) = rest.split_at(window.len() * WIDTH);
            rest = behind;
            let mut sum = vec![0.0; WIDTH];
            own.chunks(WIDTH).for_each(|row| add_scaled(&mut sum, row, 1.0));
            let length = fold(&sum, 0.0, |sum, number| sum + number * number).sqrt();
            map_in_place(&mut sum, |number| number / length);
            sum
        };
        windows.iter().map(&mut vector).collect()
    }

    /// Appends the input of the first layer, row by row: the embedding of each piece plus that of its position.
    fn begin(&self, window: &[u32], rows: &mut Vec<f32>) {
        for (piece, place) in window.iter().zip(self.places.chunks(WIDTH)) {
            let (piece, scale) = (*piece as usize, self.scales[*piece as usize]);
            let (weights, from) = (&self.words[piece * WIDTH..][..WIDTH], rows.len());
            rows.extend_from_slice(place);
            let (row, mut at) = (&mut rows[from..][..WIDTH], 0);
            while at < WIDTH {
                row[at] += f32::from(weights[at].cast_signed()) * scale;
                at += 1;
            }
        }
    }
}

/// Mixes the rows of each window by attention: `three` holds query, key and value of each row.
fn attend(windows: &[&[u32]], three: &[f32], floats: &GemmExecutor) -> Vec<f32> {
    let mut mixed = vec![0.0; three.len() / 3];
    let (mut weights, mut part) = (Vec::new(), Vec::new());
    let mut from = 0;
    for count in windows.iter().map(|window| window.len()) {
        let own = &three[from * THREE..][..count * THREE];
        for head in 0..WIDTH / HEAD {
            let view = |of: usize| matrix(&own[of * WIDTH + head * HEAD..], [count, HEAD], THREE);
            weights.resize(count * count, 0.0);
            let scaled = GemmOptions { alpha: 1.0 / (HEAD as f32).sqrt(), ..GemmOptions::default() };
            let (query, key) = (GemmInputA::Unpacked(view(0)), GemmInputB::Unpacked(view(1).transposed()));
            floats.gemm(&mut weights, query, key, scaled).expect("matrices that fit");
            weights.chunks_mut(count).for_each(|row| {
                Softmax::new_mut(row).dispatch();
            });
            part.resize(count * HEAD, 0.0);
            let (by, value) = (matrix(&weights, [count, count], count), GemmInputB::Unpacked(view(2)));
            floats.gemm(&mut part, GemmInputA::Unpacked(by), value, GemmOptions::default()).expect("matrices that fit");
            let places = mixed[from * WIDTH..].chunks_mut(WIDTH);
            for (row, part) in places.zip(part.chunks(HEAD)) {
                row[head * HEAD..][..HEAD].copy_from_slice(part);
            }
        }
        from += count;
    }
    mixed
}

/// A linear layer: rows times a matrix, plus a bias.
struct Linear {
    packed: PackedBMatrix<i8>,
    /// For each output: the sum of its weights, the scale of its weights, and the bias.
    sums: Vec<f32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    fn read(reader: &mut WeightReader, integers: &Integers, inputs: usize, outputs: usize) -> Self {
        let weights = cast_slice(reader.bytes(inputs * outputs));
        let packed = integers.prepack_b(matrix(weights, [outputs, inputs], inputs).transposed());
        let mut sums = vec![0_i32; outputs];
        let ones = GemmInputA::Unpacked(matrix(&[1; INNER][..inputs], [1, inputs], inputs));
        integers.gemm(&mut sums, ones, GemmInputB::Packed(&packed), GemmOptions::default()).expect("matrices that fit");
        let sums = sums.into_iter().map(|sum| sum as f32).collect();
        Self { packed, sums, scales: reader.floats(outputs), bias: reader.floats(outputs), inputs }
    }

    fn apply(&self, integers: &Integers, rows: &[f32]) -> Vec<f32> {
        let (count, outputs) = (rows.len() / self.inputs, self.bias.len());
        let (mut whole, mut how) = (Vec::with_capacity(rows.len()), Vec::with_capacity(count));
        for row in rows.chunks(self.inputs) {
            let (least, greatest) = MinMax::new(row).dispatch();
            let (least, greatest) = (least.min(0.0), greatest.max(0.0));
            let scale = ((greatest - least) / 255.0).max(f32::MIN_POSITIVE);
            let zero = (-least / scale).round() as u8;
            whole.extend_init(|free| Quantize::new(row, &mut free[..row.len()], 1.0 / scale, zero).dispatch());
            how.push((scale, f32::from(zero)));
        }
        let products = self.products(integers, &whole, count);
        let mut out = Vec::with_capacity(products.len());
        let (sums, scales) = (&self.sums[..outputs], &self.scales[..outputs]);
        for (row, (scale, zero)) in products.chunks_exact(outputs).zip(how) {
            let (from, mut at) = (out.len(), 0);
            out.extend_from_slice(&self.bias);
            let own = &mut out[from..][..outputs];
            while at < outputs {
                own[at] += (row[at] as f32 - zero * sums[at]) * (scale * scales[at]);
                at += 1;
            }
        }
        out
    }

    /// Returns the products of rows of 8-bit integers and the weights.
    fn products(&self, integers: &Integers, rows: &[u8], count: usize) -> Vec<i32> {
        let multiply = |rows: &[u8]| {
            let mut products = vec![0; count * self.bias.len()];
            let rows = GemmInputA::Unpacked(matrix(rows, [count, self.inputs], self.inputs));
            integers
                .gemm(&mut products, rows, GemmInputB::Packed(&self.packed), GemmOptions::default())
                .expect("matrices that fit");
            products
        };
        if !integers.may_saturate() {
            return multiply(rows);
        }
        // Processors that add two products in 16 bits have room for 7 bits: the eighth is multiplied by itself.
        let halves: Vec<u8> = rows.iter().map(|row| row >> 1).collect();
        let rests: Vec<u8> = rows.iter().map(|row| row & 1).collect();
        let (mut products, rests) = (multiply(&halves), multiply(&rests));
        products.iter_mut().zip(rests).for_each(|(product, rest)| *product = *product * 2 + rest);
        products
    }
}

/// Layer normalisation: scales each row to mean 0 and deviation 1, then scales and shifts its numbers.
struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    fn read(reader: &mut WeightReader) -> Self {
        Self { scale: reader.floats(WIDTH), bias: reader.floats(WIDTH) }
    }

    fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_mut(WIDTH) {
            let mean = fold(row, 0.0, |sum, number| sum + number) / WIDTH as f32;
            let variance = fold(row, 0.0, |sum, number| sum + (number - mean) * (number - mean)) / WIDTH as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: 1.0 / (variance + 1e-12).sqrt(),
                element_scale: Some(&self.scale),
                bias: 0.0,
                element_bias: Some(&self.bias),
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}

/// Returns a matrix whose rows begin `stride` apart.
fn matrix<T>(data: &[T], shape: [usize; 2], stride: usize) -> Matrix<'_, T> {
    Matrix::from_slice_with_strides(shape, data, [stride, 1]).expect("data of that shape")
}
