//! Every parameter of a chat request acts.

use serde_json::{Value, json};

use crate::desk::post_chat;

/// Returns the text and the finish reason of the first choice, and its tokens.
async fn answer(more: Value) -> (String, String, u64) {
    let (status, _, body) = post_chat(more).await;
    assert_eq!(status, 200, "{body}");
    let choice = &body["choices"][0];
    let text = choice["message"]["content"].as_str().unwrap().to_owned();
    let finish = choice["finish_reason"].as_str().unwrap().to_owned();
    (text, finish, body["usage"]["completion_tokens"].as_u64().unwrap())
}

/// Returns the texts of all choices.
async fn choices(more: Value) -> Vec<String> {
    let (_, _, body) = post_chat(more).await;
    let choices = body["choices"].as_array().unwrap().iter();
    choices.map(|choice| choice["message"]["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn temperature_top_p_and_seed_act() {
    let greedy = answer(json!({"temperature": 0})).await.0;
    assert_eq!(answer(json!({"temperature": 0})).await.0, greedy);
    assert_eq!(answer(json!({"temperature": 2, "top_p": 0})).await.0, greedy, "the smallest nucleus is the best token");
    let warm = |seed: u64| answer(json!({"temperature": 2, "seed": seed}));
    assert_eq!(warm(1).await.0, warm(1).await.0);
    let mut different = Vec::new();
    for seed in 0..6 {
        different.push(warm(seed).await.0);
    }
    different.sort();
    different.dedup();
    assert!(different.len() > 1, "{different:?}");
}

#[tokio::test]
async fn several_choices_differ_and_repeat_with_a_seed() {
    let five = choices(json!({"n": 5, "temperature": 2, "seed": 3})).await;
    assert_eq!(five.len(), 5);
    assert!(five.iter().any(|text| *text != five[0]), "{five:?}");
    assert_eq!(choices(json!({"n": 5, "temperature": 2, "seed": 3})).await, five);
}

#[tokio::test]
async fn an_answer_in_the_form_of_a_json_object_is_one_for_each_choice() {
    let format = json!({"type": "json_object"});
    let short = json!({"max_tokens": null, "max_completion_tokens": 3, "response_format": format});
    for more in [json!({"n": 2, "response_format": format}), short] {
        for choice in choices(more).await {
            let object: Value = serde_json::from_str(&choice).unwrap_or_else(|why| panic!("{why}: {choice}"));
            assert!(object.as_object().is_some_and(|object| !object.is_empty()), "{choice}");
        }
    }
}

#[tokio::test]
async fn max_tokens_and_stop_end_an_answer() {
    let (long, _, tokens) = answer(json!({"temperature": 0, "max_tokens": 9})).await;
    assert!(tokens <= 9);
    let (short, finish, tokens) = answer(json!({"temperature": 0, "max_tokens": 3})).await;
    assert_eq!((finish.as_str(), tokens), ("length", 3));
    assert!(long.starts_with(short.trim_end()) && long.len() > short.len(), "{short:?} begins {long:?}");
    let newer = answer(json!({"temperature": 0, "max_tokens": null, "max_completion_tokens": 3})).await;
    assert_eq!(newer, (short, finish, tokens));
    // Three letters from within a word: the cut is by text, not by token.
    let at = long.char_indices().map(|(at, _)| at).nth(5).unwrap();
    let stop: String = long[at..].chars().take(3).collect();
    let (cut, finish, _) = answer(json!({"temperature": 0, "max_tokens": 9, "stop": ["\u{1}", stop]})).await;
    assert_eq!((cut.as_str(), finish.as_str()), (&long[..long.find(&stop).unwrap()], "stop"));
    let (cut, ..) = answer(json!({"temperature": 0, "max_tokens": 9, "stop": stop})).await;
    assert_eq!(cut, long[..long.find(&stop).unwrap()]);
}

#[tokio::test]
async fn penalties_act() {
    // Enough tokens for something to come twice, drawn alike but for the penalty, and warm: an answer read from the
    // manual is so sure of itself that a small penalty changes nothing.
    let with = |field: &str, value: f64| answer(json!({"seed": 7, "temperature": 2, "max_tokens": 60, field: value}));
    let plain = with("presence_penalty", 0.0).await;
    for field in ["presence_penalty", "frequency_penalty"] {
        assert!(with(field, 2.0).await != plain || with(field, -2.0).await != plain, "{field}");
    }
}

#[tokio::test]
async fn a_biased_token_is_all_there_is_or_never_comes() {
    let only = answer(json!({"temperature": 0, "max_tokens": 4, "logit_bias": {"3": 100}})).await;
    assert_eq!(only.2, 4);
    let token = only.0.chars().take(only.0.chars().count() / 4).collect::<String>();
    assert_eq!(only.0, token.repeat(4), "a bias of 100 leaves nothing else");
    let greedy = answer(json!({"temperature": 0, "max_tokens": 4})).await;
    assert_ne!(greedy, only);
}
