//! From the text around the caret and the settings to a request: texts go out byte for byte, and only what is set is sent.

use crate::api::chat::Stop;
use crate::api::completion::{CompletionRequest, Prompt};
use crate::record::CompletionParams;
use crate::text::Untrusted;

/// The request that goes on after `prompt`, and where `suffix` is not empty up to it. It streams unless that was switched
/// off, or the best of several is asked for, which only comes whole.
pub(super) fn request(
    prompt: impl Into<String>,
    suffix: impl Into<String>,
    params: &CompletionParams,
    model: &Untrusted,
) -> CompletionRequest {
    let (suffix, common) = (suffix.into(), &params.common);
    let whole = params.best_of.is_some_and(|best| best > 1);
    CompletionRequest {
        model: model.raw().to_owned(),
        prompt: Some(Prompt::Text(prompt.into())),
        suffix: (!suffix.is_empty()).then_some(suffix),
        max_tokens: common.max_tokens,
        temperature: common.temperature,
        top_p: common.top_p,
        n: common.n,
        stream: Some(common.stream.unwrap_or(true) && !whole),
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
