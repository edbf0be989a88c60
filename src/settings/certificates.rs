//! Reads the certificates of a profile's own authorities from a PEM file; errors name the line.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::read;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// Certificates that a profile trusts besides those of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authorities {
    /// Where they were read; empty: there are none.
    pub file: PathBuf,
    /// Each one as DER.
    pub certificates: Vec<Vec<u8>>,
}

/// Returns the path of a `ca_file`: `~/` is the home folder; a relative path begins at the config file's folder.
pub(super) fn ca_file_path(text: &str, config: &Path) -> PathBuf {
    let home = directories::BaseDirs::new();
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.home_dir().join(rest),
        _ => config.parent().unwrap_or(Path::new("")).join(text),
    }
}

/// Reads the certificates of a file. The error is a sentence with its path and, where it is known, the line.
pub(super) fn read_authorities(file: &Path) -> Result<Authorities, String> {
    let name = file.display();
    let text = read::text(file)
        .map_err(|why| format!("the ca_file {name} cannot be read: {why}; correct ca_file in this profile"))?;
    let wrong = |line: usize, what: &str| format!("the ca_file {name}, line {line}: {what}; replace the file");
    let mut certificates = Vec::new();
    let mut lines = text.lines().map(str::trim).enumerate().map(|(at, line)| (at + 1, line));
    while let Some((at, line)) = lines.next() {
        if line != BEGIN {
            continue;
        }
        let mut base64 = String::new();
        loop {
            match lines.next() {
                Some((_, END)) => break,
                Some((_, line)) if !line.starts_with('-') => base64.push_str(line),
                _ => return Err(wrong(at, "the certificate that begins here has no end")),
            }
        }
        let der = STANDARD.decode(&base64).map_err(|_| wrong(at, "the certificate that begins here is not base64"))?;
        let mut roots = rustls::RootCertStore::empty();
        roots.add(der.clone().into()).map_err(|_| wrong(at, "what begins here is not a certificate"))?;
        certificates.push(der);
    }
    if certificates.is_empty() {
        return Err(format!("the ca_file {name} contains no certificate; it must be a PEM file with “{BEGIN}”"));
    }
    Ok(Authorities { file: file.to_owned(), certificates })
}
