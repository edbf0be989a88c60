//! Reads the prices that the user has set: those of a profile in `config.toml`, those of servers in `prices.toml`
//! beside it.

use std::path::Path;

use jiff::civil::Date;
use toml_edit::{Item, TableLike};

use super::file_faults::FileFaults;
use super::read;
use super::toml_values::Span;

/// The highest price of a million tokens, in dollars.
const MAX_PRICE: f64 = 1e6;

/// What tokens of some models cost, in nano-dollars for a million tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceRow {
    /// The models' ids; `*` stands for any characters.
    pub model: String,
    /// Scheme, host and port of the server, as [`url_origin`] writes them; empty: the profile's own server.
    pub origin: String,
    /// Tokens of the prompt.
    pub input: i64,
    /// Tokens of the answer; `None`: not given, as for models that only read.
    pub output: Option<i64>,
    /// Tokens of the prompt that the server had in its cache; `None`: the same as others.
    pub cached: Option<i64>,
    /// The first day it holds; `None`: always.
    pub since: Option<Date>,
}

/// Returns scheme, host and port of a URL in normalized form; `None`: it is no `http` or `https` URL.
pub fn url_origin(url: &str) -> Option<String> {
    let url = reqwest::Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

/// Reads `prices.toml`: its rows, and sentences about what is wrong in it. Without a file there are no rows.
pub(super) fn read_file(path: &Path) -> (Vec<PriceRow>, Vec<String>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = match read::text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return (Vec::new(), Vec::new()),
        Err(error) => {
            return (Vec::new(), vec![format!("{} cannot be read: {error}; its prices are ignored", path.display())]);
        }
    };
    let mut faults = FileFaults::new(&name, &text);
    let consequence = "expected [[price]] tables with model, origin, input and output; the file is ignored";
    let Some(document) = faults.parse(consequence) else { return (Vec::new(), faults.into_sentences()) };
    let mut rows = Vec::new();
    for (key, item) in document.as_table() {
        match item.as_array_of_tables() {
            Some(tables) if key == "price" => {
                for table in tables {
                    rows.extend(read_row(table.span(), table, true, &mut |span, what| faults.add(span, what)));
                }
            }
            _ => faults.add(item.span(), "only [[price]] tables are expected here; it is ignored"),
        }
    }
    (rows, faults.into_sentences())
}

/// Reads the prices of a profile: a table for each pattern of models.
pub(super) fn read_profile_prices(table: &dyn TableLike, warn: &mut impl FnMut(Span, &str)) -> Vec<PriceRow> {
    let mut rows = Vec::new();
    for (model, item) in table.iter() {
        match item.as_table_like() {
            Some(table) => {
                rows.extend(
                    read_row(item.span(), table, false, warn).map(|row| PriceRow { model: model.to_owned(), ..row }),
                );
            }
            None => warn(item.span(), &format!("prices.{model} must be a table with input and output; it is ignored")),
        }
    }
    rows
}

/// Reads a row; `None`: something in it is wrong, which is passed to `warn`. `whole`: it names its models and its
/// server itself.
fn read_row(at: Span, table: &dyn TableLike, whole: bool, warn: &mut impl FnMut(Span, &str)) -> Option<PriceRow> {
    let (mut model, mut origin, mut since) = (None, None, None);
    let [mut input, mut output, mut cached] = [None; 3];
    let mut good = true;
    for (key, item) in table.iter() {
        let what = match key {
            "input" => {
                set_or_expected(&mut input, read_dollars(item), "input must be dollars per million tokens, 0 or more")
            }
            "output" => {
                set_or_expected(&mut output, read_dollars(item), "output must be dollars per million tokens, 0 or more")
            }
            "cached" => {
                set_or_expected(&mut cached, read_dollars(item), "cached must be dollars per million tokens, 0 or more")
            }
            "since" => set_or_expected(&mut since, read_date(item), "since must be a date such as 2026-11-22"),
            "model" if whole => {
                let text = item.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
                set_or_expected(&mut model, text, "model must be a model ID in quotes; * matches any characters")
            }
            "origin" if whole => {
                let url = item.as_str().and_then(url_origin);
                set_or_expected(
                    &mut origin,
                    url,
                    "origin must be a server address in quotes, such as \"https://api.openai.com\"",
                )
            }
            _ => {
                warn(item.span(), &format!("prices have no setting {key}; it is ignored"));
                None
            }
        };
        if let Some(what) = what {
            warn(item.span(), &format!("{what}; this price is ignored"));
            good = false;
        }
    }
    for (missing, name) in
        [(input.is_none(), "input"), (whole && model.is_none(), "model"), (whole && origin.is_none(), "origin")]
    {
        if good && missing {
            warn(at.clone(), &format!("a price needs {name}; this price is ignored"));
            good = false;
        }
    }
    let input = input.filter(|_| good)?;
    Some(PriceRow {
        model: model.unwrap_or_default(),
        origin: origin.unwrap_or_default(),
        input,
        output,
        cached,
        since,
    })
}

/// Sets a value; without one, returns what was expected.
fn set_or_expected<T>(to: &mut Option<T>, value: Option<T>, expected: &'static str) -> Option<&'static str> {
    *to = value;
    to.is_none().then_some(expected)
}

/// Reads dollars, and returns nano-dollars.
fn read_dollars(item: &Item) -> Option<i64> {
    let dollars = item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64))?;
    (0.0..=MAX_PRICE).contains(&dollars).then(|| (dollars * 1e9).round() as i64)
}

/// Reads a date, as TOML writes one or in quotes.
fn read_date(item: &Item) -> Option<Date> {
    if let Some(text) = item.as_str() {
        return text.parse().ok();
    }
    let date = item.as_datetime()?.date?;
    Date::new(i16::try_from(date.year).ok()?, i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?).ok()
}
