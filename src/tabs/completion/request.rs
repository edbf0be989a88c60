//! Builds a request from the text around the caret and the settings: texts are sent byte for byte, and only what is set
//! is sent.

use super::params::fields::is_streamed;
use crate::api::chat::Stop;
use crate::api::completion::{CompletionRequest, Prompt};
use crate::record::CompletionParams;
use crate::text::Untrusted;

/// Returns the request that continues after `prompt`, and where `suffix` is not empty up to it. It streams unless that
/// was switched off, or the best of several is asked for, which only comes whole.
pub(super) fn request(
    prompt: impl Into<String>,
    suffix: impl Into<String>,
    params: &CompletionParams,
    model: &Untrusted,
) -> CompletionRequest {
    let (suffix, common) = (suffix.into(), &params.common);
    CompletionRequest {
        model: model.raw().to_owned(),
        prompt: Some(Prompt::Text(prompt.into())),
        suffix: (!suffix.is_empty()).then_some(suffix),
        max_tokens: common.max_tokens,
        temperature: common.temperature,
        top_p: common.top_p,
        n: common.n,
        stream: Some(is_streamed(params)),
        stream_options: None,
        logprobs: params.logprobs,
        echo: params.echo,
        stop: match common.stop.as_slice() {
            [] => None,
            [one] => Some(Stop::One(one.clone())),
            many => Some(Stop::Many(many.to_vec())),
        },
        presence_penalty: common.presence_penalty,
        frequency_penalty: common.frequency_penalty,
        best_of: params.best_of,
        logit_bias: (!common.logit_bias.is_empty()).then(|| common.logit_bias.clone()),
        user: common.user.clone(),
        seed: common.seed,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::record::ChatParams;

    fn body(suffix: &str, params: &CompletionParams) -> Value {
        serde_json::to_value(request("a\u{202e}\r\n", suffix, params, &"ada".into())).unwrap()
    }

    #[test]
    fn only_what_is_set_is_sent_and_texts_as_they_are() {
        let plain = json!({"model": "ada", "prompt": "a\u{202e}\r\n", "stream": true});
        assert_eq!(body("", &CompletionParams::default()), plain);
        let common = ChatParams {
            temperature: Some(0.0),
            top_p: Some(0.5),
            n: Some(2),
            stream: Some(true),
            stop: vec!["\n\n".into(), " ".into()],
            max_tokens: Some(0),
            presence_penalty: Some(-2.0),
            frequency_penalty: Some(2.0),
            logit_bias: [("50256".to_owned(), -100.0)].into(),
            user: Some("u".into()),
            seed: Some(-7),
            logprobs: None,
            ..ChatParams::default()
        };
        let all = CompletionParams { common, logprobs: Some(0), echo: Some(false), best_of: Some(3) };
        let expected = json!({
            "model": "ada", "prompt": "a\u{202e}\r\n", "suffix": " b", "max_tokens": 0, "temperature": 0.0,
            "top_p": 0.5, "n": 2, "stream": false, "logprobs": 0, "echo": false, "stop": ["\n\n", " "],
            "presence_penalty": -2.0, "frequency_penalty": 2.0, "best_of": 3, "logit_bias": {"50256": -100.0},
            "user": "u", "seed": -7
        });
        assert_eq!(body(" b", &all), expected, "the best of several comes whole");
        let mut few = CompletionParams { best_of: Some(1), ..CompletionParams::default() };
        few.common.stop = vec!["END".into()];
        assert_eq!((body("", &few)["stop"].clone(), body("", &few)["stream"].clone()), (json!("END"), json!(true)));
        few.common.stream = Some(false);
        assert_eq!(body("", &few)["stream"], json!(false));
    }
}
