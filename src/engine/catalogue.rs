//! The model ids that the local service accepts, and what answers requests for each.

use crate::tokens;

/// Which endpoint accepts a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `/v1/chat/completions`.
    Chat,
    /// `/v1/completions`.
    Completion,
    /// `/v1/embeddings`.
    Embedding,
    /// `/v1/moderations`.
    Moderation,
}

/// One model of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The id in requests.
    pub id: &'static str,
    /// The dated or internal id in answers.
    pub dated: &'static str,
    /// Which endpoint accepts it.
    pub kind: Kind,
    /// Unix seconds.
    pub created: i64,
    /// The owner, as in the model list of 2023.
    pub owned_by: &'static str,
}

/// Tokens of prompt and answer together where the price table has no entry: those of the first models.
const CONTEXT: u64 = 2049;

impl Entry {
    /// Returns how many tokens prompt and answer may have together, from the price table.
    pub fn context(&self) -> u64 {
        tokens::context(self.id).unwrap_or(CONTEXT)
    }

    /// Returns the text that says what really answers under this name.
    pub fn stands_for(&self) -> &'static str {
        match self.kind {
            Kind::Chat => {
                "a network of benchtop's own with some 300,000 weights, answering from benchtop's manual under this name"
            }
            Kind::Completion => {
                "a network of benchtop's own with some 300,000 weights, trained on benchtop's texts, under this name"
            }
            Kind::Embedding => "benchtop's own small embedding of words and letters under this name",
            Kind::Moderation => "benchtop's own small text classifier under this name",
        }
    }
}

/// Returns all models, in the order of the list.
pub fn all() -> &'static [Entry] {
    &MODELS
}

/// Returns the model with this id or dated id.
pub fn find(id: &str) -> Option<&'static Entry> {
    MODELS.iter().find(|entry| entry.id == id).or_else(|| MODELS.iter().find(|entry| entry.dated == id))
}

const fn entry(id: &'static str, dated: &'static str, kind: Kind, created: i64, owned_by: &'static str) -> Entry {
    Entry { id, dated, kind, created, owned_by }
}

use Kind::{Chat, Completion, Embedding, Moderation};

const MODELS: [Entry; 37] = [
    entry("gpt-3.5-turbo", "gpt-3.5-turbo-0301", Chat, 1_677_610_602, "openai"),
    entry("gpt-3.5-turbo-0301", "gpt-3.5-turbo-0301", Chat, 1_677_649_963, "openai"),
    entry("text-davinci-003", "text-davinci-003", Completion, 1_669_599_635, "openai-internal"),
    entry("text-davinci-002", "text-davinci-002", Completion, 1_649_880_484, "openai"),
    entry("text-davinci-001", "text-davinci-001", Completion, 1_649_364_042, "openai"),
    entry("text-curie-001", "text-curie-001", Completion, 1_649_364_043, "openai"),
    entry("text-babbage-001", "text-babbage-001", Completion, 1_649_364_043, "openai"),
    entry("text-ada-001", "text-ada-001", Completion, 1_649_364_042, "openai"),
    entry("davinci", "davinci", Completion, 1_649_359_874, "openai"),
    entry("curie", "curie", Completion, 1_649_359_874, "openai"),
    entry("babbage", "babbage", Completion, 1_649_358_449, "openai"),
    entry("ada", "ada", Completion, 1_649_357_491, "openai"),
    entry("code-davinci-002", "code-davinci-002", Completion, 1_649_880_485, "openai"),
    entry("text-embedding-ada-002", "text-embedding-ada-002-v2", Embedding, 1_671_217_299, "openai-internal"),
    embedding("text-similarity-ada-001", "text-similarity-ada:001"),
    embedding("text-similarity-babbage-001", "text-similarity-babbage:001"),
    embedding("text-similarity-curie-001", "text-similarity-curie:001"),
    embedding("text-similarity-davinci-001", "text-similarity-davinci:001"),
    embedding("text-search-ada-doc-001", "text-search-ada-doc:001"),
    embedding("text-search-ada-query-001", "text-search-ada-query:001"),
    embedding("text-search-babbage-doc-001", "text-search-babbage-doc:001"),
    embedding("text-search-babbage-query-001", "text-search-babbage-query:001"),
    embedding("text-search-curie-doc-001", "text-search-curie-doc:001"),
    embedding("text-search-curie-query-001", "text-search-curie-query:001"),
    embedding("text-search-davinci-doc-001", "text-search-davinci-doc:001"),
    embedding("text-search-davinci-query-001", "text-search-davinci-query:001"),
    embedding("code-search-ada-code-001", "code-search-ada-code:001"),
    embedding("code-search-ada-text-001", "code-search-ada-text:001"),
    embedding("code-search-babbage-code-001", "code-search-babbage-code:001"),
    embedding("code-search-babbage-text-001", "code-search-babbage-text:001"),
    entry("text-embedding-3-small", "text-embedding-3-small", Embedding, 1_705_948_997, "system"),
    entry("text-embedding-3-large", "text-embedding-3-large", Embedding, 1_705_953_180, "system"),
    entry("text-moderation-latest", "text-moderation-004", Moderation, 1_664_834_400, "openai"),
    entry("text-moderation-stable", "text-moderation-004", Moderation, 1_664_834_400, "openai"),
    entry("text-moderation-004", "text-moderation-004", Moderation, 1_664_834_400, "openai"),
    entry("ada:2020-05-03", "ada:2020-05-03", Completion, 1_607_631_625, "system"),
    entry("davinci:2020-05-03", "davinci:2020-05-03", Completion, 1_607_640_163, "system"),
];

const fn embedding(id: &'static str, dated: &'static str) -> Entry {
    entry(id, dated, Embedding, 1_651_172_507, "openai-dev")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        for (i, entry) in all().iter().enumerate() {
            assert_eq!(find(entry.id), Some(entry));
            assert!(all()[..i].iter().all(|other| other.id != entry.id));
            assert!(entry.stands_for().contains("benchtop"));
        }
        assert_eq!(find("text-embedding-ada-002-v2").map(|e| e.id), Some("text-embedding-ada-002"));
        assert_eq!(find("nobody"), None);
    }

    #[test]
    fn contexts_are_the_tables() {
        let contexts = ["gpt-3.5-turbo", "code-davinci-002", "text-similarity-ada-001", "ada:2020-05-03"]
            .map(|id| find(id).map(Entry::context));
        assert_eq!(contexts, [Some(4096), Some(8001), Some(2046), Some(2049)]);
        let today = ["text-embedding-3-small", "text-embedding-3-large"].map(|id| find(id).map(Entry::context));
        assert_eq!(today, [Some(8191); 2]);
    }
}
