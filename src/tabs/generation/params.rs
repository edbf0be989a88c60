//! Request fields as text, as they are typed and shown: shared by the tabs that generate.

use std::collections::BTreeMap;

use crate::record::ChatParams;
use crate::record::parameter_bounds::{Bounds, EFFORTS, STOPS};
use crate::ui::form::Kind;

/// Returns the kind of a row that takes a number; `step`: of the keys that change it.
pub const fn number(Bounds { min, max, whole }: Bounds, step: f64) -> Kind {
    Kind::Number { min, max, step, whole }
}

/// Takes new defaults unless something else was set. Returns whether the parameters changed.
pub fn take_defaults<P: Clone + PartialEq>(params: &mut P, defaults: &mut P, new: P) -> bool {
    let changed = params == defaults && *defaults != new;
    if changed {
        params.clone_from(&new);
    }
    if *params == new {
        *defaults = new;
    }
    changed
}

/// Returns a field's value as it is typed; empty: not set. A name it does not know is never set.
pub fn text(params: &ChatParams, name: &str) -> String {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    match name {
        "temperature" => number(params.temperature),
        "top_p" => number(params.top_p),
        "presence_penalty" => number(params.presence_penalty),
        "frequency_penalty" => number(params.frequency_penalty),
        "max_tokens" => params.max_tokens.map(|n| n.to_string()).unwrap_or_default(),
        "n" => params.n.map(|n| n.to_string()).unwrap_or_default(),
        "top_logprobs" => params.logprobs.map(|n| n.to_string()).unwrap_or_default(),
        "stream" => params.stream.map(|flag| flag.to_string()).unwrap_or_default(),
        "user" => params.user.clone().unwrap_or_default(),
        "seed" => params.seed.map(|seed| seed.to_string()).unwrap_or_default(),
        "max_completion_tokens" => params.max_completion_tokens.map(|n| n.to_string()).unwrap_or_default(),
        "reasoning_effort" => params.reasoning_effort.clone().unwrap_or_default(),
        "top_k" => params.top_k.map(|n| n.to_string()).unwrap_or_default(),
        "min_p" => number(params.min_p),
        "response_format" => params.response_format.clone().unwrap_or_default(),
        "extra" => params.extra.clone().unwrap_or_default(),
        "tools" => params.tools.clone().unwrap_or_default(),
        "tool_choice" => params.tool_choice.clone().unwrap_or_default(),
        "stop" => params.stop.iter().map(|stop| escape(stop)).collect::<Vec<_>>().join(" | "),
        "logit_bias" => {
            params.logit_bias.iter().map(|(token, bias)| format!("{token}={bias}")).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Sets one field from its text; empty sets it back. A field that is JSON keeps what was typed, also where that is wrong:
/// [`super::json_fields::problems`] checks it.
///
/// # Errors
/// What the field takes: words that follow its label.
pub fn set(params: &mut ChatParams, name: &str, text: &str) -> Result<(), String> {
    let text = text.trim();
    let typed = || (!text.is_empty()).then(|| text.to_owned());
    let number = || -> Result<Option<f64>, String> {
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| "must be a number".to_owned()) }
    };
    match name {
        "temperature" => params.temperature = number()?,
        "top_p" => params.top_p = number()?,
        "presence_penalty" => params.presence_penalty = number()?,
        "frequency_penalty" => params.frequency_penalty = number()?,
        "max_tokens" => params.max_tokens = number()?.map(|number| number as u64),
        "n" => params.n = number()?.map(|number| number as u32),
        "top_logprobs" => params.logprobs = number()?.map(|number| number as u32),
        "stream" => params.stream = text.parse().ok(),
        "user" => params.user = typed(),
        "seed" => {
            let seed = || text.parse().map(Some).map_err(|_| format!("must be a whole number; {text} is not"));
            params.seed = if text.is_empty() { None } else { seed()? };
        }
        "max_completion_tokens" => params.max_completion_tokens = number()?.map(|number| number as u64),
        "top_k" => params.top_k = number()?.map(|number| number as u32),
        "min_p" => params.min_p = number()?,
        "reasoning_effort" => {
            if !text.is_empty() && !EFFORTS.contains(&text) {
                return Err(format!("must be one of {}; {text} is not", EFFORTS.join(", ")));
            }
            params.reasoning_effort = typed();
        }
        "response_format" => params.response_format = typed(),
        "extra" => params.extra = typed(),
        "tools" => params.tools = typed(),
        "tool_choice" => params.tool_choice = typed(),
        "stop" => {
            let stops = stops(text);
            if stops.len() > STOPS {
                return Err(format!("takes at most {STOPS} texts; these are {}", stops.len()));
            }
            params.stop = stops;
        }
        "logit_bias" => {
            params.logit_bias = biases(text)?;
        }
        _ => {}
    }
    Ok(())
}

/// Returns biases by token id: `token=bias, …` (`:` does as well), or as the interface has them, `{"token": bias, …}`.
/// JSON without the strings' quotes is the first form in braces.
fn biases(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    inside.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(bias).collect()
}

fn bias(pair: &str) -> Result<(String, f64), String> {
    let wrong = || format!("must be 50256=-100, … or {{\"50256\": -100}}, each −100 to 100; {pair} is not");
    let (token, bias) = pair.split_once(['=', ':']).ok_or_else(wrong)?;
    let token = token.trim();
    let token = token.strip_prefix('"').and_then(|token| token.strip_suffix('"')).unwrap_or(token);
    let (token, bias) =
        (token.trim().parse::<u32>().map_err(|_| wrong())?, bias.trim().parse::<f64>().map_err(|_| wrong())?);
    if (-100.0..=100.0).contains(&bias) { Ok((token.to_string(), bias)) } else { Err(wrong()) }
}

/// Returns a stop text on one line: what has a meaning there is escaped.
pub fn escape(stop: &str) -> String {
    let mut out = String::new();
    for char in stop.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            '|' => out.push_str("\\|"),
            ' ' => out.push_str("\\s"),
            other => out.push(other),
        }
    }
    out
}

/// Returns the stop texts of a line: separated by bars; spaces around them mean nothing, `\s` is one that does.
pub fn stops(text: &str) -> Vec<String> {
    let (mut all, mut now, mut pending) = (Vec::new(), String::new(), String::new());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        let meant = match char {
            '|' => {
                all.push(std::mem::take(&mut now));
                pending.clear();
                continue;
            }
            ' ' => {
                // Kept only between other characters.
                if !now.is_empty() {
                    pending.push(' ');
                }
                continue;
            }
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('s') => ' ',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        };
        now.push_str(&std::mem::take(&mut pending));
        now.push(meant);
    }
    all.push(now);
    all.retain(|stop| !stop.is_empty());
    all
}

/// Returns what is set, in a few words, for the title of the message box; empty: nothing.
pub fn summary(params: &ChatParams) -> String {
    let mut parts = Vec::new();
    if let Some(value) = params.temperature {
        parts.push(format!("temp {value}"));
    }
    if let Some(value) = params.top_p {
        parts.push(format!("top_p {value}"));
    }
    if let Some(value) = params.n {
        parts.push(format!("n {value}"));
    }
    if let Some(value) = params.max_completion_tokens.or(params.max_tokens) {
        parts.push(format!("max {value}"));
    }
    if let Some(value) = &params.reasoning_effort {
        parts.push(format!("effort {value}"));
    }
    if params.response_format.is_some() {
        parts.push("answer format".to_owned());
    }
    parts.join(" · ")
}
