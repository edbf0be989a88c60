//! What a message of the assistant's holds, as far as it is read: text, reasoning, a refusal, calls, spoken words, and the
//! names of what is no text. Servers write each of them in several ways.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::as_json;
use super::lenient::{self, no_scalars, past_entries, past_fields};

/// What is no text in one piece of an answer, at most so many.
const ATTACHMENTS: usize = 256;
/// The longest address that is kept, bytes.
const PLACE: usize = 500;
/// The longest word for a kind that is kept, characters.
const KIND: usize = 40;

/// A part of a message or, in a whole answer, all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "DeltaRead")]
pub struct ChatDelta {
    /// Present in the first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Text of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Text of the reasoning; read from `reasoning_content` or `reasoning`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Why the model does not answer, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Calls of tools, or parts of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// A call in the form before tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_call: Option<FunctionCall>,
    /// What was spoken; the sound itself is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<Audio>,
    /// Images, files and sources: what is no text, by name.
    #[serde(skip)]
    pub attachments: Vec<Attachment>,
}

/// A call of a tool, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ToolCallRead")]
pub struct ToolCall {
    /// Which of the answer's calls it is; whole answers leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// `call_…`, in the first part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `function` or `custom`, in the first part.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What is called, and with what.
    pub function: FunctionCall,
}

/// A function's name and its arguments, or a part of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionCall {
    /// The name, in the first part.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "lenient::text_or_empty")]
    pub name: String,
    /// JSON as the model wrote it, which may be broken; some servers send an object instead of its text.
    #[serde(deserialize_with = "as_json::text")]
    pub arguments: String,
}

/// Sound of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Audio {
    /// The spoken words.
    #[serde(deserialize_with = "lenient::text_or_empty")]
    pub transcript: String,
}

/// Something in an answer that is no text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// `image`, `audio`, `file`, `source`, or the server's own word for it.
    pub kind: String,
    /// Where it is, or its name; empty: neither was said, or it came within the answer itself.
    pub place: String,
}

/// [`ChatDelta`] as it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DeltaRead {
    #[serde(deserialize_with = "lenient::or_default")]
    role: Option<String>,
    content: Content,
    #[serde(deserialize_with = "lenient::text")]
    reasoning_content: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    reasoning: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    refusal: Option<String>,
    #[serde(deserialize_with = "lenient::list")]
    tool_calls: Vec<ToolCall>,
    #[serde(deserialize_with = "lenient::object_or_none")]
    function_call: Option<FunctionCall>,
    #[serde(deserialize_with = "lenient::object_or_none")]
    audio: Option<Audio>,
    #[serde(deserialize_with = "lenient::list")]
    images: Vec<Fields>,
    #[serde(deserialize_with = "sources")]
    annotations: Vec<Attachment>,
    #[serde(deserialize_with = "sources")]
    citations: Vec<Attachment>,
}

impl From<DeltaRead> for ChatDelta {
    fn from(read: DeltaRead) -> Self {
        let Content { text, reasoning, refusal, attachments } = read.content;
        // An empty text gives way to the other, so that neither name hides the words under the other one.
        let some = |text: &String| !text.is_empty();
        let reasoning_content = read.reasoning_content.filter(some).or(read.reasoning).filter(some).or(reasoning);
        let images = read.images.into_iter().map(|image| image.attachment("image"));
        Self {
            role: read.role,
            content: text,
            reasoning_content,
            refusal: read.refusal.filter(some).or(refusal),
            tool_calls: read.tool_calls,
            function_call: read.function_call,
            audio: read.audio.filter(|audio| !audio.transcript.is_empty()),
            attachments: attachments.into_iter().chain(images).chain(read.annotations).chain(read.citations).collect(),
        }
    }
}

/// [`ToolCall`] as it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCallRead {
    #[serde(deserialize_with = "lenient::or_default")]
    index: Option<u32>,
    #[serde(deserialize_with = "lenient::or_default")]
    id: Option<String>,
    #[serde(rename = "type", deserialize_with = "lenient::or_default")]
    kind: Option<String>,
    #[serde(deserialize_with = "lenient::object_or_none")]
    function: Option<FunctionCall>,
    #[serde(deserialize_with = "lenient::object_or_none")]
    custom: Option<Custom>,
}

/// A call of a tool that takes any text.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Custom {
    #[serde(deserialize_with = "lenient::text_or_empty")]
    name: String,
    #[serde(deserialize_with = "lenient::text_or_empty")]
    input: String,
}

impl From<ToolCallRead> for ToolCall {
    fn from(read: ToolCallRead) -> Self {
        let ToolCallRead { index, id, kind, function, custom } = read;
        let custom = custom.map(|Custom { name, input }| FunctionCall { name, arguments: input });
        Self { index, id, kind, function: function.or(custom).unwrap_or_default() }
    }
}

/// What stands under `content`: a text, or a list of parts.
#[derive(Default)]
struct Content {
    text: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    attachments: Vec<Attachment>,
}

impl Content {
    fn add(&mut self, part: Part) {
        let join = |to: &mut Option<String>, text: &str| to.get_or_insert_default().push_str(text);
        match part {
            Part::Text(text) | Part::Object(Fields { text: Some(text), .. }) => join(&mut self.text, &text),
            Part::Object(Fields { thinking: Some(text), .. }) => join(&mut self.reasoning, &text),
            Part::Object(Fields { refusal: Some(text), .. }) => join(&mut self.refusal, &text),
            Part::Object(fields) if !fields.kind.is_empty() && self.attachments.len() < ATTACHMENTS => {
                self.attachments.push(fields.attachment(""));
            }
            Part::Object(_) | Part::Other => {}
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content;
            no_scalars!(Content::default());
            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content { text: Some(text.to_owned()), ..Content::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
                let mut content = Content { text: Some(String::new()), ..Content::default() };
                while let Some(part) = seq.next_element()? {
                    content.add(part);
                }
                Ok(content)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content, A::Error> {
                past_fields(map).map(|()| Content::default())
            }
        }
        input.deserialize_any(Any)
    }
}

/// An entry of a list of parts.
// One at a time, and gone as soon as it is read.
#[allow(clippy::large_enum_variant)]
enum Part {
    Text(String),
    Object(Fields),
    Other,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Part;
            no_scalars!(Part::Other);
            fn visit_str<E>(self, text: &str) -> Result<Part, E> {
                Ok(Part::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Part, A::Error> {
                past_entries(seq).map(|()| Part::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
                Fields::deserialize(MapAccessDeserializer::new(map)).map(Part::Object)
            }
        }
        input.deserialize_any(Any)
    }
}

/// The fields of a part, an image or a source that are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(rename = "type", deserialize_with = "lenient::or_default")]
    kind: String,
    #[serde(deserialize_with = "lenient::text")]
    text: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    thinking: Option<String>,
    #[serde(deserialize_with = "lenient::text")]
    refusal: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    url: String,
    #[serde(deserialize_with = "lenient::or_default")]
    filename: String,
    #[serde(deserialize_with = "lenient::object")]
    image_url: Place,
    #[serde(deserialize_with = "lenient::object")]
    file: Place,
    #[serde(deserialize_with = "lenient::object")]
    url_citation: Place,
}

/// Where something is, or what it is called.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Place {
    #[serde(deserialize_with = "lenient::or_default")]
    url: String,
    #[serde(deserialize_with = "lenient::or_default")]
    filename: String,
}

impl Fields {
    /// What it is called; `kind` goes before its own word.
    fn attachment(self, kind: &str) -> Attachment {
        let kind = match (kind, self.kind.as_str()) {
            ("", "image" | "image_url" | "input_image" | "output_image") => "image",
            ("", "audio" | "input_audio" | "output_audio") => "audio",
            ("", own) => own,
            (kind, _) => kind,
        };
        let places = [
            &self.image_url.url,
            &self.url_citation.url,
            &self.url,
            &self.file.filename,
            &self.filename,
            &self.file.url,
        ];
        // What comes within the answer is no place, and a very long one is nothing to read.
        let short = |place: &&&String| !place.is_empty() && place.len() <= PLACE && !place.starts_with("data:");
        Attachment {
            kind: kind.chars().take(KIND).collect(),
            place: places.iter().find(short).map(|place| (**place).clone()).unwrap_or_default(),
        }
    }
}

/// Sources as a list of addresses or of objects that hold one.
fn sources<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Attachment>, D::Error> {
    let found: Option<Vec<Part>> = lenient::entries(input)?;
    let source = |part| match part {
        Part::Text(url) => Some(Fields { url, ..Fields::default() }.attachment("source")),
        Part::Object(fields) => Some(fields.attachment("source")),
        Part::Other => None,
    };
    Ok(found.unwrap_or_default().into_iter().filter_map(source).collect())
}
