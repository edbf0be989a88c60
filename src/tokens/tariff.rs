//! Which price applies to a model of a server: prices belong to an origin, never to a model's name alone.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::prices::{Price, is_hosted, listed, listed_training};
use crate::settings::profile::is_this_machine;
use crate::settings::{PriceRow, ProfileId, url_origin};

/// The prices that apply to one server. The default has none.
///
/// The first of these that has a price for the model decides: the profile's prices, `prices.toml`, "free" for a server
/// on this machine, the built-in table for the hosted service. What a server itself says an answer cost takes
/// precedence over all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tariff {
    profile: Arc<[PriceRow]>,
    file: Arc<[PriceRow]>,
    free: bool,
    hosted: bool,
}

/// Where a price is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceSource {
    /// The profile's prices.
    Profile,
    /// `prices.toml`.
    File,
    /// The server is on this machine.
    Free,
    /// The built-in table, as of this day.
    BuiltIn(Option<Date>),
}

impl Tariff {
    /// Collects the prices of the server at a base URL. `profile`: its profile's; `file`: those of `prices.toml`, for
    /// all servers.
    pub fn new(base_url: &str, profile: &[PriceRow], file: &[PriceRow]) -> Self {
        let origin = url_origin(base_url).unwrap_or_default();
        Self {
            profile: profile.into(),
            file: file.iter().filter(|row| row.origin == origin).cloned().collect(),
            free: is_this_machine(base_url),
            hosted: is_hosted(&origin),
        }
    }

    /// Returns the prices of a server where nothing costs anything, as the local service.
    pub fn free() -> Self {
        Self { free: true, ..Self::default() }
    }

    /// Returns the price of a model's tokens on a day; `None`: unknown.
    pub fn price(&self, model: &str, day: Date) -> Option<Price> {
        self.price_with_source(model, day).map(|(price, _)| price)
    }

    /// Returns the price of a model's tokens on a day and where it is from; `None`: unknown.
    pub fn price_with_source(&self, model: &str, day: Date) -> Option<(Price, PriceSource)> {
        let given = |rows: &[PriceRow], source| {
            let PriceRow { input, output, cached, .. } = *best(rows, model, day)?;
            Some((Price { input, output, cached, as_of: None }, source))
        };
        let built_in = || {
            let price = listed(model).filter(|_| self.hosted)?;
            Some((price, PriceSource::BuiltIn(price.as_of)))
        };
        given(&self.profile, PriceSource::Profile)
            .or_else(|| given(&self.file, PriceSource::File))
            .or_else(|| self.free.then_some((Price::FREE, PriceSource::Free)))
            .or_else(built_in)
    }

    /// Sets a price of the profile; it replaces what the profile has for the same models without a date.
    pub fn set(&mut self, row: PriceRow) {
        let others = self.profile.iter().filter(|other| other.model != row.model || other.since.is_some());
        self.profile = others.cloned().chain([row.clone()]).collect();
    }

    /// Returns, as `input`, the price of the tokens that a model is trained with, per epoch; `None`: unknown, as on a
    /// server of this machine whose answers have prices.
    pub fn training(&self, model: &str) -> Option<Price> {
        let free = self.free && self.profile.is_empty() && self.file.is_empty();
        if free { Some(Price::FREE) } else { listed_training(model).filter(|_| self.hosted) }
    }
}

/// Returns the row that names a model most closely, and of these the newest that applies on a day; of equal ones the
/// first.
fn best<'a>(rows: &'a [PriceRow], model: &str, day: Date) -> Option<&'a PriceRow> {
    let holds = |row: &&PriceRow| row.since.is_none_or(|since| since <= day) && matches(&row.model, model);
    rows.iter().filter(holds).min_by_key(|row| {
        let named = row.model.chars().filter(|c| *c != '*').count();
        Reverse((!row.model.contains('*'), named, row.since))
    })
}

/// Returns whether a pattern matches a model's id; `*` stands for any characters.
pub(super) fn matches(pattern: &str, model: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == model };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut left) = model.strip_prefix(start).and_then(|left| left.strip_suffix(end)) else { return false };
    middle.split('*').all(|part| {
        left.split_once(part).is_some_and(|(_, after)| {
            left = after;
            true
        })
    })
}

/// The prices of all profiles' servers on a day. The default knows only that the local service is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    servers: Arc<BTreeMap<ProfileId, Tariff>>,
    day: Date,
}

impl Prices {
    /// Collects the prices of these profiles' servers, as of `day`.
    pub fn new(servers: impl IntoIterator<Item = (ProfileId, Tariff)>, day: Date) -> Self {
        Self { servers: Arc::new(servers.into_iter().collect()), day }
    }

    /// Changes the day for which prices are looked up.
    pub fn on(&mut self, day: Date) {
        self.day = day;
    }

    /// Returns the price of the tokens of a profile's model; `None`: unknown.
    pub fn of(&self, profile: &ProfileId, model: &str) -> Option<Price> {
        if *profile == ProfileId::local() {
            return Some(Price::FREE);
        }
        self.servers.get(profile)?.price(model, self.day)
    }

    /// Returns the price of the tokens of a profile's model and where it is from; `None`: unknown.
    pub fn of_with_source(&self, profile: &ProfileId, model: &str) -> Option<(Price, PriceSource)> {
        if *profile == ProfileId::local() {
            return Some((Price::FREE, PriceSource::Free));
        }
        self.servers.get(profile)?.price_with_source(model, self.day)
    }

    /// Returns, as `input`, the price of the tokens that a profile's model is trained with, per epoch; `None`: unknown.
    pub fn training(&self, profile: &ProfileId, model: &str) -> Option<Price> {
        if *profile == ProfileId::local() {
            return Some(Price::FREE);
        }
        self.servers.get(profile)?.training(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2026, 11, 22);

    fn row(model: &str, origin: &str, dollars: i64, since: Option<Date>) -> PriceRow {
        let input = dollars * 1_000_000_000;
        PriceRow { model: model.into(), origin: origin.into(), input, output: None, cached: None, since }
    }

    fn dollars(tariff: &Tariff, model: &str) -> Option<i64> {
        tariff.price(model, DAY).map(|price| price.input / 1_000_000_000)
    }

    #[test]
    fn the_table_holds_for_its_own_origin_alone() {
        for (url, known) in [
            ("https://api.openai.com/v1", true),
            ("https://API.OpenAI.com:443/v1?x=1", true),
            ("http://api.openai.com/v1", false),
            ("https://api.openai.com:8443/v1", false),
            ("https://api.openai.com.example/v1", false),
            ("https://models.example/v1", false),
            ("", false),
        ] {
            let tariff = Tariff::new(url, &[], &[]);
            assert_eq!(tariff.price("gpt-4", DAY).is_some(), known, "{url}");
            assert_eq!(tariff.training("davinci").is_some(), known, "{url}");
        }
        assert_eq!(Tariff::new("https://api.openai.com/v1", &[], &[]).price("gpt-9", DAY), None);
    }

    #[test]
    fn a_server_on_this_machine_is_free_unless_somebody_says_otherwise() {
        for url in ["http://127.0.0.1:8000/v1", "http://127.9.9.9/v1", "http://[::1]:80/v1", "http://LOCALHOST:1/v1"] {
            let tariff = Tariff::new(url, &[], &[]);
            assert_eq!(tariff.price("gpt-4", DAY), Some(Price::FREE), "{url}");
            assert_eq!(tariff.training("davinci"), Some(Price::FREE), "{url}");
        }
        let gateway = "http://localhost:4000/v1";
        let own = Tariff::new(gateway, &[row("gpt-4*", "", 9, None)], &[row("*", "http://localhost:4000", 3, None)]);
        assert_eq!((dollars(&own, "gpt-4"), dollars(&own, "other")), (Some(9), Some(3)));
        let other = Tariff::new(gateway, &[], &[row("*", "http://localhost:5000", 3, None)]);
        assert_eq!(dollars(&other, "gpt-4"), Some(0));
        // A gateway whose answers cost something does not train for free.
        assert_eq!((own.training("davinci"), other.training("davinci")), (None, Some(Price::FREE)));
        let by_file = Tariff::new(gateway, &[], &[row("gpt-4", "http://localhost:4000", 3, None)]);
        assert_eq!(by_file.training("davinci"), None);
    }

    #[test]
    fn a_price_that_is_set_replaces_the_one_for_the_same_models_and_says_where_it_is_from() {
        let mut tariff = Tariff::new("https://api.openai.com/v1", &[row("gpt-4", "", 5, None)], &[]);
        tariff.set(row("gpt-4", "", 6, None));
        assert_eq!((dollars(&tariff, "gpt-4"), tariff.profile.len()), (Some(6), 1));
        let source = |tariff: &Tariff, model| tariff.price_with_source(model, DAY).map(|(_, source)| source);
        assert_eq!(source(&tariff, "gpt-4"), Some(PriceSource::Profile));
        assert!(matches!(source(&tariff, "gpt-3.5-turbo"), Some(PriceSource::BuiltIn(Some(_)))));
        assert_eq!(source(&tariff, "gpt-9"), None);
        assert_eq!(source(&Tariff::free(), "gpt-9"), Some(PriceSource::Free));
    }

    #[test]
    fn the_profile_goes_before_the_file_and_the_file_before_the_table() {
        let url = "https://api.openai.com/v1";
        let file = [row("gpt-4", "https://api.openai.com", 7, None), row("o9", "https://api.openai.com", 8, None)];
        let profile = [row("gpt-4", "", 5, None)];
        let of = |profile: &[PriceRow], file: &[PriceRow]| dollars(&Tariff::new(url, profile, file), "gpt-4");
        assert_eq!((of(&profile, &file), of(&[], &file), of(&[], &[])), (Some(5), Some(7), Some(30)));
        assert_eq!(dollars(&Tariff::new(url, &profile, &file), "o9"), Some(8));
    }

    #[test]
    fn the_closest_name_wins_and_of_its_rows_the_newest_that_holds_today() {
        let at = |day| Some(Date::constant(2026, 11, day));
        let rows = [
            row("*", "", 1, None),
            row("gpt-*", "", 2, at(21)),
            row("gpt-4o*", "", 3, at(1)),
            row("gpt-4o*", "", 4, at(22)),
            row("gpt-4o*", "", 5, at(23)),
            row("gpt-4o*", "", 6, None),
            row("gpt-4o-mini", "", 7, None),
        ];
        let tariff = Tariff::new("https://models.example/v1", &rows, &[]);
        let found = ["llama", "gpt-3", "gpt-4o", "gpt-4o-mini-x", "gpt-4o-mini"].map(|model| dollars(&tariff, model));
        assert_eq!(found, [Some(1), Some(2), Some(4), Some(4), Some(7)]);
        let mut prices = Prices::new([(ProfileId("work".into()), tariff)], DAY);
        let input = |prices: &Prices| prices.of(&ProfileId("work".into()), "gpt-4o").map(|price| price.input);
        prices.on(Date::constant(2026, 11, 23));
        assert_eq!(input(&prices), Some(5_000_000_000));
        assert_eq!(prices.of(&ProfileId("home".into()), "gpt-4o"), None);
        assert_eq!(prices.of(&ProfileId::local(), "gpt-4o"), Some(Price::FREE));
    }

    #[test]
    fn patterns_match_whole_ids() {
        for (pattern, model, good) in [
            ("gpt-4", "gpt-4", true),
            ("gpt-4", "gpt-4o", false),
            ("gpt-4*", "gpt-4", true),
            ("*", "", true),
            ("*/gpt*mini*", "openai/gpt-4o-mini-2024", true),
            ("*/gpt*mini*", "openai/gpt-4o", false),
            ("a*a", "a", false),
            ("a*b*b", "ab", false),
            ("a**b", "a-b", true),
            ("*é*", "caféx", true),
        ] {
            assert_eq!(matches(pattern, model), good, "{pattern} {model}");
        }
    }
}
