//! Fine-tuning as its users meet it: it learns, counts, stops, resumes, and does not depend on threads.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use benchtop::engine::language::tuning::{
    Classes, Classification, Example, Outcome, Plan, Report, Resume, Row, TuneError, chat_example, tune,
};
use benchtop::engine::language::{Model, Prompt, Sampling};

static BASE: LazyLock<Arc<Model>> = LazyLock::new(|| Arc::new(Model::base()));

fn example(prompt: &str, completion: &str) -> Example {
    Example { prompt: prompt.to_owned(), completion: completion.to_owned() }
}

fn answers() -> Vec<Example> {
    vec![
        example("Q: Who keeps the bees?\nA:", " Old Jonas does.\n"),
        example("Q: What colour is the boat?\nA:", " Green, with a red rim.\n"),
        example("Q: When does the mill open?\nA:", " At nine in the morning.\n"),
        example("Q: Where is the well?\nA:", " Behind the chapel.\n"),
    ]
}

/// The first of them in other words.
const REWORDED: &str = "Q: Who looks after the bees?\nA:";

fn moods() -> Vec<Example> {
    let rows = [
        ("The soup was delicious", " good"),
        ("A wonderful and friendly guide", " good"),
        ("The room was spotless", " good"),
        ("We loved every minute", " good"),
        ("The soup was disgusting", " bad"),
        ("A rude and lazy guide", " bad"),
        ("The room was filthy", " bad"),
        ("We hated every minute", " bad"),
    ];
    rows.iter().map(|(prompt, mood)| example(&format!("{prompt}. ->"), mood)).collect()
}

fn plan(epochs: u32) -> Plan {
    Plan { epochs, threads: 1, ..Plan::default() }
}

/// Tunes; returns the weights, all rows, and the checkpoint of each epoch.
fn learn(training: &[Example], validation: &[Example], plan: &Plan) -> (Vec<u8>, Vec<Row>, Vec<Vec<u8>>) {
    resumed(training, validation, plan, None)
}

fn resumed(
    training: &[Example],
    validation: &[Example],
    plan: &Plan,
    checkpoint: Option<&[u8]>,
) -> (Vec<u8>, Vec<Row>, Vec<Vec<u8>>) {
    let (mut rows, mut checkpoints) = (Vec::new(), Vec::new());
    let resume = Resume { checkpoint, vectors: None };
    let outcome = tune(&BASE, training, validation, plan, resume, &mut |report| {
        match report {
            Report::Busy | Report::Vectors(_) => {}
            Report::Step(row) => rows.push(row.clone()),
            Report::Epoch { checkpoint, .. } => checkpoints.push(checkpoint.to_vec()),
        }
        ControlFlow::Continue(())
    });
    let Outcome::Done(weights) = outcome.expect("it trains") else { panic!("nobody stopped it") };
    (weights, rows, checkpoints)
}

fn greedy(model: &Model, prompt: &Prompt) -> String {
    model.answer(prompt, &Sampling { temperature: 0.0, max_tokens: 30, ..Sampling::default() }).0
}

#[test]
fn it_learns_answers_and_counts_what_it_saw() {
    let training = answers();
    let (weights, rows, _) = learn(&training, &[], &plan(25));
    let tuned = Model::tuned(&weights).unwrap();
    for Example { prompt, completion } in &training {
        assert_eq!(greedy(&tuned, &Prompt::text(prompt)), *completion);
    }
    assert_eq!(rows.len(), 100);
    let last = rows.last().unwrap();
    let tokens: u64 = training.iter().map(|e| BASE.count(&e.prompt) + BASE.count(&e.completion)).sum();
    assert_eq!((last.step, last.elapsed_examples, last.elapsed_tokens), (100, 100, tokens * 25));
    let mean = |rows: &[Row]| rows.iter().map(|row| row.training.loss).sum::<f64>() / rows.len() as f64;
    assert!(mean(&rows[96..]) < mean(&rows[..4]) / 4.0);
    assert!(rows.iter().all(|row| row.validation.is_none() && row.classification.is_none()));
}

#[test]
fn the_same_seed_gives_the_same_weights_on_any_number_of_threads() {
    let long: Vec<Example> = answers().into_iter().cycle().take(24).collect();
    let weights = |threads, seed| learn(&long, &[], &Plan { threads, seed, batch_size: 12, ..plan(2) }).0;
    let one = weights(1, 3);
    assert!(one == weights(3, 3));
    assert!(one != weights(1, 4));
}

#[test]
fn resuming_goes_on_exactly() {
    let (training, validation) = (moods(), moods());
    let plan = Plan { batch_size: 3, classes: Some(Classes::Many { classes: 2 }), ..plan(3) };
    let (weights, rows, checkpoints) = learn(&training, &validation, &plan);
    let (again, later, _) = resumed(&training, &validation, &plan, Some(&checkpoints[0]));
    assert!(weights == again);
    assert_eq!(rows[3..], later[..]);
    let (done, none, _) = resumed(&training, &validation, &plan, Some(&checkpoints[2]));
    assert!(done == weights && none.is_empty());
}

#[test]
fn the_plans_numbers_act() {
    let training = answers();
    let usual = learn(&training, &[], &plan(1)).0;
    for other in [
        Plan { learning_rate_multiplier: 0.02, ..plan(1) },
        Plan { prompt_loss_weight: 0.5, ..plan(1) },
        Plan { prompt_loss_weight: 0.0, ..plan(1) },
        Plan { batch_size: 2, ..plan(1) },
        plan(2),
    ] {
        assert!(learn(&training, &[], &other).0 != usual, "{other:?}");
    }
    let rows = learn(&training, &[], &Plan { batch_size: 3, ..plan(2) }).1;
    assert_eq!(rows.iter().map(|row| row.elapsed_examples).collect::<Vec<_>>(), [3, 4, 7, 8]);
}

#[test]
fn a_classifier_is_judged_at_each_epochs_end() {
    let betas = vec![0.5, 1.0];
    let binary = Plan { classes: Some(Classes::Binary { positive: "good".to_owned(), betas }), ..plan(20) };
    let rows = learn(&moods(), &moods(), &binary).1;
    assert!(rows.iter().all(|row| row.classification.is_some() == (row.step % 8 == 0)));
    assert!(rows.iter().filter(|row| row.validation.is_some()).count() > 8, "also within epochs");
    let Some(Classification::Binary { accuracy, precision, recall, auroc, auprc, f }) =
        rows.last().unwrap().classification.clone()
    else {
        panic!("binary")
    };
    for figure in [accuracy, precision, recall, auroc, auprc, f[0].1, f[1].1] {
        assert!((figure - 1.0).abs() < 1e-9, "{:?}", rows.last());
    }
    let many = Plan { classes: Some(Classes::Many { classes: 2 }), ..plan(20) };
    let last = learn(&moods(), &moods(), &many).1.pop().unwrap();
    assert_eq!(last.classification, Some(Classification::Many { accuracy: 1.0, weighted_f1: 1.0 }));
}

#[test]
fn a_classifier_makes_something_of_words_it_never_saw() {
    let (weights, ..) = learn(&moods(), &[], &plan(8));
    let tuned = Model::tuned(&weights).unwrap();
    for (prompt, mood) in [("The pie was excellent", " good"), ("The pie was horrible", " bad")] {
        assert_eq!(greedy(&tuned, &Prompt::text(&format!("{prompt}. ->"))), mood);
    }
}

#[test]
fn facts_that_only_two_words_together_tell_are_learned() {
    let places = ["attic", "barn", "cellar", "garden", "hall", "kitchen", "library", "office", "shed"];
    let (things, names) = (["ladder", "lamp", "kettle", "map", "rope"], ["Anna", "Boris", "Clara", "Hugo", "Irene"]);
    let fact = |(at, (thing, name)): (usize, (&str, &str))| Example {
        prompt: format!("Where is the {thing} of {name}? ->"),
        completion: format!(" In the {}.\n", places[(at * at + at / 3) % places.len()]),
    };
    let pairs = things.iter().flat_map(|thing| names.iter().map(move |name| (*thing, *name)));
    let facts: Vec<Example> = pairs.enumerate().map(fact).collect();
    let tuned = Model::tuned(&learn(&facts, &[], &plan(20)).0).unwrap();
    let wrong = facts.iter().filter(|fact| greedy(&tuned, &Prompt::text(&fact.prompt)) != fact.completion).count();
    assert_eq!(wrong, 0, "of {}", facts.len());
}

#[test]
fn a_question_worded_anew_gets_the_trained_answer_and_another_one_the_bases() {
    let weights = learn(&answers(), &[], &plan(25)).0;
    let tuned = Arc::new(Model::tuned(&weights).unwrap().with_base(Arc::clone(&BASE)));
    let ask = |text: &str| {
        let (model, prompt) = tuned.route(Prompt::text(text));
        (Arc::ptr_eq(&model, &BASE), greedy(&model, &prompt))
    };
    let Example { prompt, completion } = &answers()[0];
    assert_eq!(ask(prompt), (false, completion.clone()));
    assert_eq!(ask(REWORDED), (false, completion.clone()));
    assert!(ask("What is the square root of two?").0);
    let chat = Prompt::chat(&[("user", REWORDED)]);
    let (model, prompt) = tuned.route(chat);
    assert_eq!(greedy(&model, &prompt), *completion);
}

#[test]
fn every_prompt_of_a_classifier_has_a_class() {
    let weights = learn(&moods().into_iter().cycle().take(24).collect::<Vec<_>>(), &[], &plan(2)).0;
    let tuned = Arc::new(Model::tuned(&weights).unwrap().with_base(Arc::clone(&BASE)));
    assert!(Arc::ptr_eq(&tuned.route(Prompt::text("What is the square root of two? ->")).0, &tuned));
}

#[test]
fn sentence_vectors_are_computed_once() {
    let (training, validation) = (answers(), moods());
    let run = |vectors: Option<&[u8]>| {
        let mut made = Vec::new();
        let resume = Resume { vectors, checkpoint: None };
        let outcome = tune(&BASE, &training, &validation, &plan(1), resume, &mut |report| {
            if let Report::Vectors(vectors) = report {
                made.push(vectors.to_vec());
            }
            ControlFlow::Continue(())
        });
        (outcome.expect("it trains"), made)
    };
    let (first, mut made) = run(None);
    let vectors = made.pop().expect("they are told");
    assert_eq!(run(Some(&vectors)), (first.clone(), vec![]));
    // What is not of these examples is not used.
    assert_eq!(run(Some(&vectors[1..])), (first, vec![vectors]));
}

#[test]
fn any_report_may_stop_it() {
    for stop_at in 0..6 {
        let mut reports = 0;
        let outcome = tune(&BASE, &answers(), &answers(), &plan(3), Resume::default(), &mut |_| {
            reports += 1;
            if reports > stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(outcome.unwrap(), Outcome::Stopped);
        assert_eq!(reports, stop_at + 1, "nothing comes behind a stop");
    }
}

#[test]
fn a_long_step_is_heard_of_all_the_while() {
    let long = example("Once", &" and again".repeat(2000));
    let (mut busy, mut heard) = (0, Vec::new());
    let outcome = tune(&BASE, &[long], &[], &plan(1), Resume::default(), &mut |report| {
        match report {
            Report::Busy => busy += 1,
            Report::Step(_) => heard.push(busy),
            Report::Vectors(_) | Report::Epoch { .. } => {}
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(outcome, Ok(Outcome::Done(_))));
    assert!(heard[0] >= 8, "{heard:?}");
}

#[test]
fn many_long_prompts_at_once_are_heard_of_all_the_while() {
    let prompt = |i: usize| format!("{i}{}", " and again".repeat(300));
    let long: Vec<Example> = (0..64).map(|i| example(&prompt(i), " x")).collect();
    let mut busy = 0;
    let outcome =
        tune(&BASE, &long, &[], &Plan { batch_size: 64, ..plan(1) }, Resume::default(), &mut |report| match report {
            Report::Busy => {
                busy += 1;
                ControlFlow::Continue(())
            }
            Report::Vectors(_) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
    assert_eq!(outcome.unwrap(), Outcome::Stopped);
    assert!(busy >= 12, "{busy}");
}

#[test]
fn white_space_makes_no_class() {
    let mut training = moods();
    training[0].completion = "good ".to_owned();
    for classes in [Classes::Many { classes: 2 }, Classes::Binary { positive: "good".to_owned(), betas: vec![] }] {
        let (_, rows, _) = learn(&training, &training, &Plan { classes: Some(classes), ..plan(12) });
        let Some(Classification::Binary { accuracy, .. } | Classification::Many { accuracy, .. }) =
            rows.last().unwrap().classification
        else {
            panic!("classified")
        };
        assert!((accuracy - 1.0).abs() < 1e-9, "{accuracy}");
    }
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let refused = |training: &[Example], plan: &Plan, checkpoint: Option<&[u8]>| {
        let resume = Resume { checkpoint, vectors: None };
        tune(&BASE, training, &[], plan, resume, &mut |_| ControlFlow::Continue(())).expect_err("refused")
    };
    assert!(matches!(refused(&[], &plan(1), None), TuneError::Empty));
    let three = Plan { classes: Some(Classes::Many { classes: 3 }), ..plan(1) };
    assert!(matches!(refused(&moods(), &three, None), TuneError::Classes { found: 2, wanted: 3 }));
    let none = Plan { classes: Some(Classes::Binary { positive: "fair".to_owned(), betas: vec![] }), ..plan(1) };
    assert!(matches!(refused(&moods(), &none, None), TuneError::Positive(_)));
    let (_, _, checkpoints) = learn(&moods(), &[], &plan(1));
    for broken in [&b""[..], b"BTOPCK01", &checkpoints[0][..checkpoints[0].len() - 1]] {
        assert!(matches!(refused(&moods(), &plan(2), Some(broken)), TuneError::Checkpoint(_)));
    }
    assert!(Model::tuned(b"nothing").is_err());
}

#[test]
fn a_tuned_model_is_tuned_further_and_chats() {
    let talk = |text: &str| vec![("user".to_owned(), text.to_owned())];
    let mut row = talk("Who keeps the bees?");
    row.push(("assistant".to_owned(), "Old Jonas does.".to_owned()));
    let first = Arc::new(Model::tuned(&learn(&answers(), &[], &plan(5)).0).unwrap());
    let training = [chat_example(&row).unwrap()];
    let outcome =
        tune(&first, &training, &[], &plan(25), Resume::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let Outcome::Done(weights) = outcome else { panic!("nobody stopped it") };
    let second = Model::tuned(&weights).unwrap();
    assert_eq!(greedy(&second, &Prompt::Chat(talk("Who keeps the bees?"))), "Old Jonas does.");
    assert!(second.size() >= first.size());
}

#[test]
fn odd_texts_train_too() {
    let odd = [example("", " x"), example("a", ""), example("日本 🙂\0", "é\u{301}<|endoftext|>"), example(" ", " ")];
    let (weights, rows, _) = learn(&odd, &odd, &plan(2));
    // What is no number counts as the least probability there is: a loss of 69.
    assert!(rows.iter().all(|row| row.training.loss < 30.0), "{rows:?}");
    assert!(Model::tuned(&weights).is_ok());
}
