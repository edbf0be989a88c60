//! Logs of events: JSON, JSON Lines, streams that were saved, lines of text.

use serde_json::Value;

/// The figures that a message tells, with its step: `Step 120/900: training loss=0.66, validation loss=0.89`. Empty: none.
pub(super) fn message(text: &str) -> Vec<(String, f64)> {
    let Some(at) = find_step(text) else { return Vec::new() };
    let rest = &text[at..];
    let (step, rest) = take_number(rest.trim_start());
    let Some(step) = step else { return Vec::new() };
    let mut figures = vec![("step".to_owned(), step)];
    let mut rest = rest.trim_start();
    for before in ["/", "of "] {
        if let Some(after) = rest.strip_prefix(before) {
            let (total, after) = take_number(after.trim_start());
            figures.extend(total.map(|total| ("total_steps".to_owned(), total)));
            rest = after.trim_start();
            break;
        }
    }
    let Some(rest) = rest.strip_prefix([':', ',', '-', '–']) else { return Vec::new() };
    for part in rest.split([';', '|']).flat_map(|part| part.split(", ")) {
        figures.extend(figure(part.trim()));
    }
    if figures.iter().all(|(name, _)| name == "step" || name == "total_steps") {
        return Vec::new();
    }
    figures
}

/// Behind the word `step`, where the text has it in front of a number.
fn find_step(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let behind = |at: usize| {
        let rest = lower[at + 4..].trim_start_matches([' ', ':', '=', '#']);
        let first = lower[..at].chars().next_back().is_none_or(|char| !char.is_alphanumeric());
        (first && rest.starts_with(|char: char| char.is_ascii_digit())).then(|| lower.len() - rest.len())
    };
    lower.match_indices("step").find_map(|(at, _)| behind(at))
}

/// A name and its number: `training loss=0.66`, `validation loss 0.89`, `loss: 1.2`.
fn figure(part: &str) -> Option<(String, f64)> {
    let cut = part.rfind(['=', ':', ' '])?;
    let value = number(part[cut + 1..].trim())?;
    let name = part[..cut].trim_end_matches(['=', ':', ' ']).trim();
    if name.is_empty() || name.len() > 60 {
        return None;
    }
    Some((name.to_ascii_lowercase().replace(' ', "_"), value))
}

/// A number at the start of a text, commas between its thousands allowed, and what follows.
fn take_number(text: &str) -> (Option<f64>, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != ',' && char != '.').unwrap_or(text.len());
    let digits = text[..end].trim_end_matches([',', '.']);
    (number(digits), &text[digits.len()..])
}

/// A number as people write it.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.');
    text.replace(',', "").parse().ok()
}

/// The figures of an event: of its `data` or `metrics`, of itself, or of what its message says. Empty: none.
pub(super) fn event(event: &Value) -> Vec<(String, f64)> {
    let numbers = |value: Option<&Value>| -> Vec<(String, f64)> {
        let fields = value.and_then(Value::as_object).into_iter().flatten();
        fields.filter_map(|(name, value)| Some((name.clone(), float(value)?))).collect()
    };
    let is_step = |figures: &Vec<(String, f64)>| figures.iter().any(|(name, _)| name == "step") && figures.len() > 1;
    let places = [numbers(event.get("data")), numbers(event.get("metrics")), numbers(Some(event))];
    if let Some(figures) = places.into_iter().find(is_step) {
        return figures;
    }
    event.get("message").and_then(Value::as_str).map(message).unwrap_or_default()
}

/// A number, or a word that some servers write for what is none.
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(word)
            if ["nan", "inf", "-inf", "infinity", "-infinity"].contains(&word.to_lowercase().as_str()) =>
        {
            word.to_lowercase().parse().ok()
        }
        _ => None,
    }
}
