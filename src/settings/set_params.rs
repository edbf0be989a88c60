//! Writes parameter defaults that were set in the program into the profile's table.

use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use super::edit_fields::write_fields;
use super::keep::{FileMode, change_file, has_origin, profile_table, remove_key};
use super::model_params::{fields_to_params, params_to_fields, usable_fields};
use super::paths::Paths;
use super::profile::{ProfileId, origin};
use crate::record::CompletionParams;

/// Saves the defaults of a profile's model in the config file; without any parameter, removes them. Comments and
/// unknown fields stay. The error is a sentence; the file is unchanged then.
pub fn set_params(
    paths: &Paths,
    id: &ProfileId,
    base_url: &str,
    model: &str,
    new: &CompletionParams,
) -> Result<(), String> {
    change_file(&paths.config, FileMode::Kept, |document| {
        let name = paths.config.display();
        if id.is_reserved() {
            return write_reserved(document, id, model, new).map_err(|why| format!("{name}: {why}"));
        }
        let missing = || format!("{name} has no table [profiles.{}]", id.0);
        let profile = profile_table(document, &id.0, false).ok_or_else(missing)?;
        if !has_origin(profile, origin(base_url)) {
            return Err(format!("the profile {} of {name} is for another server", id.0));
        }
        write_model(profile, model, new).map_err(|why| format!("{name}: {why}"))
    })
}

/// Writes defaults of a profile that the file does not define.
fn write_reserved(
    document: &mut DocumentMut,
    id: &ProfileId,
    model: &str,
    new: &CompletionParams,
) -> Result<(), String> {
    let is_new = profile_table(document, &id.0, false).is_none();
    let inline = || "its profiles are an inline table; write them as [profiles.name]".to_owned();
    let profile = profile_table(document, &id.0, true).ok_or_else(inline)?;
    // Its own header would be empty.
    profile.set_implicit(is_new || profile.is_implicit());
    write_model(profile, model, new)?;
    if profile.is_empty()
        && let Some(profiles) = document.get_mut("profiles").and_then(Item::as_table_mut)
    {
        profiles.remove(&id.0);
    }
    Ok(())
}

/// Writes the parameters that differ into the table of a model.
fn write_model(profile: &mut Table, model: &str, new: &CompletionParams) -> Result<(), String> {
    let models = profile.entry("models").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = models.is_inline_table();
    let models = models.as_table_like_mut().ok_or("models must be a table; correct it first")?;
    if !models.contains_key(model) {
        let empty = if is_inline { value(InlineTable::new()) } else { Item::Table(Table::new()) };
        models.insert(model, empty);
    }
    let table = models.get_mut(model).and_then(Item::as_table_like_mut);
    let table = table.ok_or_else(|| format!("models.{model} must be a table; correct it first"))?;
    let old = params_to_fields(&fields_to_params(&usable_fields(table, &mut |_, _| {})));
    write_fields(table, &old, &params_to_fields(new)).map_err(|why| format!("models.{model}: {why}"))?;
    if table.is_empty() {
        remove_key(models, model);
    }
    if models.is_empty() {
        remove_key(profile, "models");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{read_to_string, write};

    use super::*;
    use crate::record::ChatParams;
    use crate::settings::{Flags, Loaded, Settings};

    const URL: &str = "https://models.example/v1";

    /// Files in a folder of their own, and what the config file holds first.
    fn files(config: &str) -> (tempfile::TempDir, Paths) {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::find(Some(&folder.path().join("config.toml")), Some(folder.path())).unwrap();
        write(&paths.config, config).unwrap();
        (folder, paths)
    }

    fn load(paths: &Paths) -> Loaded {
        Settings::load(&Flags { config: Some(paths.config.clone()), ..Flags::default() }, |_| None).unwrap()
    }

    fn work() -> ProfileId {
        ProfileId("work".into())
    }

    fn params(temperature: Option<f64>, max_tokens: Option<u64>) -> CompletionParams {
        let common = ChatParams { temperature, max_tokens, ..ChatParams::default() };
        CompletionParams { common, ..CompletionParams::default() }
    }

    #[test]
    fn what_is_out_of_bounds_or_unknown_is_named_with_its_line_and_all_else_is_taken() {
        let config = format!(
            "[profiles.work]\nbase_url = \"{URL}\"\n[profiles.work.models.\"a/b.c\"]\ntemperature = 2.5\nmax_tokens = 500\n\
             heat = 1\n[profiles.work.models]\nother = 5\n[profiles.local.models.small]\nseed = 7\nbase_url = \"x\"\n\
             [profiles.env]\nmodel = \"m\"\nmodels = {{ m = {{ top_p = 0.5, stop = \"END\" }} }}\n"
        );
        let (_folder, paths) = files(&config);
        let Loaded { settings, warnings, .. } = load(&paths);
        assert_eq!(settings.profiles[&work()].models, [("a/b.c".to_owned(), params(None, Some(500)))].into());
        let local = &settings.profiles[&ProfileId::local()].models["small"];
        assert_eq!((local.common.seed, settings.profile), (Some(7), ProfileId::local()));
        let mut said = warnings.clone();
        said.sort();
        let wanted = [
            "line 13: the profile name env is reserved; only models can be set for it",
            "line 4: models.a/b.c: temperature must be a number from 0 to 2; it is ignored",
            "line 6: models.a/b.c: there is no parameter heat; it is ignored",
            "line 8: models.other must be a table of parameters; it is ignored",
            "line 11: models.small: there is no parameter base_url; it is ignored",
        ];
        assert_eq!(said.len(), wanted.len(), "{said:#?}");
        for wanted in wanted {
            assert!(said.iter().any(|said| said.ends_with(wanted)), "{wanted}: {said:#?}");
        }
    }

    #[test]
    fn the_environments_profile_has_its_defaults_from_the_file_as_well() {
        let (_folder, paths) = files("[profiles.env.models.m]\ntemperature = 0.5\n");
        let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-1".to_owned());
        let flags = Flags { config: Some(paths.config.clone()), ..Flags::default() };
        let loaded = Settings::load(&flags, env).unwrap();
        assert_eq!(loaded.settings.profiles[&ProfileId::env()].models["m"], params(Some(0.5), None));
        assert_eq!(loaded.warnings, Vec::<String>::new());
        // Without it nothing is said: the next start may have it.
        assert_eq!(load(&paths).warnings, Vec::<String>::new());
    }

    #[test]
    fn defaults_are_written_where_they_differ_and_comments_stay() {
        let config = format!(
            "# mine\n[profiles.work] # office\nbase_url = \"{URL}\"\n\n# careful\n[profiles.work.models.m]\n\
             temperature = 0.2 # low\nheat = 1 # what is that?\nmax_tokens = 9\n"
        );
        let (_folder, paths) = files(&config);
        set_params(&paths, &work(), URL, "m", &params(Some(0.5), None)).unwrap();
        let text = read_to_string(&paths.config).unwrap();
        assert_eq!(text, config.replace("0.2 # low", "0.5 # low").replace("max_tokens = 9\n", ""));
        set_params(&paths, &work(), URL, "new/one.2", &params(Some(1.0), Some(64))).unwrap();
        let text = read_to_string(&paths.config).unwrap();
        assert!(text.contains("[profiles.work.models.\"new/one.2\"]\nmax_tokens = 64\ntemperature = 1.0\n"), "{text}");
        assert_eq!(load(&paths).settings.profiles[&work()].models["new/one.2"], params(Some(1.0), Some(64)));
        set_params(&paths, &work(), URL, "new/one.2", &CompletionParams::default()).unwrap();
        assert!(!read_to_string(&paths.config).unwrap().contains("new/one"), "none set: the table goes");
        set_params(&paths, &work(), URL, "m", &CompletionParams::default()).unwrap();
        let text = read_to_string(&paths.config).unwrap();
        assert!(text.contains("heat = 1 # what is that?") && !text.contains("temperature"), "{text}");
    }

    #[test]
    fn every_field_is_read_as_it_is_written() {
        let (_folder, paths) =
            files(&format!("[profiles.work]\nbase_url = \"{URL}\"\nmodels = {{ x = {{ n = 2 }} }}\n"));
        let common = ChatParams {
            temperature: Some(0.0),
            top_p: Some(0.9),
            n: Some(3),
            stream: Some(false),
            stop: vec!["\n".into(), "a | \"b\"".into()],
            max_tokens: Some(1),
            presence_penalty: Some(-2.0),
            frequency_penalty: Some(0.5),
            logit_bias: [("50256".to_owned(), -100.0)].into(),
            user: Some("日本 \u{1b}".into()),
            seed: Some(-7),
            logprobs: Some(0),
            max_completion_tokens: Some(5),
            reasoning_effort: Some("low".into()),
            top_k: Some(40),
            min_p: Some(0.05),
            response_format: Some("{\n  \"type\": \"object\"\n}".into()),
            extra: Some("{\"verbosity\": \"low\"}".into()),
            tools: Some("[]".into()),
            tool_choice: Some("none".into()),
        };
        let all = CompletionParams { common, logprobs: Some(5), echo: Some(true), best_of: Some(4) };
        set_params(&paths, &work(), URL, "m", &all).unwrap();
        let loaded = load(&paths);
        assert_eq!(loaded.warnings, Vec::<String>::new());
        assert_eq!(loaded.settings.profiles[&work()].models["m"], all, "{}", read_to_string(&paths.config).unwrap());
        assert_eq!(loaded.settings.profiles[&work()].models["x"].common.n, Some(2));
    }

    #[test]
    fn profiles_without_a_table_get_one_for_their_models_alone() {
        let (_folder, paths) = files("# mine\n[chat]\nenter = \"send\"\n");
        for id in [ProfileId::local(), ProfileId::env()] {
            set_params(&paths, &id, "", "m", &params(Some(0.5), None)).unwrap();
        }
        let text = read_to_string(&paths.config).unwrap();
        assert!(text.contains("[profiles.local.models.m]\ntemperature = 0.5\n"), "{text}");
        assert!(!text.contains("[profiles.local]\n") && !text.contains("[profiles]"), "{text}");
        assert_eq!(super::super::edit::order(&paths.config).unwrap(), Vec::<String>::new(), "they have no place in it");
        for id in [ProfileId::local(), ProfileId::env()] {
            set_params(&paths, &id, "", "m", &CompletionParams::default()).unwrap();
        }
        assert_eq!(read_to_string(&paths.config).unwrap().trim_end(), "# mine\n[chat]\nenter = \"send\"");
    }

    #[test]
    fn nothing_is_written_into_the_profile_of_another_server() {
        let config = format!("[profiles.work]\nbase_url = \"{URL}\"\n");
        let (_folder, paths) = files(&config);
        let other = "https://other.example/v1";
        let why = set_params(&paths, &work(), other, "m", &params(Some(1.0), None)).unwrap_err();
        assert!(why.contains("is for another server"), "{why}");
        assert_eq!(read_to_string(&paths.config).unwrap(), config);
    }
}
