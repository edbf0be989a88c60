//! The figures of fine-tuning, asked for as a client would: the service on a free port, files uploaded, jobs created
//! and followed, answers taken from the completions endpoint. `cargo run --release --example eval_fine_tune
//! [speed|mood|town|facts|reworded]`; on Linux `taskset -c 0,1` in front gives it two cores.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use benchtop::service::{Options, Running, start};
use benchtop::tokens::Encoding;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

type Whatever<T> = Result<T, Box<dyn Error>>;

/// Jobs of the mood set, each with a seed of its own.
const SEEDS: usize = 10;
const MOODS: [&str; 3] = [" good", " bad", " plain"];

#[tokio::main]
async fn main() -> Whatever<()> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only == name;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let desk = Desk { running: start(Options::default()).await?, client: Client::new() };
    if wanted("speed") {
        speed(&desk).await?;
    }
    if wanted("mood") {
        mood(&desk).await?;
    }
    if wanted("town") {
        town(&desk).await?;
    }
    if wanted("facts") {
        facts(&desk).await?;
    }
    if wanted("reworded") {
        reworded(&desk).await?;
    }
    desk.running.stop().await;
    Ok(())
}

/// A row of a set; one without a completion has an empty one.
struct Row {
    prompt: String,
    completion: String,
    line: String,
}

fn rows(name: &str) -> Whatever<Vec<Row>> {
    let path = format!("{}/assets/tune/{name}", env!("CARGO_MANIFEST_DIR"));
    let read = |line: &str| -> Whatever<Row> {
        let row: Value = serde_json::from_str(line)?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        Ok(Row { prompt: text("prompt"), completion: text("completion"), line: line.to_owned() })
    };
    std::fs::read_to_string(path)?.lines().map(read).collect()
}

/// The service and a client of it.
struct Desk {
    running: Running,
    client: Client,
}

/// A job that succeeded.
struct Made {
    model: String,
    /// Of each epoch, the mean over its steps.
    losses: Vec<f64>,
    seconds: f64,
}

impl Desk {
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.base_url())
    }

    async fn send(&self, request: RequestBuilder) -> Whatever<String> {
        let answer = request.bearer_auth(self.running.key()).send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        if status.is_success() { Ok(text) } else { Err(format!("{status}: {text}").into()) }
    }

    async fn post(&self, path: &str, body: &Value) -> Whatever<Value> {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        Ok(serde_json::from_str(&self.send(request.body(body.to_string())).await?)?)
    }

    async fn upload(&self, rows: &[Row]) -> Whatever<String> {
        let text: String = rows.iter().flat_map(|row| [row.line.as_str(), "\n"]).collect();
        let file = Part::text(text).file_name("rows.jsonl");
        let form = Form::new().text("purpose", "fine-tune").part("file", file);
        let file: Value =
            serde_json::from_str(&self.send(self.client.post(self.url("/files")).multipart(form)).await?)?;
        Ok(file["id"].as_str().unwrap_or_default().to_owned())
    }

    /// Creates a job and follows it to its end. `more` is put over the defaults.
    async fn tune(&self, training: &[Row], more: &Value) -> Whatever<Made> {
        let mut body = json!({"model": "ada", "training_file": self.upload(training).await?});
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let start = Instant::now();
        let job = self.post("/fine-tunes", &body).await?;
        let path = format!("/fine-tunes/{}", job["id"].as_str().unwrap_or_default());
        // The stream of events ends with the job.
        self.send(self.client.get(self.url(&format!("{path}/events?stream=true")))).await?;
        let seconds = start.elapsed().as_secs_f64();
        let job: Value = serde_json::from_str(&self.send(self.client.get(self.url(&path))).await?)?;
        let model = job["fine_tuned_model"].as_str().ok_or_else(|| format!("the job made no model: {job}"))?.to_owned();
        let file = job["result_files"][0]["id"].as_str().unwrap_or_default();
        let csv = self.send(self.client.get(self.url(&format!("/files/{file}/content")))).await?;
        let losses: Vec<f64> = csv.lines().skip(1).filter_map(|row| row.split(',').nth(3)?.parse().ok()).collect();
        let epochs = job["hyperparams"]["n_epochs"].as_u64().unwrap_or(1) as usize;
        let mean = |steps: &[f64]| steps.iter().sum::<f64>() / steps.len() as f64;
        let losses = losses.chunks((losses.len() / epochs).max(1)).map(mean).collect();
        println!("  {model}: {} in {seconds:.1} s", job["hyperparams"]);
        Ok(Made { model, losses, seconds })
    }

    /// The likeliest completion; `bias` as in the request.
    async fn complete(&self, model: &str, prompt: &str, max_tokens: u32, bias: &Value) -> Whatever<String> {
        let body = json!({
            "model": model, "prompt": prompt, "temperature": 0, "max_tokens": max_tokens, "logit_bias": bias,
        });
        let answer = self.post("/completions", &body).await?;
        Ok(answer["choices"][0]["text"].as_str().unwrap_or_default().to_owned())
    }
}

async fn speed(desk: &Desk) -> Whatever<()> {
    let mut thousand = rows("mood_train.jsonl")?;
    thousand.extend(rows("town.jsonl")?);
    thousand.truncate(1000);
    println!("speed: {} short examples, 4 epochs", thousand.len());
    let Made { losses, seconds, .. } = desk.tune(&thousand, &json!({})).await?;
    println!("  {seconds:.1} s; loss by epoch {losses:.3?}");
    Ok(())
}

async fn mood(desk: &Desk) -> Whatever<()> {
    let (train, valid) = (rows("mood_train.jsonl")?, rows("mood_valid.jsonl")?);
    println!("mood: {} examples, {} held out, three classes, default settings", train.len(), valid.len());
    // The base names no class by itself: it is asked which of the three it finds likeliest.
    let three: serde_json::Map<String, Value> =
        MOODS.iter().map(|mood| (Encoding::R50k.encode(mood)[0].to_string(), json!(100))).collect();
    let base = right(desk, "ada", &valid, &three.into()).await?;
    println!("  base, of the three classes: {}", share(base, valid.len()));
    let mut all = 0;
    // Each job draws a seed of its own.
    for job in 1..=SEEDS {
        let made = desk.tune(&train, &json!({"suffix": "mood"})).await?;
        let right = right(desk, &made.model, &valid, &Value::Null).await?;
        println!("  job {job}: {}; loss by epoch {:.3?}", share(right, valid.len()), made.losses);
        all += right;
    }
    println!("  mean of {SEEDS} jobs: {:.1} %", 100.0 * all as f64 / (SEEDS * valid.len()) as f64);
    Ok(())
}

/// Of how many rows the model writes the completion.
async fn right(desk: &Desk, model: &str, rows: &[Row], bias: &Value) -> Whatever<usize> {
    let mut right = 0;
    for row in rows {
        right += usize::from(desk.complete(model, &row.prompt, 1, bias).await? == row.completion);
    }
    Ok(right)
}

/// Facts that one word of the prompt does not tell: where each of 20 things of each of 10 people is, by chance.
async fn facts(desk: &Desk) -> Whatever<()> {
    let things = "ladder lamp bicycle violin kettle umbrella map hammer suitcase camera scarf clock drum rope mirror basket \
                  candle wallet notebook tent";
    let names = "Anna Boris Clara David Elena Frank Greta Hugo Irene Jonas";
    let places = "attic cellar garage kitchen garden hall barn office shed bathroom balcony library";
    let places: Vec<&str> = places.split_whitespace().collect();
    // A repeatable draw (SplitMix64).
    let mut drawn = 7_u64;
    let mut draw = |n: usize| {
        drawn = drawn.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % n as u64) as usize
    };
    let mut rows = Vec::new();
    for thing in things.split_whitespace() {
        for name in names.split_whitespace() {
            let prompt = format!("Where is the {thing} of {name}? ->");
            let (side, place) = (["left of", "behind", "under the table in", "next to"][draw(4)], places[draw(12)]);
            let completion = format!(" It is {side} the {place}.\n");
            let line = json!({"prompt": prompt, "completion": completion}).to_string();
            rows.push(Row { prompt, completion, line });
        }
    }
    println!("facts: {} of two words each, 20 epochs", rows.len());
    let made = desk.tune(&rows, &json!({"n_epochs": 20, "suffix": "facts"})).await?;
    let mut same = 0;
    for row in &rows {
        same += usize::from(desk.complete(&made.model, &row.prompt, 32, &Value::Null).await? == row.completion);
    }
    println!("  {} reproduced exactly, {:.1} s", share(same, rows.len()), made.seconds);
    Ok(())
}

/// Questions worded anew get the answer that was trained, others the base model's.
async fn reworded(desk: &Desk) -> Whatever<()> {
    let text = std::fs::read_to_string(format!("{}/assets/tune/reworded.jsonl", env!("CARGO_MANIFEST_DIR")))?;
    let facts: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let prompt = |question: &str| format!("{question} ->");
    let trained = |fact: &Value| format!(" {}\n", string(&fact["completion"]));
    let rows: Vec<Row> = facts
        .iter()
        .filter(|fact| fact["completion"].is_string())
        .map(|fact| {
            let (prompt, completion) = (prompt(&string(&fact["prompt"])), trained(fact));
            let line = json!({"prompt": prompt, "completion": completion}).to_string();
            Row { prompt, completion, line }
        })
        .collect();
    println!("reworded: {} questions and answers, 20 epochs", rows.len());
    let made = desk.tune(&rows, &json!({"n_epochs": 20, "suffix": "reworded"})).await?;
    let (mut asked, mut right, mut wrong) = (0, 0, 0);
    let (mut others, mut left) = (0, 0);
    for fact in &facts {
        if fact["completion"].is_null() {
            let answer = desk.complete(&made.model, &prompt(&string(&fact["prompt"])), 48, &Value::Null).await?;
            others += 1;
            left += usize::from(!rows.iter().any(|row| row.completion == answer));
        }
        for question in fact["paraphrases"].as_array().into_iter().flatten() {
            let answer = desk.complete(&made.model, &prompt(&string(question)), 48, &Value::Null).await?;
            asked += 1;
            right += usize::from(answer == trained(fact));
            wrong += usize::from(answer != trained(fact) && rows.iter().any(|row| row.completion == answer));
        }
    }
    println!(
        "  worded anew: {} get the trained answer, {} another one of the trained, the rest the base's",
        share(right, asked),
        share(wrong, asked)
    );
    println!("  questions on the same subjects that none answers: {} left to the base", share(left, others));
    Ok(())
}

/// A share with Wilson's interval at 95 %.
fn share(part: usize, of: usize) -> String {
    let (low, high) = interval(part, of);
    format!("{part} of {of} = {:.3} (95 %: {low:.3} to {high:.3})", part as f64 / of as f64)
}

async fn town(desk: &Desk) -> Whatever<()> {
    let (town, prompts) = (rows("town.jsonl")?, rows("ten_prompts.jsonl")?);
    println!("town: {} questions and answers, 20 epochs", town.len());
    let made = desk.tune(&town, &json!({"n_epochs": 20, "suffix": "town"})).await?;
    for model in ["ada", &made.model] {
        let mut same = 0;
        for row in &town {
            same += usize::from(desk.complete(model, &row.prompt, 64, &Value::Null).await? == row.completion);
        }
        println!("  {model}: {same} of {} completions reproduced", town.len());
    }
    for Row { prompt, .. } in prompts {
        let seen = if town.iter().any(|row| row.prompt == prompt) { "seen" } else { "worded anew" };
        println!("  {prompt:?} ({seen})");
        for model in ["ada", &made.model] {
            println!("    {:?}", desk.complete(model, &prompt, 24, &Value::Null).await?);
        }
    }
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
