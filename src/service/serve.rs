//! `benchtop serve`: the local service alone, for other programs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::limits::LAST;
use super::{Keys, LogSink, Options, Running, secret, share, start};
#[cfg(unix)]
use crate::process::ignored_signals::was_ignored;
use crate::settings::paths::make_private;
use crate::text::Untrusted;

/// What follows the flags in its help.
const AFTER: &str = "\
Ctrl+C, SIGTERM and SIGHUP stop it; its exit status is 0 then, and 2 if it could not start.";
/// How it exits, by status.
pub const STATUSES: [(u8, &str); 2] = [
    (0, "stopped by Ctrl+C, SIGTERM or SIGHUP"),
    (2, "it could not start: a flag is wrong, the port is taken, or a key or the data directory cannot be used"),
];

/// The command line of `benchtop serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER)]
pub struct ServeArgs {
    /// Port on 127.0.0.1; 0 chooses a free one
    #[arg(long, default_value_t = 8787)]
    pub port: u16,
    /// Key that callers must show (other programs of this machine can see it: --key-file is safer)
    #[arg(long, value_name = "KEY", conflicts_with = "key_file")]
    pub key: Option<String>,
    /// File of keys, a line each: KEY ORGANISATION owner|reader; the first may be a KEY alone
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// The same as --data-dir
    #[arg(long, value_name = "DIR", hide = true)]
    pub data: Option<PathBuf>,
    /// File to which a line is added for each request, or - for standard output: time, method, path, status,
    /// milliseconds, tokens
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// The keys, and where a shell finds the first.
struct ServiceKeys {
    keys: Keys,
    /// The file they are in; `None`: the caller passed the key and knows it.
    file: Option<PathBuf>,
}

/// Serves until Ctrl-C or SIGTERM. Prints where, with which key file and how to use it.
///
/// Fails with a sentence when the port is in use or the key cannot be read.
pub fn run(args: ServeArgs, data: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(serve_until_signal(args, data));
    runtime.shutdown_timeout(LAST);
    result
}

async fn serve_until_signal(args: ServeArgs, data: &Path) -> anyhow::Result<()> {
    let claim = share::claim(data).await.with_context(|| format!("{} cannot be served", data.display()))?;
    let ServiceKeys { keys, file } = load_keys(&args, data)?;
    let further = keys.count() - 1;
    // Other processes read from the data directory how to join. A key that was given is not stored there.
    let own = file.as_ref().is_some_and(|file| *file == key_file(data));
    let keys = if own { keys } else { keys.with_new_own_key() };
    // Installed before the first request, so that no signal is missed.
    let shutdown = shutdown_signal()?;
    let log = args.log.as_deref().map(open_log).transpose()?;
    let running = start(Options { port: args.port, keys: Some(keys), data: Some(data.to_owned()), log }).await?;
    let lock = claim.publish(data, &running).context("the address could not be written for other copies")?;
    print_instructions(&running, file.as_deref(), further)?;
    shutdown.await;
    running.stop().await;
    drop(lock);
    Ok(())
}

/// Opens the request log for appending.
fn open_log(file: &Path) -> anyhow::Result<LogSink> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdout()));
    }
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(file).with_context(|| format!("the log {} could not be opened", file.display()))?;
    Ok(Box::new(opened))
}

/// Returns the keys given, or those stored in the data directory, which are created at the first run. Fails if a key
/// file is unreadable or malformed.
fn load_keys(args: &ServeArgs, data: &Path) -> anyhow::Result<ServiceKeys> {
    if let Some(key) = &args.key {
        if key.trim().is_empty() {
            bail!("--key: the key is empty: give one, or leave the flag out for the key of the data directory");
        }
        let keys = Keys::read(key.trim()).map_err(|why| anyhow::anyhow!(why.what)).context("--key")?;
        return Ok(ServiceKeys { keys, file: None });
    }
    if let Some(file) = &args.key_file {
        let text =
            fs::read_to_string(file).with_context(|| format!("the key file {} could not be read", file.display()))?;
        let keys = Keys::read(&text).with_context(|| format!("the key file {}", file.display()))?;
        if !is_private(file) {
            // Not refused: in containers such files are often readable by everybody.
            let shown = Untrusted::new(file.display().to_string());
            let warning = "can be read by other users of this machine, and so can the keys in it. Run: chmod 600";
            writeln!(std::io::stderr(), "benchtop: warning: the key file {0} {warning} {0}", shown.line())?;
        }
        return Ok(ServiceKeys { keys, file: Some(absolute(file)) });
    }
    let (keys, file) = stored_keys(data)?;
    Ok(ServiceKeys { keys, file: Some(file) })
}

/// Returns the path of the key file in a data directory.
fn key_file(data: &Path) -> PathBuf {
    absolute(&data.join("serve.key"))
}

/// Returns the keys in `serve.key` of a data directory, and that file; creates it if it is missing. Fails if it is
/// malformed, or holds several keys that others can read.
pub(super) fn stored_keys(data: &Path) -> anyhow::Result<(Keys, PathBuf)> {
    let file = key_file(data);
    // Stored between runs: what a shell exported stays valid.
    if let Ok(text) = fs::read_to_string(&file) {
        let own = is_private(&file);
        match Keys::read(&text) {
            Ok(keys) if own => return Ok((keys, file)),
            // What somebody wrote there is not replaced.
            Err(why) if own => return Err(why).with_context(|| format!("the key file {}", file.display())),
            Ok(keys) if keys.count() > 1 => {
                bail!("{} can be read by others: give it mode 600, or change its keys", file.display())
            }
            _ => {}
        }
    }
    let key = secret::new_key();
    make_private(data)
        .and_then(|()| secret::write_private(&file, secrecy::ExposeSecret::expose_secret(&key)))
        .with_context(|| {
            format!("no key was given and none could be stored in {}; specify one with --key-file", file.display())
        })?;
    Ok((Keys::single(key), file))
}

/// Returns whether a file is accessible to its owner alone. A key that others could read is replaced.
#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|meta| matches!(meta.permissions().mode() & 0o777, 0o600 | 0o400))
}

/// Returns true: here the directory's own permissions protect it.
#[cfg(not(unix))]
fn is_private(_file: &Path) -> bool {
    true
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns a future that completes at Ctrl-C, and where they exist at SIGTERM and SIGHUP, except for those that were
/// ignored at the start. The signal handlers are installed before this returns.
fn shutdown_signal() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use std::task::Poll;
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let kinds = kinds.into_iter().filter(|kind| !was_ignored(kind.as_raw_value()));
        let mut signals = kinds.map(signal).collect::<Result<Vec<_>, _>>()?;
        Ok(std::future::poll_fn(move |cx| {
            let has_come = signals.iter_mut().any(|signal| signal.poll_recv(cx).is_ready());
            if has_come { Poll::Ready(()) } else { Poll::Pending }
        }))
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
        })
    }
}

/// Prints where the service is, its key file and how to use it; this command prints nothing else.
fn print_instructions(running: &Running, file: Option<&Path>, further: usize) -> anyhow::Result<()> {
    let base_url = running.base_url();
    let (kept, export) = match file {
        Some(file) => {
            let quoted = format!("'{}'", file.display().to_string().replace('\'', r"'\''"));
            // The key is the first word of the first line.
            (file.display().to_string(), format!("\"$(awk 'NR == 1 {{print $1}}' {quoted})\""))
        }
        None => ("the one you gave".into(), "<your key>".into()),
    };
    let further = match further {
        0 => String::new(),
        1 => " (and one further key)".into(),
        many => format!(" (and {many} further keys)"),
    };
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "benchtop serves small local models at {base_url} (this machine only)\nkey: {kept}{further}\n\n  export \
         OPENAI_BASE_URL={base_url}    # openai-python before 1.0: OPENAI_API_BASE\n  export OPENAI_API_KEY={export}\n\n\
         Ctrl-C stops."
    )?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn args() -> ServeArgs {
        ServeArgs { port: 0, key: None, key_file: None, data: None, log: None }
    }

    fn own_key(admitted: &ServiceKeys) -> &str {
        admitted.keys.own_key().expose_secret()
    }

    #[test]
    fn a_made_key_is_kept_until_others_could_read_it() {
        let data = tempfile::tempdir().unwrap();
        let made = load_keys(&args(), data.path()).unwrap();
        let again = load_keys(&args(), data.path()).unwrap();
        assert_eq!(own_key(&made), own_key(&again));
        let file = made.file.clone().unwrap();
        assert!(is_private(&file));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let open = || fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            open();
            let fresh = load_keys(&args(), data.path()).unwrap();
            assert_ne!(own_key(&made), own_key(&fresh));
            assert!(is_private(&file));
            // Lines that somebody added are kept.
            fs::write(&file, "sk-one\nsk-two acme reader\n").unwrap();
            assert_eq!(load_keys(&args(), data.path()).unwrap().keys.count(), 2);
            open();
            let why = load_keys(&args(), data.path()).err().expect("others can read it").to_string();
            assert!(why.contains("can be read by others"), "{why}");
            assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        }
    }

    #[test]
    fn a_given_key_is_one_word() {
        let data = tempfile::tempdir().unwrap();
        let given = load_keys(&ServeArgs { key: Some(" k1 ".into()), ..args() }, data.path()).unwrap();
        assert_eq!((own_key(&given), given.file.as_ref()), ("k1", None));
        for bad in ["", " ", "a b", "ключ", "a\nb"] {
            assert!(load_keys(&ServeArgs { key: Some(bad.into()), ..args() }, data.path()).is_err(), "{bad:?}");
        }
        let file = data.path().join("f");
        fs::write(&file, "from-file\r\nmore acme owner\n").unwrap();
        let read = load_keys(&ServeArgs { key_file: Some(file.clone()), ..args() }, data.path()).unwrap();
        assert_eq!((own_key(&read), read.keys.count()), ("from-file", 2));
        fs::write(&file, "from-file\nmore\n").unwrap();
        let bad = ServeArgs { key_file: Some(file), ..args() };
        let why = format!("{:#}", load_keys(&bad, data.path()).err().expect("no organisation"));
        assert!(why.contains("line 2: ") && !why.contains("more\n"), "{why}");
        let missing = ServeArgs { key_file: Some(data.path().join("none")), ..args() };
        let why = format!("{:#}", load_keys(&missing, data.path()).err().expect("no such file"));
        assert!(why.starts_with("the key file ") && why.contains("could not be read"), "{why}");
    }

    #[tokio::test]
    async fn copies_of_benchtop_join_what_serve_offers() {
        let data = tempfile::tempdir().unwrap();
        let claim = share::claim(data.path()).await.unwrap();
        let keys = Keys::read("sk-first acme owner\nsk-other acme reader").unwrap();
        let options = Options { keys: Some(keys), data: Some(data.path().to_owned()), ..Options::default() };
        let running = start(options).await.unwrap();
        let served = running.base_url();
        let lock = claim.publish(data.path(), &running).unwrap();
        let copy = share::Local::join_or_start(data.path()).await.unwrap();
        let address = copy.address().borrow().clone();
        assert_eq!((address.base_url, address.mine), (running.base_url(), false));
        let why = share::claim(data.path()).await.err().expect("one at a time").to_string();
        assert!(why.contains(&running.base_url()) && why.contains(&std::process::id().to_string()), "{why}");
        let mut changes = copy.address();
        running.stop().await;
        drop(lock);
        changes.changed().await.unwrap();
        {
            let now = changes.borrow();
            assert!(now.mine, "the copy takes over");
            let kept = (now.base_url.as_str(), now.key.expose_secret());
            assert_eq!(kept, (served.as_str(), "sk-first"), "for those who know the address");
        }
        assert!(!data.path().join("serve.key").exists(), "a key that was given is not made the directory's own");
        let why = share::claim(data.path()).await.err().expect("the copy serves now").to_string();
        assert!(why.contains(&changes.borrow().base_url), "{why}");
    }
}
