//! From a profile to an endpoint: the key is looked up here, off the screen's thread, when it is first needed.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::keep::kept_key;
use super::paths::Paths;
use super::profile::{Endpoint, KeySource, Profile, is_exposed, origin};
use super::{limits, profile};

/// The endpoint of a profile. Blocks while a key command runs ([`limits::KEY_COMMAND`] at most): call it on a thread
/// that may wait. `hidden` are the variables that hold keys, this profile's and all others': the command gets none. The
/// error is a sentence.
pub fn resolve(
    profile: &Profile,
    paths: &Paths,
    env: impl Fn(&str) -> Option<String>,
    hidden: &[String],
) -> Result<Endpoint, String> {
    let base_url = profile::base_url(&profile.base_url)?;
    if profile.key != KeySource::None && is_exposed(&base_url) && !profile.allow_http {
        return Err(format!(
            "the key would go unencrypted to {}; use https, or set allow_http = true in this profile if that is meant",
            origin(&base_url)
        ));
    }
    let key = match &profile.key {
        KeySource::None => None,
        KeySource::Env(name) => {
            let value = env(name).filter(|value| !value.trim().is_empty());
            Some(value.ok_or_else(|| format!("the environment variable {name} is not set; set it and start again"))?)
        }
        KeySource::Command(command) => Some(run(command, hidden)?),
        KeySource::Kept(name) => {
            let key = kept_key(&paths.keys(), name, origin(&base_url))?;
            Some(key.ok_or_else(|| {
                format!("no key is kept for {name} at {}; paste one with Ctrl+P → Profile", origin(&base_url))
            })?)
        }
    };
    Ok(Endpoint {
        base_url,
        key: key.map(|key| SecretString::from(key.trim().to_owned())),
        organization: profile.organization.clone(),
        headers: profile.headers.clone(),
        extra_body: profile.extra_body.clone(),
        headers_limit: profile.headers_limit,
        idle_limit: limits::IDLE,
        route: profile.proxy.route(env),
    })
}

/// Ends what a key command started and left running; its process group bears the command's own id.
#[cfg(unix)]
fn end_group(child: &std::process::Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Gone already is as good.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// The first line a command prints. It gets no terminal and no key variable.
fn run(command: &str, hidden: &[String]) -> Result<String, String> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut child = Command::new(shell);
    child.args([flag, command]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    for name in hidden {
        child.env_remove(name);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut child, 0);
    let mut child =
        child.spawn().map_err(|error| format!("the key command does not start: {error}; correct api_key_cmd"))?;
    let mut out = child.stdout.take().expect("its output is a pipe");
    // Reading on a thread: a command that holds the pipe open must not outlast the limit.
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = out.by_ref().take(limits::KEY_COMMAND_OUTPUT).read_to_string(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    let started = Instant::now();
    let text = receiver.recv_timeout(limits::KEY_COMMAND);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if started.elapsed() < limits::KEY_COMMAND => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                // Before the wait: then the group's id cannot have become another's.
                #[cfg(unix)]
                end_group(&child);
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    if status.is_some() && text.is_err() {
        // It ended, and something it started still holds its output.
        #[cfg(unix)]
        end_group(&child);
    }
    let line = match (status, text) {
        (None, _) | (_, Err(_)) => {
            return Err(format!(
                "the key command took longer than {} s and was ended; run it by hand once",
                limits::KEY_COMMAND.as_secs()
            ));
        }
        (Some(status), _) if !status.success() => {
            return Err(format!("the key command failed ({status}); run it by hand to see why"));
        }
        (_, Ok(text)) => text.ok().and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_default(),
    };
    if line.trim().is_empty() {
        Err("the key command printed nothing; correct api_key_cmd".to_owned())
    } else {
        Ok(line)
    }
}
