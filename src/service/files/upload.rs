//! `POST /v1/files`: a form whose `file` part is written to the disk as it arrives.
//!
//! The file is never in memory as a whole: its bytes are hashed and written in blocks, counted against the
//! organisation's storage as they arrive, and become a file only when all of them have arrived and, for a training
//! file, each line is a JSON object. Dropping the upload before that leaves nothing behind.

use std::io::{self, BufReader, ErrorKind};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use multer::{Field, Multipart};

use super::super::body;
use super::super::caller::Caller;
use super::super::check;
use super::super::limits::{AROUND, STORED};
use super::super::reject::{Reject, short};
use super::super::state::State as Shared;
use super::disk::Partial;
use super::name;
use super::register::{Files, Reservation};
use super::stored::Status;
use super::upload_body::{BodyError, FileByteCounter, UploadBody};
use crate::api::file::File;
use crate::dataset::{self, Fault, LineLimits, Problem};

/// Purposes for which a caller may upload. Those for results are the service's own.
const PURPOSES: &[&str] = &[
    "fine-tune",
    "fine-tune-train",
    "search",
    "answers",
    "classifications",
    "assistants",
    "batch",
    "user_data",
    "vision",
    "evals",
];
/// Purposes of files whose rows a model is trained on.
const TRAINING: &[&str] = &["fine-tune", "fine-tune-train"];
/// Bytes of a purpose at most.
const WORD: usize = 200;
/// Bytes that are collected before they are written.
const BLOCK: usize = 1 << 20;
/// Files up to this size are checked before the answer, so that one can be deleted at once.
const SMALL: u64 = 1 << 20;

pub(super) async fn create(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Json<File>, Reject> {
    if let Some(encoding) = body::content_encoding(request.headers()) {
        return Err(body::unsupported_encoding(encoding, "as it is"));
    }
    let boundary = boundary(request.headers())?;
    let reservation = state.files().reserve(&caller.organisation);
    // A body that is announced as too large is not received.
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if let Some(announced) = announced.map(|length: u64| length.saturating_sub(AROUND))
        && !reservation.fits(announced)
    {
        return Err(storage_exceeded(announced));
    }
    let (body, file_bytes) = UploadBody::new(request.into_body().into_data_stream());
    let form = Multipart::new(body, boundary);
    let mut upload = Upload { files: state.files().clone(), reservation, file_bytes, purpose: None, file: None };
    upload.read(form).await?;
    upload.register().await
}

/// Returns the boundary of the form's parts. Fails if the content type is another or has none.
fn boundary(headers: &HeaderMap) -> Result<String, Reject> {
    let sent = headers.get(header::CONTENT_TYPE).map_or("", |sent| sent.to_str().unwrap_or("?"));
    multer::parse_boundary(sent).map_err(|why| match why {
        multer::Error::NoBoundary => Reject::bad("Invalid Content-Type header: multipart/form-data needs a boundary."),
        _ => Reject::bad(format!(
            "Invalid Content-Type header ({}), expected multipart/form-data. (HINT: If you're using curl, you can pass \
             -F for each field.)",
            short(sent, 100)
        )),
    })
}

/// An upload under way.
struct Upload {
    files: Files,
    reservation: Reservation,
    file_bytes: FileByteCounter,
    purpose: Option<String>,
    file: Option<Received>,
}

/// The file part, complete.
struct Received {
    filename: String,
    partial: Partial,
}

impl Upload {
    /// Reads all parts, in any order. Unknown ones are skipped.
    async fn read(&mut self, mut form: Multipart<'_>) -> Result<(), Reject> {
        while let Some(part) = form.next_field().await.map_err(form_error)? {
            match part.name() {
                Some("purpose") if self.purpose.is_none() => self.purpose = Some(purpose(part).await?),
                Some("file") if self.file.is_none() => self.file = Some(self.receive(part).await?),
                Some(twice @ ("purpose" | "file")) => {
                    return Err(Reject::bad(format!("'{twice}' was sent more than once")));
                }
                _ => skip(part).await?,
            }
        }
        Ok(())
    }

    /// Writes the file part to the disk as it arrives.
    async fn receive(&mut self, mut part: Field<'_>) -> Result<Received, Reject> {
        let files = self.files.clone();
        let mut partial = run_blocking(move || files.begin()).await?;
        let sent = part.file_name().map(str::to_owned);
        let sent = sent.or_else(|| name::extended(part.headers().get(header::CONTENT_DISPOSITION)?.as_bytes()));
        let filename = name::clean(&sent.unwrap_or_default());
        let mut block = Vec::new();
        while let Some(bytes) = part.chunk().await.map_err(form_error)? {
            self.file_bytes.add(bytes.len());
            if !self.reservation.grow(bytes.len() as u64) {
                return Err(storage_exceeded(partial.bytes() + (block.len() + bytes.len()) as u64));
            }
            block.extend_from_slice(&bytes);
            if block.len() >= BLOCK {
                (partial, block) = write(partial, block).await?;
            }
        }
        if !block.is_empty() {
            (partial, _) = write(partial, block).await?;
        }
        Ok(Received { filename, partial })
    }

    /// Registers the file.
    async fn register(self) -> Result<Json<File>, Reject> {
        let Self { files, reservation, purpose, file, .. } = self;
        let Some(Received { filename, partial }) = file else {
            return Err(Reject::bad("'file' is a required property"));
        };
        let Some(purpose) = purpose else {
            return Err(Reject::bad("'purpose' is a required property"));
        };
        let training = TRAINING.contains(&purpose.as_str());
        let partial = if training { check_format(partial).await? } else { partial };
        // Only files for training are checked.
        let status = if training { Status::Uploaded } else { Status::Processed };
        // The check starts where the file is stored: a caller who disconnects meanwhile must not leave an unchecked
        // file.
        let accepted = run_blocking(move || {
            let stored = files.register(partial, reservation, &purpose, &filename, status)?;
            let checked = training.then(|| tokio::task::spawn_blocking(files.check_later(stored.id.clone())));
            Ok((stored, checked))
        });
        let (stored, checked) = accepted.await?;
        if let Some(checked) = checked
            && stored.bytes <= SMALL
        {
            let _ = checked.await;
        }
        // The interface's answer to every upload, whatever the check has found by now.
        Ok(Json(File { status: Some("uploaded".into()), ..stored.file() }))
    }
}

/// Reads the purpose; fails unless a caller may upload for it.
async fn purpose(mut part: Field<'_>) -> Result<String, Reject> {
    let mut bytes = Vec::new();
    while let Some(more) = part.chunk().await.map_err(form_error)? {
        bytes.extend_from_slice(&more[..more.len().min(WORD + 1 - bytes.len().min(WORD + 1))]);
    }
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if PURPOSES.contains(&text.as_str()) {
        return Ok(text);
    }
    Err(check::not_one_of(&text.into(), PURPOSES, "purpose"))
}

/// Skips a part.
async fn skip(mut part: Field<'_>) -> Result<(), Reject> {
    while part.chunk().await.map_err(form_error)?.is_some() {}
    Ok(())
}

/// Appends a block to the file. Returns both, the block empty, for the next one.
async fn write(mut partial: Partial, mut block: Vec<u8>) -> Result<(Partial, Vec<u8>), Reject> {
    run_blocking(move || {
        partial.write(&block)?;
        block.clear();
        Ok((partial, block))
    })
    .await
}

/// Checks every line of a training file on the disk.
async fn check_format(partial: Partial) -> Result<Partial, Reject> {
    let (checked, partial) = run_blocking(move || {
        let lines = BufReader::with_capacity(1 << 16, partial.read()?);
        Ok((dataset::check(lines, LineLimits::default()), partial))
    })
    .await?;
    match checked {
        Ok(_) => Ok(partial),
        Err(Problem { fault: Fault::Read(why), .. }) => Err(storage_error(&io::Error::other(why))),
        Err(problem) => Err(Reject::bad(format_message(&problem))),
    }
}

/// Returns the interface's message for a file that is not JSON Lines.
fn format_message(problem: &Problem) -> String {
    const EXPECTED: &str = "Expected file to have JSONL format, where every line is a JSON dictionary.";
    let line = problem.line;
    match &problem.fault {
        Fault::NotObject { start, .. } => {
            // A byte order mark or an escape sequence would be invisible or harmful.
            let start: String = start
                .chars()
                .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
                .collect();
            format!("{EXPECTED} Line {line} is not a dictionary (HINT: line starts with: \"{start}…\").")
        }
        Fault::Empty => format!("{EXPECTED} The file is empty."),
        Fault::Encoding { wide } => {
            let hint = if *wide { "the file looks like UTF-16, save it as UTF-8" } else { "save the file as UTF-8" };
            format!("{EXPECTED} Line {line} is not valid UTF-8 (HINT: {hint}).")
        }
        Fault::LongLine(limit) => format!("{EXPECTED} Line {line} is longer than {limit} bytes."),
        other => format!("{EXPECTED} Line {line}: {other}."),
    }
}

/// Runs work that waits for the disk on a blocking thread.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, Reject> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)
        .and_then(|done| done)
        .map_err(|why| storage_error(&why))
}

/// Returns the refusal for a file that the disk did not take.
fn storage_error(why: &io::Error) -> Reject {
    tracing::error!(%why, "an upload could not be stored");
    match why.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            let message = "The disk that holds the local service's files is full. Free some space, then upload again.";
            Reject { kind: "server_error", ..Reject::new(StatusCode::INSUFFICIENT_STORAGE, message) }
        }
        _ => Reject::fault(),
    }
}

/// Returns the refusal for a file that exceeds the organisation's storage, by itself or with the others.
fn storage_exceeded(bytes: u64) -> Reject {
    let limit = STORED;
    if bytes > limit {
        let message = format!("The file is larger than the {limit} bytes (1 GiB) that an organization may store.");
        return Reject::new(StatusCode::PAYLOAD_TOO_LARGE, message);
    }
    Reject::bad(format!(
        "The file does not fit: an organization may store {limit} bytes (1 GiB) of files, uploads under way included. \
         Delete files that are not needed any more, then upload again."
    ))
}

/// Returns the refusal for a form that could not be read to its end.
fn form_error(why: multer::Error) -> Reject {
    use multer::Error::{IncompleteFieldData, IncompleteHeaders, IncompleteStream, StreamReadFailed};
    let cause = match &why {
        StreamReadFailed(cause) => cause.downcast_ref::<BodyError>(),
        _ => None,
    };
    match (cause, &why) {
        (Some(BodyError::Silent), _) => {
            let message = "The body of your request stopped arriving. Please send it again.";
            Reject::new(StatusCode::REQUEST_TIMEOUT, message)
        }
        (Some(BodyError::Around), _) => {
            let message = format!("The form has more than {AROUND} bytes beside the file. Please send less.");
            Reject::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        }
        (Some(BodyError::Body(_)), _) | (None, IncompleteFieldData { .. } | IncompleteHeaders | IncompleteStream) => {
            Reject::bad("The body of your request ended before it was complete. Please send it again.")
        }
        _ => Reject::bad(format!("We could not parse the multipart form of your request: {why}.")),
    }
}
