//! The loop of epochs and steps.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::model::Model;
use super::super::network::WIDTH;
use super::super::vocabulary::Vocabulary;
use super::adam::Adam;
use super::bag::{self, Bag};
use super::chat::Form;
use super::corpus::{self, Corpus, ExampleTokens, Manner};
use super::file::{self, Checkpoint};
use super::judge::{self, Classifier, ScoreSums};
use super::known::KnownPrompts;
use super::meaning::Meanings;
use super::pass::{self, BagGradients, GradientLane, Gradients};
use super::places::{Places, Rng, Setter};
use super::plan::{Example, Plan, Resume};
use super::report::{Outcome, Report, Row, TuneError};
use super::threads;

/// The learning rate at a multiplier of 1. It falls linearly to a tenth.
const RATE: f64 = 0.03;
/// Places of the base's texts for each place of a completion: one in five of both together.
const BASE_SHARE: f64 = 0.25;
/// Validations within an epoch.
const LOOKS: usize = 5;
/// Validation examples used then.
const LOOKED_AT: usize = 32;
/// Examples of a step that are computed at once: limits memory, and the time between two calls of `busy`.
const AT_ONCE: usize = 8;

impl Checkpoint {
    /// Creates the state before the first epoch; `None` if `busy` returns false.
    fn new(base: &Model, training: &[Example], seed: u64, busy: &mut dyn FnMut() -> bool) -> Option<Self> {
        let ids = corpus::extended(base, training, busy)?;
        let mut network = base.network.extended(ids.len());
        let mut rng = Rng::new(seed, 0);
        let new = network.embedding.iter_mut().skip(base.vocabulary.len() * WIDTH);
        new.for_each(|weight| *weight = rng.even() * 0.25);
        let mut bag = base.bag.clone().unwrap_or_else(|| Bag::new(bag::ROWS));
        let manner = Manner::of(training);
        (bag.window, bag.by_heart) = (manner.window, manner.by_heart);
        let adam = Adam::new(ids.len(), bag.rows.nrows());
        Some(Self { ids, network, bag, form: Form::of(training), adam, epoch: 0, step: 0, tokens: 0, examples: 0 })
    }
}

/// Trains `base`, which may be fine-tuned itself, on `training`. What `resume` has of the same call is not computed
/// again. Fails if there is nothing to learn, the classes do not match the completions, or the checkpoint is
/// unreadable.
///
/// Memory: 2 bytes a token of the examples and 16 an example, beside 30 to 80 MB for weights, gradients and optimiser.
pub fn tune(
    base: &Arc<Model>,
    training: &[Example],
    validation: &[Example],
    plan: &Plan,
    resume: Resume<'_>,
    report: &mut dyn FnMut(Report<'_>) -> ControlFlow<()>,
) -> Result<Outcome, TuneError> {
    if training.is_empty() {
        return Err(TuneError::Empty);
    }
    let mut busy = || report(Report::Busy).is_continue();
    let state = match resume.checkpoint {
        Some(checkpoint) => Some(file::read_checkpoint(checkpoint)?),
        None => Checkpoint::new(base, training, plan.seed, &mut busy),
    };
    let Some(mut state) = state else { return Ok(Outcome::Stopped) };
    let vocabulary = Vocabulary::new(state.ids.clone());
    let classifier =
        plan.classes.as_ref().map(|classes| Classifier::new(classes, training, &vocabulary)).transpose()?;
    let threads = threads::pool(plan.threads)?;
    let count = training.len() + validation.len();
    let meanings = match resume.vectors.and_then(|kept| Meanings::from_bytes(kept, count)) {
        Some(kept) => kept,
        None => {
            let prompts = training.iter().chain(validation).map(|example| state.form.asked(&example.prompt));
            let made = Meanings::of(&threads, &prompts.collect::<Vec<_>>(), &mut busy);
            let Some(made) = made else { return Ok(Outcome::Stopped) };
            if report(Report::Vectors(&made.to_bytes())).is_break() {
                return Ok(Outcome::Stopped);
            }
            made
        }
    };
    let (of_training, of_validation) = meanings.split(training.len());
    let known = KnownPrompts::of(base.known.as_ref(), training, &of_training, &state.bag);
    let mut busy = || report(Report::Busy).is_continue();
    let training = Corpus::of(&vocabulary, training, of_training, &mut busy);
    let Some(training) = training else { return Ok(Outcome::Stopped) };
    let validation = Corpus::of(&vocabulary, validation, of_validation, &mut busy);
    let Some(validation) = validation else { return Ok(Outcome::Stopped) };
    let mut run = TuningRun {
        training,
        validation,
        base: Corpus::base(&vocabulary),
        threads,
        lanes: Vec::new(),
        vocabulary,
        classifier,
        plan,
        report,
    };
    while state.epoch < plan.epochs {
        if run.epoch(&mut state).is_none() {
            return Ok(Outcome::Stopped);
        }
        state.epoch += 1;
        let checkpoint = file::write_checkpoint(&state);
        if (run.report)(Report::Epoch { number: state.epoch, checkpoint: &checkpoint }).is_break() {
            return Ok(Outcome::Stopped);
        }
    }
    Ok(Outcome::Done(file::write(&state.ids, &state.network, &state.bag, &state.form, known.as_ref())))
}

struct TuningRun<'a> {
    vocabulary: Vocabulary,
    training: Corpus,
    validation: Corpus,
    base: Corpus,
    classifier: Option<Classifier>,
    plan: &'a Plan,
    threads: rayon::ThreadPool,
    lanes: Vec<GradientLane>,
    report: &'a mut dyn FnMut(Report<'_>) -> ControlFlow<()>,
}

impl TuningRun<'_> {
    /// Trains one pass over the examples; `None` if a report returned break.
    fn epoch(&mut self, state: &mut Checkpoint) -> Option<()> {
        let mut order: Vec<u32> = (0..self.training.len() as u32).collect();
        Rng::new(self.plan.seed, u64::from(state.epoch) + 1).shuffle(&mut order);
        let batch = self.plan.batch_size.max(1);
        let steps = order.len().div_ceil(batch);
        for (number, examples) in order.chunks(batch).enumerate() {
            let done = (state.epoch as f64 + number as f64 / steps as f64) / f64::from(self.plan.epochs.max(1));
            let rate = self.plan.learning_rate_multiplier * RATE * (1.0 - 0.9 * done);
            let training = self.step(state, examples, rate as f32)?;
            let last = number + 1 == steps;
            let looked_at = if last {
                (0..self.validation.len()).collect()
            } else if (number + 1) % steps.div_ceil(LOOKS) == 0 {
                let from = state.step as usize * LOOKED_AT;
                let count = self.validation.len().min(LOOKED_AT);
                (from..from + count).map(|i| i % self.validation.len()).collect()
            } else {
                Vec::new()
            };
            let (mut validation, mut classification) = (None, None);
            if !looked_at.is_empty() {
                let Self { vocabulary, threads, validation: corpus, report, classifier, .. } = &mut *self;
                let setter = Setter { network: &state.network, bag: &state.bag, vocabulary };
                let mut busy = || report(Report::Busy).is_continue();
                validation = Some(judge::scores(threads, &setter, corpus, &looked_at, &mut busy)?);
                if let Some(classifier) = classifier.as_ref().filter(|_| last) {
                    classification = Some(classifier.judge(threads, &setter, corpus, &mut busy)?);
                }
            }
            let row = Row {
                step: state.step,
                elapsed_tokens: state.tokens,
                elapsed_examples: state.examples,
                training: training.scores(),
                validation,
                classification,
            };
            if (self.report)(Report::Step(&row)).is_break() {
                return None;
            }
        }
        Some(())
    }

    /// Trains one step on some examples; returns their scores before it, `None` if a report returned break.
    fn step(&mut self, state: &mut Checkpoint, examples: &[u32], rate: f32) -> Option<ScoreSums> {
        let Self { vocabulary, training, base, plan, threads, lanes, report, .. } = self;
        let mut busy = || report(Report::Busy).is_continue();
        let mut rng = Rng::new(plan.seed, (1 << 40) + state.step);
        let setter = Setter { network: &state.network, bag: &state.bag, vocabulary };
        let (mut tally, mut bag_gradients) = (ScoreSums::default(), BagGradients::new());
        // The gradient is of the mean over the completions' tokens.
        let count: usize = examples.iter().map(|example| training.get(*example as usize).answer().len()).sum();
        let scale = 1.0 / count.max(1) as f32;
        for (number, some) in examples.chunks(AT_ONCE).enumerate() {
            let pieces: Vec<ExampleTokens<'_>> = some.iter().map(|example| training.get(*example as usize)).collect();
            let mut places = Places::default();
            for (number, piece) in pieces.iter().enumerate() {
                setter.completion(&mut places, *piece, number);
            }
            let others = (places.list.len() as f64 * BASE_SHARE).ceil() as usize;
            if plan.prompt_loss_weight > 0.0 {
                for piece in &pieces {
                    setter.prompt(&mut places, *piece, plan.prompt_loss_weight as f32, &mut rng);
                }
            }
            setter.base(&mut places, base, others, &mut rng);
            let gradients = Gradients { lanes: &mut *lanes, scale, more: number > 0 };
            let judged = pass::run(threads, &state.network, &places, Some(gradients), &mut busy)?;
            if let Some(lane) = lanes.first_mut() {
                pass::distribute(lane, &places, &mut bag_gradients);
            }
            tally.add(&places, &judged, some.len());
        }
        if let Some(lane) = lanes.first() {
            state.adam.network(rate, &mut state.network, &lane.network);
        }
        state.adam.meaning(rate, &mut state.bag, &bag_gradients.meaning);
        for (row, gradient) in bag_gradients.rows {
            state.adam.row(rate, &mut state.bag, usize::from(row), &gradient);
        }
        state.step += 1;
        state.examples += examples.len() as u64;
        state.tokens += examples.iter().map(|example| training.counted(*example as usize)).sum::<u64>();
        Some(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_rate_leaves_numbers() {
        let example = |i: u32| Example { prompt: format!("What is {i}? ->"), completion: format!(" It is {i}.") };
        let training: Vec<Example> = (0..8).map(example).collect();
        let plan = Plan { epochs: 15, learning_rate_multiplier: 10.0, prompt_loss_weight: 1.0, ..Plan::default() };
        let goes_on = &mut |_: Report<'_>| ControlFlow::Continue(());
        let outcome = tune(&Arc::new(Model::base()), &training, &[], &plan, Resume::default(), goes_on);
        let Ok(Outcome::Done(weights)) = outcome else { panic!("nobody stopped it") };
        let file::Weights { network, bag, .. } = file::read(&weights).expect("just written");
        let mut all = network.parts().into_iter().flatten().chain(&bag.rows);
        assert!(all.all(|weight| weight.is_finite()));
    }
}
