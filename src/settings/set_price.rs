//! Writes a price that was entered in the program into the file that prices are read from.

use toml_edit::{ArrayOfTables, InlineTable, Item, Table, TableLike, value};

use super::keep::{FileMode, change_file, has_origin, profile_table};
use super::paths::Paths;
use super::prices::{PriceRow, url_origin};
use super::profile::{ProfileId, origin};

/// Saves the price of a profile's model: in the profile's table, or in `prices.toml` if the config file has no table
/// for this server, as for the environment's profile. All comments stay. The error is a sentence.
pub fn set_price(paths: &Paths, id: &ProfileId, base_url: &str, row: &PriceRow) -> Result<(), String> {
    let mut is_saved = false;
    if paths.config.exists() {
        change_file(&paths.config, FileMode::Kept, |document| {
            let table = profile_table(document, &id.0, false).filter(|table| has_origin(table, origin(base_url)));
            is_saved = table.is_some();
            table.map_or(Ok(()), |table| write_profile_price(table, row))
        })?;
    }
    if is_saved {
        return Ok(());
    }
    let origin = url_origin(base_url).ok_or("the server has no address that prices could belong to")?;
    change_file(&paths.prices(), FileMode::Kept, |document| {
        let tables = document.entry("price").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let wrong = "prices.toml has a price that is not a [[price]] table; correct it first";
        let tables = tables.as_array_of_tables_mut().ok_or(wrong)?;
        let is_same = |table: &&mut Table| {
            let text = |key| table.get(key).and_then(Item::as_str);
            let server = text("origin").and_then(url_origin);
            text("model") == Some(&row.model) && server.as_ref() == Some(&origin) && !table.contains_key("since")
        };
        if let Some(table) = tables.iter_mut().find(is_same) {
            write_numbers(table, row);
            return Ok(());
        }
        let mut table = Table::new();
        table.insert("model", value(&row.model));
        table.insert("origin", value(&origin));
        write_numbers(&mut table, row);
        tables.push(table);
        Ok(())
    })
}

/// Writes a price into a profile's table, as an inline table if its prices are one.
fn write_profile_price(profile: &mut Table, row: &PriceRow) -> Result<(), String> {
    let prices = profile.entry("prices").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = prices.is_inline_table();
    let prices = prices.as_table_like_mut().ok_or("prices must be a table; correct it first")?;
    if !prices.contains_key(&row.model) {
        let empty = if is_inline { value(InlineTable::new()) } else { Item::Table(Table::new()) };
        prices.insert(&row.model, empty);
    }
    let table = prices.get_mut(&row.model).and_then(Item::as_table_like_mut);
    let table = table.ok_or_else(|| format!("prices.{} must be a table; correct it first", row.model))?;
    if table.contains_key("since") {
        return Err(format!("prices.{} is valid from a date (since); change it in the config file", row.model));
    }
    write_numbers(table, row);
    Ok(())
}

/// Writes the numbers of a price into its table; comments after the old ones stay.
fn write_numbers(table: &mut dyn TableLike, row: &PriceRow) {
    for (key, nano) in [("input", Some(row.input)), ("output", row.output), ("cached", row.cached)] {
        let Some(nano) = nano else {
            table.remove(key);
            continue;
        };
        let mut new = toml_edit::Value::from(nano as f64 / 1e9);
        if let Some(old) = table.get(key).and_then(Item::as_value) {
            *new.decor_mut() = old.decor().clone();
        }
        match table.get_mut(key) {
            Some(item) => *item = Item::Value(new),
            None => drop(table.insert(key, Item::Value(new))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{read_to_string, write};

    use super::*;
    use crate::settings::{Flags, Settings};

    const URL: &str = "https://models.example/v1";

    fn price(model: &str, input: f64, output: Option<f64>) -> PriceRow {
        let nano = |dollars: f64| (dollars * 1e9).round() as i64;
        PriceRow {
            model: model.into(),
            origin: String::new(),
            input: nano(input),
            output: output.map(nano),
            cached: None,
            since: None,
        }
    }

    /// Files in a folder of their own, and what the config file holds first.
    fn files(config: &str) -> (tempfile::TempDir, Paths) {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::find(Some(&folder.path().join("config.toml")), Some(folder.path())).unwrap();
        write(&paths.config, config).unwrap();
        (folder, paths)
    }

    fn set(paths: &Paths, id: &str, row: &PriceRow) -> Result<(), String> {
        set_price(paths, &ProfileId(id.into()), URL, row)
    }

    #[test]
    fn a_price_stands_in_the_profile_as_the_reader_wants_it_and_every_comment_stays() {
        let config = format!(
            "# mine\n[profiles.work] # the office\nbase_url = \"{URL}\" # here\nodd = 1\n\n\
             [profiles.work.prices.\"a*\"] # dear\ninput = 1 # one\noutput = 2\ncached = 0.5\n\n[chat]\nenter = \"send\"\n"
        );
        let (_folder, paths) = files(&config);
        set(&paths, "work", &price("a*", 2.5, None)).unwrap();
        set(&paths, "work", &price("b/c.d", 0.1, Some(0.4))).unwrap();
        let text = read_to_string(&paths.config).unwrap();
        for kept in ["# mine", "# the office", "# here", "odd = 1", "# dear", "input = 2.5 # one", "enter = \"send\""] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert!(text.contains("[profiles.work.prices.\"b/c.d\"]\ninput = 0.1\noutput = 0.4\n"), "{text}");
        let flags = Flags { config: Some(paths.config.clone()), ..Flags::default() };
        let loaded = Settings::load(&flags, |_| None).unwrap();
        let profile = &loaded.settings.profiles[&ProfileId("work".into())];
        assert_eq!(profile.prices, [price("a*", 2.5, None), price("b/c.d", 0.1, Some(0.4))], "{text}");
    }

    #[test]
    fn an_inline_table_of_prices_stays_one() {
        let config = format!("[profiles.work]\nbase_url = \"{URL}\"\nprices = {{ a = {{ input = 1 }} }} # few\n");
        let (_folder, paths) = files(&config);
        set(&paths, "work", &price("b", 2.0, None)).unwrap();
        let text = read_to_string(&paths.config).unwrap();
        assert!(text.contains("a = { input = 1 }") && text.contains("b = { input = 2.0 }"), "{text}");
        assert!(text.contains("# few"), "{text}");
    }

    #[test]
    fn a_server_without_a_table_of_its_own_has_its_prices_in_the_file_of_prices() {
        let (_folder, paths) = files("[profiles.work]\nbase_url = \"https://other.example/v1\"\n");
        write(paths.prices(), "# all\n[[price]]\nmodel = \"a\"\norigin = \"https://x.example\"\ninput = 1\n").unwrap();
        set(&paths, "env", &price("a", 2.0, None)).unwrap();
        set(&paths, "env", &price("a", 3.0, Some(4.0))).unwrap();
        // The profile is used with another server for this run.
        set(&paths, "work", &price("b", 5.0, None)).unwrap();
        let (rows, wrong) = super::super::prices::read_file(&paths.prices());
        let rows: Vec<_> =
            rows.iter().map(|row| (row.model.as_str(), row.origin.as_str(), row.input / 1_000_000_000)).collect();
        let server = "https://models.example";
        assert_eq!((rows, wrong), (vec![("a", "https://x.example", 1), ("a", server, 3), ("b", server, 5)], vec![]));
        assert!(read_to_string(paths.prices()).unwrap().starts_with("# all"));
        assert!(!read_to_string(&paths.config).unwrap().contains("prices"));
    }

    #[test]
    fn a_price_that_holds_from_a_day_on_is_not_overwritten() {
        let config = format!(
            "[profiles.work]\nbase_url = \"{URL}\"\n[profiles.work.prices.a]\ninput = 1\nsince = \"2030-01-01\"\n"
        );
        let (_folder, paths) = files(&config);
        let why = set(&paths, "work", &price("a", 2.0, None)).unwrap_err();
        assert!(why.contains("prices.a is valid from a date"), "{why}");
        assert_eq!(read_to_string(&paths.config).unwrap(), config);
    }

    #[test]
    fn what_is_no_table_is_left_as_it_is_and_said() {
        let config = format!("[profiles.work]\nbase_url = \"{URL}\"\nprices = 3\n");
        let (_folder, paths) = files(&config);
        let why = set(&paths, "work", &price("a", 1.0, None)).unwrap_err();
        assert!(why.contains("prices must be a table"), "{why}");
        assert_eq!(read_to_string(&paths.config).unwrap(), config);
    }
}
