//! Certificates: which servers are trusted, and what is said of those that are not.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use benchtop::api::call::{Call, FailureKind, Progress, Reply};
use benchtop::client;
use benchtop::settings::{Endpoint, KeySource, Paths, Profile, resolve};

use crate::server::{call, failed, next};
use crate::tls::{fixture, serve};

/// Returns the endpoint of a profile with a `ca_file`.
pub fn endpoint(url: &str, ca_file: &Path) -> Result<Endpoint, String> {
    let paths = Paths::find(Some(Path::new("/nowhere/config.toml")), Some(Path::new("/nowhere"))).unwrap();
    let ca_file = ca_file.display().to_string();
    resolve(&Profile { ca_file, ..Profile::new(url, KeySource::None) }, &paths, |_| None, &[])
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_where_its_file_is_named() {
    let url = serve();
    let trusted = endpoint(&url, &fixture("authority.pem")).unwrap();
    assert_eq!(trusted.authorities.certificates.len(), 1);
    let copied = client::curl(&trusted, &Call::Models);
    assert!(copied.contains("--cacert '/") && copied.contains("authority.pem'"), "{copied}");
    let (_client, mut news, _) = call(trusted, Call::Models);
    loop {
        match next(&mut news).await {
            Progress::Reply(Reply::Models(models)) => return assert_eq!(models[0].id, "m"),
            Progress::Closed(ended) => panic!("{ended:?}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_said_in_plain_words_and_not_tried_again() {
    let (_client, mut news, _) = call(Endpoint::new(serve(), None), Call::Models);
    let why = failed(&mut news).await;
    let said = why.sentence.line();
    assert_eq!((why.kind, why.attempts), (FailureKind::Offline, 1), "{said}");
    assert!(said.contains("not issued by an authority that this machine trusts") && said.contains("ca_file"), "{said}");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_named_so() {
    let url = elsewhere(&serve());
    let (_client, mut news, _) = call(endpoint(&url, &fixture("authority.pem")).unwrap(), Call::Models);
    let why = failed(&mut news).await;
    assert!(why.sentence.line().contains("it is for another host name"), "{}", why.sentence.line());
}

/// Leads to a server of this machine from an address that its certificate does not name; the base URL.
pub fn elsewhere(url: &str) -> String {
    // The whole of 127/8 is this machine, and the listener is at the first of it.
    let elsewhere = TcpListener::bind("127.0.0.2:0").unwrap();
    let port: u16 = url.rsplit(':').next().unwrap().trim_end_matches("/v1").parse().unwrap();
    let listener = format!("127.0.0.1:{port}");
    let url = format!("https://{}/v1", elsewhere.local_addr().unwrap());
    std::thread::spawn(move || {
        for near in elsewhere.incoming() {
            let (near, far) = (near.unwrap(), std::net::TcpStream::connect(&listener).unwrap());
            let (mut from, mut to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            std::thread::spawn(move || drop(std::io::copy(&mut from, &mut to)));
            let (mut from, mut to) = (far, near);
            std::thread::spawn(move || drop(std::io::copy(&mut from, &mut to)));
        }
    });
    url
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string(fixture("authority.pem")).unwrap();
    let file = folder.path().join("ca.pem");
    for (text, said) in [
        (String::new(), "contains no certificate"),
        (good.replace("-----END", "-----STOP"), "line 1: the certificate that begins here has no end"),
        (format!("{good}\n# two\n{}", good.replace("MII", "M!I")), "the certificate that begins here is not base64"),
        (
            "\n\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned(),
            "line 3: what begins here is not a certificate",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let Err(why) = endpoint("https://a.example/v1", &file) else { panic!("{said}") };
        assert!(why.contains(said) && why.contains(&file.display().to_string()), "{why}");
    }
    let Err(why) = endpoint("https://a.example/v1", &folder.path().join("gone.pem")) else { panic!() };
    assert!(why.contains("gone.pem cannot be read"), "{why}");
    std::fs::write(&file, format!("text before\n{good}{good}")).unwrap();
    assert_eq!(endpoint("https://a.example/v1", &file).ok().unwrap().authorities.certificates.len(), 2);
}

#[tokio::test]
async fn a_connection_is_waited_for_as_long_as_the_profile_says() {
    // An address that answers nothing: it is kept for documentation.
    let quick = Endpoint { connect_limit: Duration::from_millis(1), ..Endpoint::new("http://192.0.2.1/v1", None) };
    let (_client, mut news, _) = call(quick, Call::Models);
    let why = loop {
        match next(&mut news).await {
            Progress::Retrying { why, .. } => break why,
            Progress::Closed(ended) => break ended.unwrap_err(),
            _ => {}
        }
    };
    assert!(matches!(why.kind, FailureKind::Timeout | FailureKind::Offline), "{}", why.sentence.line());
}
