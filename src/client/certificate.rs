//! Describes a server's certificate: who issued it, and from when until when it is valid.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;
use x509_parser::x509::X509Name;

/// A certificate that expires in fewer days is said to expire soon.
const SOON_DAYS: i64 = 30;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// A certificate as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    /// `issued by Example CA (Example Ltd); valid from 2026-01-31 until 2026-04-30`
    pub(super) words: String,
    /// Whether it expires within [`SOON_DAYS`] days.
    pub(super) ends_soon: bool,
}

/// Summarizes a certificate (DER); `now` is in seconds since 1970. Returns `None` if it cannot be read.
pub(super) fn summarize(der: &[u8], now: i64) -> Option<Summary> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let validity = certificate.validity();
    let [from, until] = [validity.not_before, validity.not_after].map(|time| time.timestamp());
    let left = (until - now).div_euclid(DAY_SECONDS);
    let ends_soon = (0..SOON_DAYS).contains(&left);
    let mut words = format!(
        "issued by {}; valid from {} until {}",
        authority_name(certificate.issuer()),
        date(from)?,
        date(until)?
    );
    match left {
        0 => words.push_str("; expires today"),
        1 => words.push_str("; expires in 1 day"),
        // Writing to a String cannot fail.
        days if ends_soon => _ = write!(words, "; expires in {days} days"),
        _ => {}
    }
    Some(Summary { words, ends_soon })
}

/// Returns the name of an authority: its common name and its organization, or all parts of its name.
fn authority_name(issuer: &X509Name) -> String {
    let common = issuer.iter_common_name().find_map(|name| name.as_str().ok());
    let organization = issuer.iter_organization().find_map(|name| name.as_str().ok());
    match (common, organization) {
        (Some(common), Some(organization)) => format!("{common} ({organization})"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => issuer.to_string(),
    }
}

/// Returns the date of a time, in UTC.
fn date(seconds: i64) -> Option<String> {
    Some(Timestamp::from_second(seconds).ok()?.to_zoned(TimeZone::UTC).date().to_string())
}

/// Connects to a server and returns the certificate that it presents, whether or not it can be accepted. No request is
/// sent.
pub(super) async fn fetch(host: &str, port: u16, limit: Duration) -> Option<Vec<u8>> {
    tokio::time::timeout(limit, handshake(host, port)).await.ok()?
}

/// Begins a TLS handshake, as far as the certificate.
async fn handshake(host: &str, port: u16) -> Option<Vec<u8>> {
    let host = host.trim_matches(['[', ']']);
    let provider = Arc::new(ring::default_provider());
    let viewer = Arc::new(Viewer { provider: Arc::clone(&provider), seen: OnceLock::new() });
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let verifier: Arc<dyn ServerCertVerifier> = Arc::<Viewer>::clone(&viewer);
    let config = config.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    let mut session = ClientConnection::new(Arc::new(config), ServerName::try_from(host.to_owned()).ok()?).ok()?;
    let mut stream = TcpStream::connect((host, port)).await.ok()?;
    let mut buffer = [0; 4096];
    while viewer.seen.get().is_none() {
        let mut out = Vec::new();
        while session.wants_write() {
            session.write_tls(&mut out).ok()?;
        }
        stream.write_all(&out).await.ok()?;
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        let mut received = &buffer[..read];
        while !received.is_empty() && viewer.seen.get().is_none() {
            session.read_tls(&mut received).ok()?;
            // The viewer refuses each certificate.
            if session.process_new_packets().is_err() {
                return viewer.seen.get().cloned();
            }
        }
    }
    viewer.seen.get().cloned()
}

/// Keeps the certificate that a server presents, and accepts none.
#[derive(Debug)]
struct Viewer {
    provider: Arc<CryptoProvider>,
    seen: OnceLock<Vec<u8>>,
}

impl Viewer {
    fn refuse<T>() -> Result<T, Error> {
        Err(Error::General("it is only looked at".to_owned()))
    }
}

impl ServerCertVerifier for Viewer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let _ = self.seen.set(end_entity.to_vec());
        Self::refuse()
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Self::refuse()
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Self::refuse()
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustls::pki_types::pem::PemObject as _;

    use super::*;

    #[test]
    fn days_are_counted_where_few_are_left() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls/expired.pem");
        let der = CertificateDer::from_pem_file(file).expect("a certificate");
        // Until 2021-03-01 00:00 UTC.
        let end = 1_614_556_800;
        let valid = "issued by old test authority (benchtop tests); valid from 2020-01-01 until 2021-03-01";
        for (left, said, soon) in [
            (30 * DAY_SECONDS, "", false),
            (30 * DAY_SECONDS - 1, "; expires in 29 days", true),
            (DAY_SECONDS, "; expires in 1 day", true),
            (DAY_SECONDS - 1, "; expires today", true),
            (-1, "", false),
            (-DAY_SECONDS, "", false),
        ] {
            let summary = summarize(&der, end - left).expect("it can be read");
            assert_eq!((summary.words, summary.ends_soon), (format!("{valid}{said}"), soon), "{left}");
        }
        assert_eq!(summarize(&der[..der.len() / 2], end), None);
        assert_eq!(summarize(b"", end), None);
    }
}
