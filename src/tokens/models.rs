//! Which encoding a model uses.

use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};

use super::Encoding;

/// Beginnings of the ids that the library's table leaves out. Source: the interface's list of models as of March 2023,
/// and the notes on its embedding and code models of that time.
const MORE: &[(&str, Encoding)] = &[
    ("code-search-", Encoding::R50k),
    ("text-search-", Encoding::R50k),
    ("text-similarity-", Encoding::R50k),
    ("code-davinci-", Encoding::P50k),
    ("code-cushman-", Encoding::P50k),
    ("text-davinci-insert-", Encoding::P50k),
    ("davinci-instruct-beta", Encoding::R50k),
    ("curie-instruct-beta", Encoding::R50k),
];

/// Returns the encoding that a model uses; `None` if it is unknown. `local`: it is one of the local service's models,
/// nearly all of which use the same. Fine-tuned ids (`curie:ft-…`, `ft:gpt-4o:…`) and dated ones (`davinci:2020-05-03`)
/// go by their base. Loads no table.
///
/// The table is that of `tiktoken` 0.14.0 (`model.py`), as the library has it.
pub fn encoding(model: &str, local: bool) -> Option<Encoding> {
    if local {
        // Of the local service's models only these are counted in the encoding of their namesakes.
        return Some(if model.starts_with("text-embedding-") { Encoding::Cl100k } else { Encoding::R50k });
    }
    let model = model.strip_prefix("openai/").unwrap_or(model);
    let model = model.strip_prefix("ft:").unwrap_or(model);
    let model = model.split_once(':').map_or(model, |(base, _)| base);
    let known = get_tokenizer(model).map(|table| match table {
        // These differ in special tokens alone, which no text is split into.
        Tokenizer::O200kBase | Tokenizer::O200kHarmony => Encoding::O200k,
        Tokenizer::P50kBase | Tokenizer::P50kEdit => Encoding::P50k,
        Tokenizer::R50kBase | Tokenizer::Gpt2 => Encoding::R50k,
        Tokenizer::Cl100kBase => Encoding::Cl100k,
    });
    known.or_else(|| MORE.iter().find(|(start, _)| model.starts_with(start)).map(|(_, encoding)| *encoding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_read_in_their_encoding() {
        use Encoding::{Cl100k, O200k, P50k, R50k};
        for (model, expected) in [
            ("text-davinci-003", Some(P50k)),
            ("text-davinci-002", Some(P50k)),
            ("text-davinci-001", Some(R50k)),
            ("code-davinci-002", Some(P50k)),
            ("code-cushman-001", Some(P50k)),
            ("davinci", Some(R50k)),
            ("davinci:2020-05-03", Some(R50k)),
            ("davinci-002", Some(Cl100k)),
            ("gpt-3.5-turbo", Some(Cl100k)),
            ("gpt-3.5-turbo-instruct", Some(Cl100k)),
            ("gpt-4-32k-0314", Some(Cl100k)),
            ("gpt-4o", Some(O200k)),
            ("gpt-4o-mini", Some(O200k)),
            ("gpt-4.1-nano", Some(O200k)),
            ("o1-preview", Some(O200k)),
            ("openai/gpt-4o", Some(O200k)),
            ("curie:ft-personal-2023-03-01-00-00-00", Some(R50k)),
            ("ft:gpt-3.5-turbo:acme::x", Some(Cl100k)),
            ("ft:davinci-002:acme::x", Some(Cl100k)),
            ("text-search-ada-query-001", Some(R50k)),
            ("llama3", None),
            ("llama3:8b", None),
            ("adamant", None),
            ("", None),
        ] {
            assert_eq!(encoding(model, false), expected, "{model}");
        }
        assert_eq!(encoding("llama3", true), Some(R50k));
        assert_eq!(encoding("text-davinci-003", true), Some(R50k), "local names stand for local models");
    }
}
