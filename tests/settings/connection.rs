//! Time limits and certificates of a profile.

use std::time::Duration;

use benchtop::settings::{ProfileId, limits};

use super::{WORK, load};

#[test]
fn time_limits_have_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    for (key, usual, most) in [
        ("connect_timeout", limits::CONNECT, limits::CONNECT_MOST),
        ("headers_timeout", limits::HEADERS, limits::HEADERS_MOST),
        ("idle_timeout", limits::IDLE, limits::IDLE_MOST),
    ] {
        for (value, good) in [
            ("0".to_owned(), false),
            ("1".to_owned(), true),
            (most.to_string(), true),
            ((most + 1).to_string(), false),
            ("-1".to_owned(), false),
            ("1.5".to_owned(), false),
            ("\"9\"".to_owned(), false),
        ] {
            let loaded = load(folder.path(), &format!("{WORK}{key} = {value}\n"), &[], |_| {});
            let profile = &loaded.settings.profiles[&ProfileId("work".into())];
            let limit = match key {
                "connect_timeout" => profile.connect_limit,
                "headers_timeout" => profile.headers_limit,
                _ => profile.idle_limit,
            };
            let wanted = if good { Duration::from_secs(value.parse().unwrap()) } else { usual };
            assert_eq!(limit, wanted, "{key} = {value}");
            let said = loaded.warnings.concat();
            assert_eq!(said.is_empty(), good, "{said}");
            assert!(
                good || said.contains(&format!("{key} must be a whole number of seconds from 1 to {most}")),
                "{said}"
            );
        }
    }
}

#[test]
fn a_file_of_certificates_is_beside_the_config_file_and_for_its_own_server_alone() {
    let folder = tempfile::tempdir().unwrap();
    let config = format!("{WORK}ca_file = \"own.pem\"\n");
    let loaded = load(folder.path(), &config, &[], |_| {});
    let Err(why) = super::endpoint(&loaded, &[]) else { panic!("there is no such file") };
    assert!(why.contains(&folder.path().join("own.pem").display().to_string()), "{why}");
    let elsewhere = load(folder.path(), &config, &[], |flags| {
        flags.profile = Some("work".into());
        flags.base_url = Some("https://other.example/v1".into());
    });
    assert!(elsewhere.warnings.concat().contains("ca_file"), "{:?}", elsewhere.warnings);
    assert!(super::endpoint(&elsewhere, &[]).is_ok());
}
