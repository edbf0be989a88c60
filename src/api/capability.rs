//! What is known of a server beyond the interface: endpoints it lacks, fields it refuses, limits it reports.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

/// Something known about a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The server's base URL, without its query.
    pub server: String,
    /// What it is about: there is one fact for each subject of a server.
    pub subject: Subject,
    /// The finding.
    pub finding: Finding,
}

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// An endpoint, by its path below the base URL: `/embeddings`.
    Endpoint(String),
    /// A field of the requests to an endpoint.
    Field {
        /// The endpoint's path.
        endpoint: String,
        /// The model; empty: it is the same for all models of the server.
        model: String,
        /// The field's name.
        field: String,
    },
    /// Tokens of a model's context, prompt and answer together.
    Context(String),
    /// The most tokens of a model's answer.
    Output(String),
    /// The size of a rate limit: `requests` or `tokens`.
    RateLimit(String),
    /// Whether answers contain their cost, in `usage.cost`.
    Cost,
}

/// Fields that benchtop adds itself: support for them depends on the server, not on the model.
const SERVER_FIELDS: &[&str] = &["encoding_format", "stream_options"];

impl Subject {
    /// Returns the subject of what is known about a field of a model's requests to an endpoint.
    pub fn field(endpoint: &str, model: &str, field: &str) -> Self {
        let model = if SERVER_FIELDS.contains(&field) { "" } else { model };
        Self::Field { endpoint: endpoint.to_owned(), model: model.to_owned(), field: field.to_owned() }
    }

    /// Returns whether what is known about it is stored: limits are told again by answers and by the list of models.
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::RateLimit(_) | Self::Context(_) | Self::Output(_))
    }

    /// Returns the subject whose finding is obsolete once a field is sent by another name: the field of that name.
    pub fn opposite(&self, finding: &Finding) -> Option<Self> {
        match (self, finding) {
            (Self::Field { endpoint, model, .. }, Finding::Renamed(to)) => Some(Self::field(endpoint, model, to)),
            _ => None,
        }
    }
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The server has it.
    Available,
    /// The server does not have it.
    Missing,
    /// The field is refused: requests are sent without it.
    Refused,
    /// The field is refused by this name, and is sent by this one.
    Renamed(String),
    /// Longer lists in the field are refused: at most so many entries are sent in a request.
    AtMost(NonZeroUsize),
    /// A number of tokens.
    Tokens(u64),
    /// Text from the server.
    Text(String),
}

/// A change to a request that its server refuses as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adaptation {
    /// A field is left out.
    Omitted(String),
    /// A field is sent by another name.
    Renamed {
        /// Its name in the request.
        field: String,
        /// The name it is sent by.
        to: String,
    },
    /// The entries of a list are sent in several requests.
    Split {
        /// The name of the list's field.
        field: String,
        /// The most entries in a request.
        size: NonZeroUsize,
    },
}

impl Adaptation {
    /// Returns the change to a field that follows from a finding about it.
    pub fn of(field: &str, finding: &Finding) -> Option<Self> {
        let field = field.to_owned();
        match finding {
            Finding::Refused => Some(Self::Omitted(field)),
            Finding::Renamed(to) => Some(Self::Renamed { field, to: to.clone() }),
            Finding::AtMost(size) => Some(Self::Split { field, size: *size }),
            Finding::Available | Finding::Missing | Finding::Tokens(_) | Finding::Text(_) => None,
        }
    }

    /// Returns the field that is changed.
    pub fn field(&self) -> &str {
        match self {
            Self::Omitted(field) | Self::Renamed { field, .. } | Self::Split { field, .. } => field,
        }
    }

    /// Returns the finding that leads to the change.
    pub fn finding(&self) -> Finding {
        match self {
            Self::Omitted(_) => Finding::Refused,
            Self::Renamed { to, .. } => Finding::Renamed(to.clone()),
            Self::Split { size, .. } => Finding::AtMost(*size),
        }
    }

    /// Returns what was changed, as shown below an answer.
    pub fn words(&self) -> String {
        match self {
            Self::Omitted(field) => format!("sent without {field}, which the server refuses"),
            Self::Renamed { field, to } => format!("sent {to} instead of {field}, which the server refuses"),
            Self::Split { field, size: NonZeroUsize::MIN } => {
                format!("sent one {field} per request: the server refuses several")
            }
            Self::Split { field, size } => format!("sent {field} in lists of {size}: the server refuses longer ones"),
        }
    }
}
