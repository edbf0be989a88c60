//! The parameter panel: every request field with its bounds.

use std::collections::BTreeMap;

use crate::record::ChatParams;
use crate::ui::form::{Field, Form, Kind};

/// The panel for these parameters.
pub(super) fn form(params: &ChatParams) -> Form {
    let number = |min, max, step, whole| Kind::Number { min, max, step, whole };
    let shown = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let bias: Vec<String> = params.logit_bias.iter().map(|(token, bias)| format!("{token}={bias}")).collect();
    let stop: Vec<String> = params.stop.iter().map(|stop| escape(stop)).collect();
    let field = |name, label, kind, value, default, help| Field { name, label, kind, value, default, help };
    Form::new(vec![
        field(
            "temperature",
            "Temperature",
            number(0.0, 2.0, 0.1, false),
            shown(params.temperature),
            "1",
            "0 to 2; higher is more random. Change this or top_p, not both.",
        ),
        field(
            "top_p",
            "Top p",
            number(0.0, 1.0, 0.05, false),
            shown(params.top_p),
            "1",
            "0 to 1; only the likeliest tokens that make up this share are drawn from.",
        ),
        field(
            "max_tokens",
            "Max tokens",
            number(1.0, 1e9, 64.0, true),
            params.max_tokens.map(|n| n.to_string()).unwrap_or_default(),
            "what fits",
            "1 or more; the answer ends there with finish_reason length.",
        ),
        field(
            "n",
            "Choices n",
            number(1.0, 128.0, 1.0, true),
            params.n.map(|n| n.to_string()).unwrap_or_default(),
            "1",
            "1 to 128 answers at once; < > switches between them. Each costs its own tokens.",
        ),
        field(
            "stop",
            "Stop",
            Kind::Text,
            stop.join(" | "),
            "none",
            "Up to 4 texts, parted by |, at which the answer ends; \\n is a line break, \\s a space.",
        ),
        field(
            "presence_penalty",
            "Presence pen.",
            number(-2.0, 2.0, 0.1, false),
            shown(params.presence_penalty),
            "0",
            "−2 to 2; above 0 makes new subjects likelier.",
        ),
        field(
            "frequency_penalty",
            "Frequency pen.",
            number(-2.0, 2.0, 0.1, false),
            shown(params.frequency_penalty),
            "0",
            "−2 to 2; above 0 makes repeating word for word less likely.",
        ),
        field(
            "logit_bias",
            "Logit bias",
            Kind::Text,
            bias.join(", "),
            "none",
            "50256=-100, … or {\"50256\": -100}; a token's id with −100 (never) to 100 (always).",
        ),
        field(
            "seed",
            "Seed",
            Kind::Text,
            params.seed.map(|seed| seed.to_string()).unwrap_or_default(),
            "none",
            "A whole number; the same seed and request give the same answer where the server can.",
        ),
        field(
            "user",
            "User",
            Kind::Text,
            params.user.clone().unwrap_or_default(),
            "none",
            "An opaque name of the end user, for the server's abuse monitoring.",
        ),
        field(
            "stream",
            "Stream",
            Kind::Toggle,
            params.stream.map(|flag| flag.to_string()).unwrap_or_default(),
            "true",
            "Whether the answer comes as it is written.",
        ),
    ])
}

/// Sets one field from its text; empty sets it back. The error names the field and what it takes.
pub(super) fn set(params: &mut ChatParams, name: &str, text: &str) -> Result<(), String> {
    let text = text.trim();
    let number = |what: &str| -> Result<Option<f64>, String> {
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| format!("{what} is a number")) }
    };
    match name {
        "temperature" => params.temperature = number(name)?,
        "top_p" => params.top_p = number(name)?,
        "presence_penalty" => params.presence_penalty = number(name)?,
        "frequency_penalty" => params.frequency_penalty = number(name)?,
        "max_tokens" => params.max_tokens = number(name)?.map(|number| number as u64),
        "n" => params.n = number(name)?.map(|number| number as u32),
        "stream" => params.stream = text.parse().ok(),
        "user" => params.user = (!text.is_empty()).then(|| text.to_owned()),
        "seed" => {
            let seed = || text.parse().map(Some).map_err(|_| format!("seed is a whole number; {text} is not"));
            params.seed = if text.is_empty() { None } else { seed()? };
        }
        "stop" => {
            let stops = stops(text);
            if stops.len() > 4 {
                return Err(format!("stop takes at most 4 texts; these are {}", stops.len()));
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

/// Biases by token id: `token=bias, …` (`:` does as well), or as the interface has them, `{"token": bias, …}`. JSON
/// without the strings' quotes is the first form in braces.
fn biases(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    inside.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(bias).collect()
}

fn bias(pair: &str) -> Result<(String, f64), String> {
    let wrong = || format!("logit_bias is 50256=-100, … or {{\"50256\": -100}}, each −100 to 100; {pair} is not");
    let (token, bias) = pair.split_once(['=', ':']).ok_or_else(wrong)?;
    let token = token.trim();
    let token = token.strip_prefix('"').and_then(|token| token.strip_suffix('"')).unwrap_or(token);
    let (token, bias) =
        (token.trim().parse::<u32>().map_err(|_| wrong())?, bias.trim().parse::<f64>().map_err(|_| wrong())?);
    if (-100.0..=100.0).contains(&bias) { Ok((token.to_string(), bias)) } else { Err(wrong()) }
}

/// A stop text on one line: what has a meaning there is escaped.
fn escape(stop: &str) -> String {
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

/// The stop texts of a line: parted by bars; spaces around them mean nothing, `\s` is one that does.
fn stops(text: &str) -> Vec<String> {
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

/// What is set, in a few words, for the title of the message box; empty: nothing.
pub(super) fn summary(params: &ChatParams) -> String {
    let mut parts = Vec::new();
    if let Some(value) = params.temperature {
        parts.push(format!("temp {value}"));
    }
    if let Some(value) = params.top_p {
        parts.push(format!("top_p {value}"));
    }
    if let Some(value) = params.n.filter(|n| *n > 1) {
        parts.push(format!("n {value}"));
    }
    if let Some(value) = params.max_tokens {
        parts.push(format!("max {value}"));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_take_what_the_interface_takes_and_say_what_is_wrong() {
        let mut params = ChatParams::default();
        set(&mut params, "stop", "END | \\n\\n").unwrap();
        assert_eq!(params.stop, ["END", "\n\n"]);
        for stop in ["\"", "a b", " x", "a|b", "\\n", "C:\\new", "\n\t"] {
            params.stop = vec![stop.to_owned(), "END".to_owned()];
            let shown = form(&params).fields.iter().find(|field| field.name == "stop").unwrap().value.clone();
            set(&mut params, "stop", &shown).unwrap();
            assert_eq!(params.stop, [stop, "END"], "{shown}");
        }
        assert!(set(&mut params, "stop", "a|b|c|d|e").unwrap_err().contains("at most 4"));
        set(&mut params, "logit_bias", "50256=-100, 12: 5").unwrap();
        let typed = params.logit_bias.clone();
        assert_eq!(typed.len(), 2);
        for json in ["{\"50256\": -100, \"12\": 5}", "{\"12\":5,\"50256\":-100.0}", "{ \"50256\" : -1e2, 12: 5, }"] {
            params.logit_bias.clear();
            set(&mut params, "logit_bias", json).unwrap();
            assert_eq!(params.logit_bias, typed, "{json}");
        }
        for wrong in ["12=101", "{\"a\": 1}", "{\"12\": }", "12", "[12]"] {
            let why = set(&mut params, "logit_bias", wrong).unwrap_err();
            assert!(why.contains("50256=-100, … or {\"50256\": -100}, each −100 to 100"), "{why}");
        }
        assert!(set(&mut params, "seed", "x").unwrap_err().contains("whole number"));
        set(&mut params, "temperature", "").unwrap();
        assert_eq!(params.temperature, None);
    }
}
