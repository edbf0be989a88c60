//! Resolves a profile to an endpoint: the key is looked up here, off the screen's thread, when it is first needed.

use std::time::Duration;

use secrecy::SecretString;

use super::certificates::Authorities;
use super::keep::read_key;
use super::paths::Paths;
use super::profile::{Endpoint, KeySource, Profile, is_exposed, origin};
use super::{certificates, limits, profile};
use crate::api::advice::Advice;
use crate::process::{self, Failure};

/// Returns the endpoint of a profile. Blocks while a key command runs ([`limits::KEY_COMMAND`] at most) or the keyring
/// is asked ([`limits::KEYRING`] at most): call it on a thread that may wait. `hidden` are the variables that hold
/// keys, this profile's and all others': the command gets none. The error is a sentence.
pub fn resolve(
    profile: &Profile,
    paths: &Paths,
    env: impl Fn(&str) -> Option<String>,
    hidden: &[String],
) -> Result<Endpoint, String> {
    let base_url = profile::normalize_base_url(&profile.base_url)?;
    if profile.key != KeySource::None && is_exposed(&base_url) && !profile.allow_http {
        return Err(format!(
            "the key would go unencrypted to {}; use https, or set allow_http = true in this profile to allow it",
            origin(&base_url)
        ));
    }
    let authorities = match profile.ca_file.as_str() {
        "" => Authorities::default(),
        file => certificates::read_authorities(&certificates::ca_file_path(file, &paths.config))?,
    };
    let key = match &profile.key {
        KeySource::None => None,
        KeySource::Env(name) => {
            let value = env(name).filter(|value| !value.trim().is_empty());
            let unset = || format!("the environment variable {name} is not set; {}", Advice::SetVariable.words());
            Some(value.ok_or_else(unset)?)
        }
        KeySource::Command(command) => Some(run_key_command(command, hidden, limits::KEY_COMMAND)?),
        KeySource::Kept(name) => {
            let key = read_key(&paths.keys(), name, origin(&base_url))?;
            Some(key.ok_or_else(|| {
                format!("no key is stored for {name} at {}; {}", origin(&base_url), Advice::PasteKey.words())
            })?)
        }
        KeySource::Keyring(entry) => Some(entry.read(&base_url)?),
    };
    let key_variable = if let KeySource::Env(name) = &profile.key { Some(name.clone()) } else { None };
    Ok(Endpoint {
        base_url,
        key_variable,
        key: key.map(|key| SecretString::from(key.trim().to_owned())),
        organization: profile.organization.clone(),
        headers: profile.headers.clone(),
        extra_body: profile.extra_body.clone(),
        fine_tunes: profile.fine_tunes,
        connect_limit: profile.connect_limit,
        takeover_limit: Duration::ZERO,
        headers_limit: profile.headers_limit,
        idle_limit: profile.idle_limit,
        authorities,
        route: profile.proxy.route(env),
    })
}

/// Runs a key command, and returns the first line that it prints. The command gets no terminal and no variable with a
/// key. Its error output is shown nowhere: it may quote a key.
fn run_key_command(command: &str, hidden: &[String], limit: Duration) -> Result<String, String> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut program = process::command(shell);
    program.args([flag, command]);
    for name in hidden {
        program.env_remove(name);
    }
    let limits = process::Limits { time: limit, bytes: limits::KEY_COMMAND_OUTPUT };
    let output = process::run(program, Vec::new(), limits, || false).map_err(|why| match why {
        Failure::NotStarted(error) => format!("the key command could not be started: {error}; correct api_key_cmd"),
        Failure::Unreadable(error) => format!("the key command's output could not be read: {error}"),
        Failure::TookTooLong | Failure::Cancelled => {
            let seconds = limit.as_secs_f64();
            format!("the key command took longer than {seconds} s and was stopped; run it by hand to see why")
        }
    })?;
    if !output.status.success() {
        return Err(format!("the key command failed ({}); run it by hand to see why", output.status));
    }
    let line = first_line(&output.text)?;
    if line.trim().is_empty() {
        Err("the key command printed nothing; correct api_key_cmd".to_owned())
    } else {
        Ok(line)
    }
}

/// Returns the first line of an output, without its line end.
fn first_line(output: &[u8]) -> Result<String, String> {
    let line = output.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() as u64 > limits::KEY_COMMAND_OUTPUT {
        let most = limits::KEY_COMMAND_OUTPUT >> 10;
        return Err(format!("the key command's first line is longer than {most} KiB; correct api_key_cmd"));
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8(line.to_vec()).map_err(|_| "the key command's output is not text; correct api_key_cmd".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_is_as_long_as_its_limit() {
        let most = limits::KEY_COMMAND_OUTPUT as usize;
        for (over, good) in [(-1, true), (0, true), (1, false)] {
            let line = "k".repeat(most.saturating_add_signed(over));
            for output in [line.clone(), format!("{line}\nmore")] {
                assert_eq!(first_line(output.as_bytes()).ok(), good.then(|| line.clone()), "{over:+}");
            }
        }
        assert_eq!(first_line(b"k\r\n\xff").as_deref(), Ok("k"));
        assert!(first_line(b"\xff\n").unwrap_err().contains("is not text"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_that_does_not_end_is_ended_with_all_it_began() {
        let folder = tempfile::tempdir().expect("a folder");
        let pid = folder.path().join("pid");
        for command in ["sleep 600 & echo $! > PID; wait", "sleep 600 & echo $! > PID; echo key"] {
            let _ = std::fs::remove_file(&pid);
            let command = command.replace("PID", &pid.display().to_string());
            let why = run_key_command(&command, &[], Duration::from_secs(2)).expect_err("it does not end");
            assert!(why.contains("longer than 2 s and was stopped"), "{why}");
            let pid = std::fs::read_to_string(&pid).expect("it began");
            let stat = format!("/proc/{}/stat", pid.trim());
            let begun = std::time::Instant::now();
            // Dead, or dead and not yet taken away.
            while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
                assert!(begun.elapsed() < Duration::from_mins(1), "what the command began lives on");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}
