//! Reads a message of the assistant: text, reasoning, a refusal, calls, the words of speech, and the names of
//! attachments. Servers write each of them in several ways.

use std::borrow::Cow;

use serde::de::SeqAccess;
use serde::{Deserialize, Deserializer, Serialize};

use super::as_json;
use super::lenient::{self, AnyReader, Either};

/// How many attachments of a part of a message are kept.
const MAX_ATTACHMENTS: usize = 256;
/// Bytes of the longest address that is kept.
const MAX_PLACE_BYTES: usize = 500;
/// How many characters of an attachment's kind are kept.
const MAX_KIND_CHARS: usize = 40;

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
    /// `call_…`; only in the first part.
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

/// Something in an answer that is not text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// `image`, `audio`, `file`, `source`, or the server's own word for it.
    pub kind: String,
    /// Its address or name; empty: neither was sent, or it came within the answer itself.
    pub place: String,
}

/// [`ChatDelta`] as it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DeltaRead {
    #[serde(deserialize_with = "lenient::or_default")]
    role: Option<String>,
    content: ContentText,
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
    images: Vec<PartFields>,
    #[serde(deserialize_with = "sources")]
    annotations: Vec<Attachment>,
    #[serde(deserialize_with = "sources")]
    citations: Vec<Attachment>,
}

impl From<DeltaRead> for ChatDelta {
    fn from(read: DeltaRead) -> Self {
        let ContentText { text, reasoning, refusal, attachments } = read.content;
        // An empty text under one name must not hide the text under the other.
        let has_text = |text: &String| !text.is_empty();
        let reasoning_content =
            read.reasoning_content.filter(has_text).or(read.reasoning).filter(has_text).or(reasoning);
        let images = read.images.into_iter().map(|image| image.attachment("image"));
        Self {
            role: read.role,
            content: text,
            reasoning_content,
            refusal: read.refusal.filter(has_text).or(refusal),
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
struct ContentText {
    text: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    attachments: Vec<Attachment>,
}

impl ContentText {
    /// Adds a part to the text that it belongs to, or to the attachments.
    fn add(&mut self, part: ContentPart) {
        let append = |to: &mut Option<String>, text: &str| to.get_or_insert_default().push_str(text);
        match part {
            ContentPart::Text(text) | ContentPart::Object(PartFields { text: Some(text), .. }) => {
                append(&mut self.text, &text);
            }
            ContentPart::Object(PartFields { thinking: Some(text), .. }) => append(&mut self.reasoning, &text),
            ContentPart::Object(PartFields { refusal: Some(text), .. }) => append(&mut self.refusal, &text),
            ContentPart::Object(fields) if !fields.kind.is_empty() && self.attachments.len() < MAX_ATTACHMENTS => {
                self.attachments.push(fields.attachment(""));
            }
            ContentPart::Object(_) | ContentPart::Neither => {}
        }
    }
}

impl<'de> Deserialize<'de> for ContentText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ContentReader;
        impl<'de> AnyReader<'de> for ContentReader {
            type Value = ContentText;

            fn text(self, text: Cow<'_, str>) -> ContentText {
                ContentText { text: Some(text.into_owned()), ..ContentText::default() }
            }

            fn list<A: SeqAccess<'de>>(self, mut parts: A) -> Result<ContentText, A::Error> {
                let mut content = self.text("".into());
                while let Some(part) = parts.next_element()? {
                    content.add(part);
                }
                Ok(content)
            }
        }
        ContentReader.read(input)
    }
}

/// An entry of a list of parts: text, an object, or neither.
type ContentPart = Either<PartFields>;

/// The fields of a part, an image or a source that are read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PartFields {
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
    image_url: SourceField,
    #[serde(deserialize_with = "lenient::object")]
    file: SourceField,
    #[serde(deserialize_with = "lenient::object")]
    url_citation: SourceField,
}

/// Where something is, or what it is called.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SourceField {
    #[serde(deserialize_with = "lenient::or_default")]
    url: String,
    #[serde(deserialize_with = "lenient::or_default")]
    filename: String,
}

impl PartFields {
    /// Converts the part into an attachment of this kind; an empty `kind` is derived from the part's own type.
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
        // Data within the answer is no address, and nobody can read a very long one.
        let is_shown =
            |place: &&&String| !place.is_empty() && place.len() <= MAX_PLACE_BYTES && !place.starts_with("data:");
        Attachment {
            kind: kind.chars().take(MAX_KIND_CHARS).collect(),
            place: places.iter().find(is_shown).map(|place| (**place).clone()).unwrap_or_default(),
        }
    }
}

/// Reads sources: a list of addresses, or of objects that hold one.
fn sources<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Attachment>, D::Error> {
    let found: Option<Vec<ContentPart>> = lenient::entries(input)?;
    let source = |part| match part {
        ContentPart::Text(url) => Some(PartFields { url, ..PartFields::default() }.attachment("source")),
        ContentPart::Object(fields) => Some(fields.attachment("source")),
        ContentPart::Neither => None,
    };
    Ok(found.unwrap_or_default().into_iter().filter_map(source).collect())
}
