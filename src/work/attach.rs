//! Files that go with a message: texts, and pictures of the four forms that servers take.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::save::expand;
use crate::record::Block;
use crate::record::work::Done;
use crate::ui::meter;

/// Bytes of a picture at most.
const PICTURE: u64 = 20_000_000;
/// Bytes of a text at most.
const TEXT: usize = 1_000_000;

/// Endings of pictures' names.
const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "webp", "gif"];

/// Reads a file by the path that was typed. What names no file is only a word, unless it can be nothing but a path.
pub(super) fn read(typed: &str) -> Done {
    let found = expand(typed).map_err(NoFile::None).and_then(|path| file(typed, &path));
    match found {
        Ok(block) => Done::Attached(Some(Box::new(block))),
        Err(NoFile::Unusable(why)) => Done::Failed(format!("{typed}: {why}").into()),
        Err(NoFile::None(why)) if is_surely_path(typed) => Done::Failed(format!("{typed}: {why}").into()),
        Err(NoFile::None(_)) => Done::Attached(None),
    }
}

/// Returns whether a word behind an `@` can be nothing but a path: others, as `@types/node` and `@/components/Button`,
/// may name something else.
fn is_surely_path(typed: &str) -> bool {
    let begins = ["~/", "./", "../"].iter().any(|begin| typed.starts_with(begin));
    let first = typed.strip_prefix('/').and_then(|rest| rest.split('/').find(|part| !part.is_empty()));
    let is_rooted = first.is_some_and(|first| Path::new("/").join(first).exists());
    // Quotes stood around it.
    begins || is_rooted || typed.contains(char::is_whitespace)
}

/// Why nothing is attached.
enum NoFile {
    /// There is no file of this name.
    None(String),
    /// There is one, which cannot be sent.
    Unusable(String),
}

fn file(typed: &str, path: &Path) -> Result<Block, NoFile> {
    let about = fs::metadata(path).map_err(|why| match why.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => NoFile::None(unreadable(&why)),
        _ => NoFile::Unusable(unreadable(&why)),
    })?;
    if about.is_dir() {
        let why = "it is a folder; attach its files one by one".to_owned();
        // A word such as `@tests` or `@..` may mean something else.
        return Err(if typed.contains(['/', '~']) { NoFile::Unusable(why) } else { NoFile::None(why) });
    }
    if !about.is_file() {
        return Err(NoFile::Unusable("it is not a regular file".to_owned()));
    }
    let file = File::open(path).map_err(|why| NoFile::Unusable(unreadable(&why)))?;
    attachment(typed, path, file).map_err(NoFile::Unusable)
}

/// Reads an open file to its end, as it goes with a message.
///
/// # Errors
/// It cannot be read or sent; words that follow its name.
pub fn attachment(typed: &str, path: &Path, file: File) -> Result<Block, String> {
    let mut bytes = Vec::new();
    file.take(PICTURE + 1).read_to_end(&mut bytes).map_err(|why| unreadable(&why))?;
    block(typed, path, bytes)
}

/// Says why a file cannot be read.
pub(super) fn unreadable(why: &io::Error) -> String {
    match why.kind() {
        ErrorKind::PermissionDenied => "you do not have permission to read it".to_owned(),
        ErrorKind::NotFound | ErrorKind::NotADirectory => "there is no such file".to_owned(),
        _ => format!("it cannot be read ({why})"),
    }
}

/// Returns the bytes of a file as they go with a message.
fn block(typed: &str, path: &Path, bytes: Vec<u8>) -> Result<Block, String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if bytes.len() as u64 > PICTURE {
        return Err("it is larger than 20 MB".to_owned());
    }
    let block = |kind: &str, data: String| Block::File { name: typed.into(), kind: kind.into(), data: data.into() };
    if let Some(kind) = picture(&bytes) {
        // A picture is large: it is encoded where it stays.
        let prefix = format!("data:{kind};base64,");
        let encoded = base64::encoded_len(bytes.len(), true).unwrap_or_default();
        let mut data = String::with_capacity(prefix.len() + encoded);
        data.push_str(&prefix);
        STANDARD.encode_string(&bytes, &mut data);
        return Ok(block(kind, data));
    }
    let text = text(bytes);
    if ENDINGS.contains(&ending.as_str()) {
        let found = if text.is_ok() { "the file is text" } else { "the file begins with other bytes" };
        return Err(format!("byte 1: not a PNG, JPEG, WebP or GIF image; {found}"));
    }
    Ok(block("text/plain", text?))
}

/// Returns the form of a picture by how it begins.
fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Returns the bytes as a text.
fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let at = |bytes: &[u8], byte: usize| {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..byte]).count();
        format!("line {line}, byte {}: neither an image nor UTF-8 text", byte + 1)
    };
    if let Some(zero) = bytes.iter().position(|byte| *byte == 0) {
        return Err(at(&bytes, zero));
    }
    let text = String::from_utf8(bytes).map_err(|why| at(why.as_bytes(), why.utf8_error().valid_up_to()))?;
    if text.len() > TEXT {
        return Err(format!("it is {} of text; at most 1 MB can be attached", meter::bytes(text.len() as u64)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_holds_and_a_wrong_one_is_told_with_its_place() {
        let home = tempfile::tempdir().unwrap();
        let read = |name: &str, bytes: &[u8]| {
            let path = home.path().join(name);
            fs::write(&path, bytes).unwrap();
            match read(path.to_str().unwrap()) {
                Done::Attached(Some(block)) => match *block {
                    Block::File { kind, data, .. } => format!("{} {}", kind.raw(), data.raw()),
                    block => panic!("{block:?}"),
                },
                Done::Failed(why) => why.raw().strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned(),
                done => panic!("{done:?}"),
            }
        };
        assert_eq!(read("a.txt", b"one\ntwo"), "text/plain one\ntwo");
        assert_eq!(read("a.png", b"\x89PNG\r\n\x1a\n"), "image/png data:image/png;base64,iVBORw0KGgo=");
        assert!(read("a", b"GIF89a").starts_with("image/gif data:image/gif;base64,"));
        assert!(read("b.png", b"\xff\xd8\xff\xe0").starts_with("image/jpeg "), "what it holds counts");
        assert!(read("c.webp", b"RIFF\0\0\0\0WEBPVP8 ").starts_with("image/webp "));
        assert_eq!(read("d.PNG", b"hello"), "byte 1: not a PNG, JPEG, WebP or GIF image; the file is text");
        assert!(read("e.jpg", b"\0\0").ends_with("begins with other bytes"));
        assert_eq!(read("f.txt", b"a\nb\xff"), "line 2, byte 4: neither an image nor UTF-8 text");
        assert_eq!(read("g.txt", b"a\0"), "line 1, byte 2: neither an image nor UTF-8 text");
        assert_eq!(read("h.txt", b""), "it is empty");
        assert_eq!(read("i.txt", &vec![b'x'; 2 * TEXT]), "it is 2 MB of text; at most 1 MB can be attached");
        assert_eq!(read("j.bin", &vec![b'x'; PICTURE as usize + 1]), "it is larger than 20 MB");
        let refused = |path: &str| match super::read(path) {
            Done::Failed(why) => why.raw().strip_prefix(&format!("{path}: ")).unwrap().to_owned(),
            done => panic!("{path}: {done:?}"),
        };
        let folder = home.path().to_str().unwrap();
        assert_eq!(refused(&format!("{folder}/nowhere")), "there is no such file");
        assert_eq!(refused("./no such file"), "there is no such file");
        assert_eq!(refused("no such file"), "there is no such file", "it stood in quotes");
        assert_eq!(refused(folder), "it is a folder; attach its files one by one");
        assert_eq!(refused("src/work"), "it is a folder; attach its files one by one");
        let below = format!("{folder}/f.txt/below");
        assert_eq!(refused(&below), "there is no such file");
        let words = ["dataclass", "types/node", "app.route", "..", "src", "/components/Button", "/Button"];
        for word in words {
            assert_eq!(super::read(word), Done::Attached(None), "{word}");
        }
        #[cfg(target_os = "linux")]
        {
            assert_eq!(refused("/dev/null"), "it is not a regular file");
            // Who may read everything may not read this.
            assert!(refused("/proc/self/mem").starts_with("it cannot be read ("));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_may_not_be_read_is_told() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.txt");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // Root may read it all the same.
        if let Done::Failed(why) = read(path.to_str().unwrap()) {
            assert!(why.raw().ends_with("a.txt: you do not have permission to read it"), "{}", why.raw());
        } else {
            assert!(fs::read(&path).is_ok());
        }
        let why = unreadable(&ErrorKind::PermissionDenied.into());
        assert_eq!(why, "you do not have permission to read it");
    }
}
