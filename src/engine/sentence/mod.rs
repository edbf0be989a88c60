//! Sentences as vectors whose angle measures how close they are in meaning: all-MiniLM-L6-v2, a small transformer, with
//! its weights as 8-bit integers in `assets/sentence.weights`.
//!
//! `cargo run --release --example quantize_sentence FOLDER` makes that file of the published weights. The model is read
//! when the first text needs it and released when none has for some minutes.

mod model;
mod pieces;
mod weights;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use model::Model;
pub use pieces::Pieces;
pub use weights::{Tensors, quantize};

/// Numbers of a vector.
pub const WIDTH: usize = 384;
/// Pieces of a window, its beginning and its end included: the length that the model was trained for.
pub const WINDOW: usize = 256;
/// The model is released when it was not used for this long.
const IDLE: Duration = Duration::from_mins(5);

static WEIGHTS: &[u8] = include_bytes!("../../../assets/sentence.weights");
static HELD: Mutex<LoadedModel> = Mutex::new(LoadedModel { model: None, used: None });

struct LoadedModel {
    model: Option<Arc<Model>>,
    /// Time of its last use.
    used: Option<Instant>,
}

/// Returns the model, loading it if needed: some 15 ms.
pub fn model() -> Arc<Model> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.used = Some(Instant::now());
    if let Some(model) = &held.model {
        return Arc::clone(model);
    }
    let model = Arc::new(Model::read(WEIGHTS));
    // Without a thread it is not released, which does no harm.
    let _ = thread::Builder::new().name("sentence-model".into()).spawn(|| release(IDLE));
    held.model = Some(Arc::clone(&model));
    model
}

/// Waits until the model was not used for `idle`, then releases it.
fn release(idle: Duration) {
    loop {
        let rest = {
            let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
            let rest = idle.saturating_sub(held.used.map_or(idle, |used| used.elapsed()));
            if rest.is_zero() {
                held.model = None;
                return;
            }
            rest
        };
        thread::sleep(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_the_same_alone_among_others_and_again() {
        let (model, other) = (Model::read(WEIGHTS), Model::read(WEIGHTS));
        let texts = ["The parcel is late.", "", "Where is it?", "The parcel is late."];
        let windows = texts.map(|text| model.windows(&model.pieces(text)).remove(0));
        let all = model.vectors(&windows);
        assert!(all[0] == all[3] && all[0] != all[2]);
        for (window, vector) in windows.iter().zip(&all) {
            let window = std::slice::from_ref(window);
            assert_eq!((&other.vectors(window)[0], &model.vectors(window)[0]), (vector, vector));
        }
    }

    #[test]
    fn what_is_not_used_is_released_and_read_again() {
        let first = Arc::downgrade(&model());
        release(Duration::ZERO);
        // Other tests may be using it.
        let again = model();
        let window = again.windows(&again.pieces("The parcel is late.")).remove(0);
        assert_eq!(again.vectors(&[window])[0].len(), WIDTH);
        assert!(first.upgrade().is_none_or(|first| !Arc::ptr_eq(&first, &again)));
    }
}
