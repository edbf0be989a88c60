//! A field of a form: its kind, its value, and what may become its value.

/// The type of a field's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number within bounds, with the step of `h` and `l`.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
        /// One step.
        step: f64,
        /// Whether only whole numbers are accepted.
        whole: bool,
    },
    /// Yes or no.
    Toggle,
    /// Any text; the owner checks it.
    Text,
    /// A text of any number of lines: Enter asks the owner to open an editor, `i` types it here.
    Long,
    /// A value chosen elsewhere: Enter asks the owner to open a picker, `0` resets it.
    Choice,
    /// Only shown.
    Shown,
}

/// One field. An empty value is "not set": the default applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its key for the owner: the request's own name.
    pub name: &'static str,
    /// The text shown.
    pub label: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The value as text, as it is typed; made safe where it is drawn. Empty: not set.
    pub value: String,
    /// The effective value if none is set, as shown.
    pub default: &'static str,
    /// What it means, one line.
    pub help: &'static str,
    /// Whether it may be omitted from a request: while it is not set nothing is sent, and `default` is the usual
    /// default of servers. Fields that are set are marked as sent.
    pub optional: bool,
}

impl Field {
    /// Checks whether a text may be this field's value; the error names the field and its bounds.
    pub fn check(&self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        match self.kind {
            Kind::Number { min, max, whole, .. } => {
                let number: f64 =
                    text.parse().map_err(|_| format!("{} must be a number from {min} to {max}", self.label))?;
                if whole && number.fract() != 0.0 {
                    return Err(format!("{} must be a whole number from {min} to {max}", self.label));
                }
                if !(min..=max).contains(&number) {
                    return Err(format!("{} must be between {min} and {max}, not {text}", self.label));
                }
                Ok(())
            }
            Kind::Toggle if !matches!(text, "true" | "false") => Err(format!("{} must be true or false", self.label)),
            Kind::Toggle | Kind::Text | Kind::Long | Kind::Choice | Kind::Shown => Ok(()),
        }
    }

    /// Returns the value after `way` steps; `None`: the kind has no steps.
    pub(super) fn stepped(&self, way: f64) -> Option<String> {
        match self.kind {
            Kind::Number { min, max, step, whole } => {
                let now: f64 =
                    [self.value.as_str(), self.default].iter().find_map(|text| text.parse().ok()).unwrap_or(min);
                let next = ((now + way * step) / step).round() * step;
                let next = next.clamp(min, max);
                Some(if whole { format!("{next:.0}") } else { trim(next) })
            }
            Kind::Toggle => {
                let now = if self.value.is_empty() { self.default } else { &self.value };
                Some((now != "true").to_string())
            }
            Kind::Text | Kind::Long | Kind::Choice | Kind::Shown => None,
        }
    }
}

/// Formats a number with at most two decimals, without zeros at the end.
fn trim(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
