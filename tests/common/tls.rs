//! A server with a certificate of an authority that only the tests know.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tls").join(name)
}

/// Serves a list of models over TLS to each connection; its base URL.
pub fn serve() -> String {
    serve_with("server")
}

/// The same with the certificate of this name.
pub fn serve_with(name: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let certificate = CertificateDer::from_pem_file(fixture(&format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture(&format!("{name}-key.pem"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let config = Arc::clone(&config);
            std::thread::spawn(move || {
                let session = rustls::ServerConnection::new(config).unwrap();
                let mut stream = rustls::StreamOwned::new(session, socket.unwrap());
                let mut piece = [0; 4096];
                // One that does not trust us goes away here.
                if stream.read(&mut piece).is_ok_and(|read| read > 0) {
                    let body = r#"{"object":"list","data":[{"id":"m"}]}"#;
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
                    let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    let _ = stream.flush();
                }
            });
        }
    });
    url
}
