//! The language model as its users meet it: right answers, living parameters, honest limits.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use std::time::Instant;

use benchtop::engine::language::{Finish, Model, Prompt, Sampling};

static MODEL: LazyLock<Model> = LazyLock::new(Model::base);

fn cold() -> Sampling {
    Sampling { temperature: 0.0, ..Sampling::default() }
}

fn seeded(seed: u64) -> Sampling {
    Sampling { seed: Some(seed), ..Sampling::default() }
}

fn ask(question: &str, sampling: &Sampling) -> String {
    MODEL.answer(&Prompt::chat(&[("user", question)]), sampling).0
}

/// Question and what a right answer names.
const QUESTIONS: &[(&str, &str)] = &[
    ("how do I send a message?", "**Enter**"),
    ("What is top_p?", "likeliest tokens that together"),
    ("top p", "likeliest tokens that together"),
    ("how do I delete a file?", "press `x`"),
    ("delete file", "**Files** tab"),
    ("how do I stop an answer?", "**Esc**"),
    ("how do i stop generating", "**Esc**"),
    ("how do I add a newline?", "**Ctrl+J**"),
    ("newline", "**Ctrl+J**"),
    ("how do I switch model?", "Press `m`"),
    ("how do I use my own key?", "OPENAI_API_KEY"),
    ("OPENAI_API_KEY", "environment variable"),
    ("how can I use ollama?", "--base-url"),
    ("how do I use another server", "--base-url"),
    ("what does temperature do?", "ranges from 0 to 2"),
    ("what is temprature", "ranges from 0 to 2"),
    ("how do I quit?", "**Ctrl+Q**"),
    ("how do I rename a conversation?", "press `e`"),
    ("how do I trash a conversation", "Press `x`"),
    ("how do I restore a conversation?", "`u`"),
    ("what do the tokens and cost figures mean?", "`▲`"),
    ("what is a fine-tune?", "trained further"),
    ("what does ~ mean?", "**estimate**"),
    ("where are my conversations stored?", "SQLite"),
    ("how do I regenerate?", "press `r`"),
    ("how do I edit a message?", "press `e`"),
    ("what is logit_bias?", "bans the token"),
    ("frequency penalty", "more often they already appear"),
    ("presence penalty", "once, however often"),
    ("what are stop sequences?", "up to four"),
    ("what is seed", "repeatable"),
    ("what is n?", "how many answers"),
    ("what is max_tokens?", "most tokens an answer"),
    ("how do I copy code?", "press `y`"),
    ("where is help?", "**F1**"),
    ("is this offline?", "offline"),
    ("what can you do?", "questions about benchtop"),
    ("who are you?", "small language model"),
    ("hello", "Hello"),
    ("write a rust hello world", "cannot write programs"),
    ("how do I set the system prompt", "Press `p`"),
    ("401 error", "did not accept your key"),
    ("my key was rejected what now", "did not accept your key"),
    ("can I export a conversation as markdown?", "`Y` copies a message"),
    ("is my data sent to openai?", "nothing leaves your machine"),
    ("does anything I type leave my machine?", "nothing leaves your machine"),
    ("how do I restore something from the trash?", "**restore**"),
    ("how do I see several answers side by side", "press `D`"),
    ("how do I make the list go away", "Press `b`"),
    ("is it open source?", "MIT"),
    ("does it work on windows?", "tested on Linux"),
    ("how do I change the theme?", "`theme`"),
    ("what does the green dot mean", "could not be reached"),
    ("does it remember earlier messages", "remembers nothing by itself"),
    ("how to make answers less random", "ranges from 0 to 2"),
    ("how do I uninstall", "two directories"),
    ("how do I export my chats?", "no export of a whole conversation"),
    ("how do I empty the trash", "press `X`"),
    ("how do I delete a profile?", "**Profile: new key**"),
    ("what does z do", "fold"),
    ("what is the difference between text and browse", "letters are commands"),
    ("what themes are there?", "`theme`"),
];

#[test]
fn answers_are_right_when_cold() {
    let wrong: Vec<_> = QUESTIONS
        .iter()
        .map(|(q, fact)| (q, fact, ask(q, &cold())))
        .filter(|(_, fact, a)| !a.contains(**fact))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn answers_are_right_when_warm() {
    let mut asked = 0;
    let mut wrong = Vec::new();
    for (i, (question, fact)) in QUESTIONS.iter().enumerate() {
        for seed in 0..2 {
            let answer = ask(question, &seeded(i as u64 * 10 + seed));
            asked += 1;
            if !answer.contains(fact) {
                wrong.push((question, fact, answer));
            }
        }
    }
    // Sampling may slip once in a while, as with any model.
    assert!(wrong.len() * 20 <= asked, "{wrong:#?}");
}

#[test]
fn other_passages_are_named_by_their_titles_in_quotation_marks() {
    let vague = ["look at notes.txt and sum up", "tell me about files", "write something about a list"];
    let questions = QUESTIONS.iter().map(|(question, _)| *question).chain(vague);
    let answers: Vec<String> = questions.map(|question| ask(question, &cold())).collect();
    let named = |answer: &String| Some(answer.split_once("If you meant something else, ask for ")?.1.to_owned());
    let named: Vec<String> = answers.iter().filter_map(named).collect();
    assert!(!named.is_empty(), "no answer names another passage");
    for titles in named {
        let are_quoted = titles.starts_with("\"**") && titles.ends_with("**\".");
        assert!(are_quoted && titles.split(" or \"").all(|title| title.contains("**\"")), "{titles}");
    }
}

#[test]
fn an_unknown_question_gets_an_honest_answer() {
    for question in ["what is the capital of France?", "who won the world cup in 1998?", "zxqv", ""] {
        let answer = ask(question, &cold());
        assert!(answer.contains("small") && answer.contains("manual"), "{question}: {answer}");
    }
}

#[test]
fn a_question_in_another_language_is_told_that_only_english_is_known() {
    let answer = ask("日本語で答えて", &cold());
    assert!(answer.contains("English only") || answer.contains("small"), "{answer}");
}

#[test]
fn no_wrong_key_is_named_however_hot() {
    // An answer may be cut within a key.
    let between = |text: &str, mark: &str| {
        let parts: Vec<String> = text.split(mark).map(str::to_owned).collect();
        let closed = parts.len() - 1;
        parts.into_iter().take(closed).skip(1).step_by(2).collect::<Vec<_>>()
    };
    let marked = |text: &str| [between(text, "`"), between(text, "**")].concat().into_iter().collect::<HashSet<_>>();
    let manual = marked(include_str!("../assets/manual.md"));
    for (i, (question, _)) in QUESTIONS.iter().enumerate() {
        for seed in 0..3 {
            let answer = ask(question, &Sampling { temperature: 2.0, max_tokens: 300, ..seeded(i as u64 * 10 + seed) });
            let strange: Vec<String> = marked(&answer).into_iter().filter(|key| !manual.contains(key)).collect();
            assert!(strange.is_empty(), "{question}: {strange:?} in {answer}");
        }
    }
}

#[test]
fn a_follow_up_leans_on_the_question_before() {
    let prompt = Prompt::chat(&[
        ("user", "how do I trash a conversation?"),
        ("assistant", "Press x."),
        ("user", "and how do I undo that?"),
    ]);
    let (answer, ..) = MODEL.answer(&prompt, &cold());
    assert!(answer.contains("`u`"), "{answer}");
}

#[test]
fn a_question_that_names_its_subject_does_not_lean_on_the_one_before() {
    let before =
        [("user", "Show me a config.toml with two profiles"), ("assistant", "Settings live in `config.toml`.")];
    for question in ["What is top_p, and when do I change it?", "What is top_p and when do I change it?"] {
        let prompt: Vec<_> = before.into_iter().chain([("user", question)]).collect();
        let (answer, ..) = MODEL.answer(&Prompt::chat(&prompt), &cold());
        assert!(answer.contains("likeliest tokens that together"), "{question}: {answer}");
    }
}

#[test]
fn a_courtesy_does_not_answer_a_question() {
    let models = [("user", "how do I switch model?"), ("assistant", "Press m.")];
    let profiles = [("user", "what is a profile?"), ("assistant", "An address and a key.")];
    let thanked = [models[0], models[1], ("user", "Thanks!"), ("assistant", "You are welcome.")];
    for (before, question, fact) in [
        (&models[..], "Thanks, and how do I switch between them?", "Press `m`"),
        (&profiles[..], "Thanks, and how do I switch between them?", "rofile"),
        (&thanked[..], "Great, and how do I switch between them?", "Press `m`"),
        (&thanked[..], "ok how do I quit", "**Ctrl+Q**"),
        (&[], "hi, what is top_p", "likeliest tokens that together"),
        (&[], "hello! where are my conversations stored?", "SQLite"),
        (&[], "nice. delete file", "**Files** tab"),
        (&[], "thanks, what is the capital of France?", "small"),
        (&[], "how do I write hello world in rust?", "cannot write programs"),
    ] {
        let prompt: Vec<_> = before.iter().copied().chain([("user", question)]).collect();
        let (answer, ..) = MODEL.answer(&Prompt::chat(&prompt), &cold());
        assert!(answer.contains(fact), "{question}: {answer}");
    }
    for thanks in [
        "thanks",
        "Thank you very much!",
        "ok, thanks a lot for your help",
        "Great, that is what I wanted",
        "cool",
        "Thanks, good job",
    ] {
        assert!(ask(thanks, &cold()).contains("welcome"), "{thanks}: {}", ask(thanks, &cold()));
    }
    for hello in ["Hello there", "hi, how are you?", "hello hello"] {
        assert!(ask(hello, &cold()).starts_with("Hello"), "{hello}: {}", ask(hello, &cold()));
    }
}

#[test]
fn answers_to_one_prompt_share_its_reading() {
    let long = (0..4000).map(|n| format!("question{n}")).collect::<Vec<_>>().join(" ");
    let prompt = Prompt::chat(&[("user", &long)]);
    let begun = Instant::now();
    let read = MODEL.read(&prompt);
    let reading = begun.elapsed();
    let begun = Instant::now();
    let many: Vec<_> = (0..64).map(|seed| MODEL.begin(&read, &seeded(seed))).collect();
    assert!(begun.elapsed() < reading, "{:?} to begin, {reading:?} to read", begun.elapsed());
    drop(many);
    // And it is what each would have read by itself.
    let prompt = Prompt::chat(&[("user", "what is top_p?")]);
    let read = MODEL.read(&prompt);
    for seed in 0..3 {
        let shared: Vec<u32> = MODEL.begin(&read, &seeded(seed)).map(|step| step.token).collect();
        let alone: Vec<u32> = MODEL.generate(&prompt, &seeded(seed)).map(|step| step.token).collect();
        assert_eq!(shared, alone);
    }
}

#[test]
fn seeds_repeat_and_choices_differ() {
    assert_eq!(ask("hello", &seeded(3)), ask("hello", &seeded(3)));
    let different: HashSet<String> = (0..12).map(|seed| ask("hello", &seeded(seed))).collect();
    assert!(different.len() > 1, "{different:?}");
    assert_eq!(ask("what is top_p?", &cold()), ask("what is top_p?", &cold()));
}

#[test]
fn probabilities_sum_to_one() {
    let sampling = Sampling { logprobs: MODEL.size(), max_tokens: 3, ..cold() };
    for prompt in [Prompt::chat(&[("user", "what is top_p?")]), Prompt::text("A language model")] {
        for step in MODEL.generate(&prompt, &sampling) {
            let sum: f64 = step.top.iter().map(|(_, logprob)| f64::from(*logprob).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            assert_eq!(step.top[0].0, step.token);
            assert!((step.top[0].1 - step.logprob).abs() < 1e-6);
        }
    }
}

#[test]
fn max_tokens_cuts() {
    let prompt = Prompt::chat(&[("user", "what is top_p?")]);
    let (text, tokens, finish) = MODEL.answer(&prompt, &Sampling { max_tokens: 5, ..cold() });
    assert_eq!((tokens, finish), (5, Finish::Length));
    assert!(!text.is_empty());
    let (_, _, whole) = MODEL.answer(&prompt, &cold());
    assert_eq!(whole, Finish::Stop);
}

#[test]
fn stop_ends_before_its_text() {
    let whole = ask("what is top_p?", &cold());
    let stop = "share of";
    let cut = ask("what is top_p?", &Sampling { stop: vec![stop.to_owned()], ..cold() });
    assert_eq!(cut, whole[..whole.find(stop).unwrap()]);
}

#[test]
fn a_bias_bans_and_forces() {
    let question = "how do I send a message?";
    let enter = *MODEL.encode("Enter").first().unwrap();
    let banned = ask(question, &Sampling { logit_bias: HashMap::from([(enter, -100.0)]), ..cold() });
    assert!(!banned.contains("**Enter**"), "{banned}");
    assert!(banned.contains("Ctrl+R"), "it reads on behind the gap: {banned}");
    let forced = Sampling { logit_bias: HashMap::from([(enter, 100.0)]), max_tokens: 4, ..Sampling::default() };
    assert_eq!(ask(question, &forced), "EnterEnterEnterEnter");
}

#[test]
fn temperature_and_top_p_act() {
    let prompt = Prompt::text("A language model");
    let write = |sampling: Sampling| MODEL.answer(&prompt, &Sampling { max_tokens: 12, ..sampling }).0;
    let different = |temperature: f32, top_p: f32| {
        let texts = (0..6).map(|seed| write(Sampling { temperature, top_p, ..seeded(seed) }));
        texts.collect::<HashSet<_>>().len()
    };
    assert_eq!(different(0.0, 1.0), 1);
    assert!(different(1.0, 1.0) > 3);
    assert_eq!(different(1.0, 0.0001), 1);
    let hot = ask("what is top_p?", &Sampling { temperature: 2.0, ..seeded(1) });
    assert_ne!(hot, ask("what is top_p?", &cold()));
}

#[test]
fn penalties_act() {
    let write = |presence_penalty: f32, frequency_penalty: f32| {
        // Without its end token the model goes on, and a cold one then repeats itself.
        let logit_bias = HashMap::from([(50_256, -100.0)]);
        let sampling = Sampling { presence_penalty, frequency_penalty, logit_bias, max_tokens: 100, ..cold() };
        let ids: Vec<u32> = MODEL.generate(&Prompt::text("The model"), &sampling).map(|step| step.token).collect();
        ids.len() - ids.iter().collect::<HashSet<_>>().len()
    };
    let repeated = write(0.0, 0.0);
    assert!(write(2.0, 0.0) < repeated);
    assert!(write(0.0, 2.0) < repeated);
    let question = "what is top_p?";
    let plain = ask(question, &cold());
    assert_ne!(plain, ask(question, &Sampling { frequency_penalty: 2.0, ..cold() }));
    let mild = ask(question, &Sampling { frequency_penalty: 0.3, presence_penalty: 0.3, ..cold() });
    assert!(mild.contains("likeliest tokens that together"), "{mild}");
}

#[test]
fn any_text_is_spelled_and_read_back() {
    for text in ["plain words", "日本語の要約 🙂 e\u{301}", "\u{0}\u{1b}[2J\r\n\t", "🏳️‍🌈"] {
        assert_eq!(MODEL.decode(&MODEL.encode(text)), text.as_bytes());
    }
    assert!(MODEL.count("hello world") == 2);
    // Forced bytes that make no character still come out as text.
    let byte = MODEL.encode("é")[0];
    let forced = Sampling { logit_bias: HashMap::from([(byte, 100.0)]), max_tokens: 3, ..cold() };
    let text = ask("hello", &forced);
    assert!(!text.is_empty());
}
