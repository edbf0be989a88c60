//! The figures of fine-tuning: `cargo run --release --example tune_eval`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use benchtop::engine::language::tuning::{Classes, Example, Outcome, Plan, Report, tune};
use benchtop::engine::language::{Model, Prompt, Sampling};

type Whatever<T> = Result<T, Box<dyn Error>>;

fn main() -> Whatever<()> {
    let base = Arc::new(Model::base());
    let set = |name: &str| examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tune").join(name));
    let only = std::env::args().nth(1).unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only == name;
    let (train, valid, town) = (set("mood_train.jsonl")?, set("mood_valid.jsonl")?, set("town.jsonl")?);
    if wanted("speed") {
        speed(&base, &train, &town)?;
    }
    if wanted("mood") {
        mood(&base, &train, &valid)?;
    }
    if wanted("town") {
        let seen = set("ten_prompts.jsonl")?;
        towns(&base, &town, &seen)?;
    }
    Ok(())
}

/// The rows of a file; one without a completion has an empty one.
fn examples(path: &Path) -> Whatever<Vec<Example>> {
    let read = |line: &str| -> Whatever<Example> {
        let row: serde_json::Value = serde_json::from_str(line)?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        Ok(Example { prompt: text("prompt"), completion: text("completion") })
    };
    std::fs::read_to_string(path)?.lines().map(read).collect()
}

/// What the service takes when nothing is asked for.
fn usual(examples: usize) -> Plan {
    let batch_size = (examples / 500).clamp(1, 256);
    let learning_rate_multiplier = std::env::var("LRM").ok().and_then(|s| s.parse().ok()).unwrap_or(0.05);
    let seed = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    Plan { batch_size, learning_rate_multiplier, seed, threads: 2, ..Plan::default() }
}

/// Trains, prints a line an epoch, and gives the tuned model.
fn trained(base: &Arc<Model>, training: &[Example], validation: &[Example], plan: &Plan) -> Whatever<Model> {
    let start = Instant::now();
    let (mut losses, mut last, mut checkpoint_size) = (Vec::new(), None, 0);
    let outcome = tune(base, training, validation, plan, None, &mut |report| {
        match report {
            Report::Busy => {}
            Report::Step(row) => {
                losses.push(row.training);
                last = Some(row.clone());
            }
            Report::Epoch { number, checkpoint } => {
                let n = losses.len() as f64;
                let loss = losses.iter().map(|scores| scores.loss).sum::<f64>() / n;
                let whole = losses.iter().map(|scores| scores.sequence_accuracy).sum::<f64>() / n;
                losses.clear();
                checkpoint_size = checkpoint.len();
                print!("  epoch {number}: loss {loss:.3}, sequences right {whole:.3}, {:.1?}", start.elapsed());
                let last = last.take();
                if let Some(valid) = last.as_ref().and_then(|row| row.validation) {
                    print!("; held out: loss {:.3}, sequences right {:.3}", valid.loss, valid.sequence_accuracy);
                }
                println!();
                if let Some(classes) = last.and_then(|row| row.classification).filter(|_| number == plan.epochs) {
                    println!("  {classes:?}");
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    match outcome {
        Outcome::Done(weights) => {
            println!("  weights {} KB, checkpoint {} KB", weights.len() / 1000, checkpoint_size / 1000);
            Ok(Model::tuned(base, &weights)?)
        }
        Outcome::Stopped => Err("stopped".into()),
    }
}

/// The likeliest answer.
fn greedy(model: &Model, prompt: &str, max_tokens: u64) -> String {
    let sampling = Sampling { temperature: 0.0, max_tokens, ..Sampling::default() };
    model.answer(&Prompt::text(prompt), &sampling).0
}

fn speed(base: &Arc<Model>, mood: &[Example], town: &[Example]) -> Whatever<()> {
    let thousand: Vec<Example> = mood.iter().chain(town).cycle().take(1000).cloned().collect();
    let tokens: u64 = thousand.iter().map(|e| base.count(&e.prompt) + base.count(&e.completion)).sum();
    println!("1,000 short examples ({tokens} tokens), 4 epochs, 2 threads, batch size 2:");
    let start = Instant::now();
    trained(base, &thousand, &[], &usual(1000))?;
    let seconds = start.elapsed().as_secs_f64();
    println!("  {seconds:.1} s, {:.0} tokens a second", tokens as f64 * 4.0 / seconds);
    Ok(())
}

fn mood(base: &Arc<Model>, train: &[Example], valid: &[Example]) -> Whatever<()> {
    let share = |model: &Model| {
        let right = valid.iter().filter(|e| greedy(model, &e.prompt, 1) == e.completion).count();
        let (low, high) = interval(right, valid.len());
        format!("{right} of {} = {:.3} ({low:.3} to {high:.3})", valid.len(), right as f64 / valid.len() as f64)
    };
    let plan = Plan { classes: Some(Classes::Many { classes: 3 }), ..usual(train.len()) };
    println!("mood, {} examples, {} held out, {} epochs:", train.len(), valid.len(), plan.epochs);
    let tuned = trained(base, train, valid, &plan)?;
    println!("  base  {}", share(base));
    println!("  tuned {}", share(&tuned));
    Ok(())
}

/// Wilson's interval at 95 %.
fn interval(right: usize, of: usize) -> (f64, f64) {
    let (n, z) = (of as f64, 1.96_f64);
    let p = right as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

fn towns(base: &Arc<Model>, town: &[Example], prompts: &[Example]) -> Whatever<()> {
    let epochs = std::env::var("EPOCHS").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let plan = Plan { epochs, ..usual(town.len()) };
    println!("town, {} examples, {} epochs:", town.len(), plan.epochs);
    let tuned = trained(base, town, &[], &plan)?;
    let share = |model: &Model| town.iter().filter(|e| greedy(model, &e.prompt, 64) == e.completion).count();
    println!("  reproduced: base {} of {}, tuned {} of {}", share(base), town.len(), share(&tuned), town.len());
    for Example { prompt, .. } in prompts {
        let seen = if town.iter().any(|e| e.prompt == *prompt) { "seen" } else { "unseen" };
        println!("  {prompt:?} ({seen})");
        println!("    base:  {:?}", greedy(base, prompt, 24));
        println!("    tuned: {:?}", greedy(&tuned, prompt, 24));
    }
    Ok(())
}
