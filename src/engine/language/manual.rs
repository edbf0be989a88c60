//! Parses the training texts: passages under headings, each with the questions it answers.
//!
//! ```text
//! ## Heading
//! ? one way to ask | another way
//! The passage, until the next heading.
//! ```

/// One passage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) heading: String,
    /// Other ways to ask for it; used to find it, never written.
    pub(super) questions: Vec<String>,
    pub(super) body: String,
}

/// The passages of one file.
#[derive(Debug, Default)]
pub(super) struct Manual {
    pub(super) passages: Vec<Passage>,
}

impl Manual {
    /// Parses passages in order; text before the first `## ` heading is skipped.
    pub(super) fn parse(text: &str) -> Self {
        let mut passages: Vec<Passage> = Vec::new();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                passages.push(Passage { heading: heading.trim().to_owned(), ..Passage::default() });
                continue;
            }
            let Some(passage) = passages.last_mut() else { continue };
            if let Some(questions) = line.strip_prefix("? ") {
                passage.questions.extend(questions.split('|').map(|q| q.trim().to_owned()).filter(|q| !q.is_empty()));
            } else {
                passage.body.push_str(line);
                passage.body.push('\n');
            }
        }
        for passage in &mut passages {
            passage.body = passage.body.trim().to_owned();
        }
        passages.retain(|passage| !passage.body.is_empty());
        Self { passages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_parted() {
        let manual = Manual::parse("# t\nskip\n## A b\n? x y | z\n\nOne.\n\n- two\n\n## Empty\n## C\nThree.\n");
        assert_eq!(manual.passages.len(), 2);
        assert_eq!(manual.passages[0].questions, ["x y", "z"]);
        assert_eq!(manual.passages[0].body, "One.\n\n- two");
        assert_eq!(manual.passages[1].body, "Three.");
    }
}
