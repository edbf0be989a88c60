//! `benchtop serve`: the local service alone, for other programs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use secrecy::SecretString;

use super::limits::LAST;
use super::{Options, Running, secret, share, start};
use crate::settings::paths::make_private;

/// The command line of `benchtop serve`.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeArgs {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8787)]
    pub port: u16,
    /// Key that callers must show (other programs of this machine can see it: --key-file is safer)
    #[arg(long, value_name = "K", conflicts_with = "key_file")]
    pub key: Option<String>,
    /// File whose first line is the key
    #[arg(long, value_name = "F")]
    pub key_file: Option<PathBuf>,
    /// Directory for files, jobs and the key
    #[arg(long, alias = "data-dir", value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// The key, and how a shell gets at it.
struct Key {
    key: SecretString,
    /// The file it stands in; `None`: the caller gave it and knows it.
    file: Option<PathBuf>,
}

/// Serves until Ctrl-C or SIGTERM. Says on stdout where, with which key file and how to use it.
///
/// Fails with a sentence when the port is in use or the key cannot be read.
pub fn run(args: ServeArgs, default_data: &Path) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(until_told(args, default_data));
    runtime.shutdown_timeout(LAST);
    result
}

async fn until_told(args: ServeArgs, default_data: &Path) -> anyhow::Result<()> {
    let data = args.data.clone().unwrap_or_else(|| default_data.to_owned());
    let key = key(&args, &data)?;
    let options = Options { port: args.port, key: Some(key.key.clone()) };
    // Asked for before the first request, so that no signal falls between.
    let told = told()?;
    let running = start(options).await?;
    let lock = share::offer(&data, &running).await.unwrap_or_else(|why| {
        tracing::info!(%why, "the address could not be published: benchtop runs its own service beside this one");
        None
    });
    welcome(&running, key.file.as_deref())?;
    told.await;
    running.stop().await;
    drop(lock);
    Ok(())
}

/// The key given, or the one kept in the data directory, made at the first run.
fn key(args: &ServeArgs, data: &Path) -> anyhow::Result<Key> {
    if let Some(key) = &args.key {
        return Ok(Key { key: usable(key).context("--key")?, file: None });
    }
    if let Some(file) = &args.key_file {
        let text =
            fs::read_to_string(file).with_context(|| format!("the key file {} could not be read", file.display()))?;
        let key = usable(text.lines().next().unwrap_or_default())
            .with_context(|| format!("the first line of {}", file.display()))?;
        return Ok(Key { key, file: Some(absolute(file)) });
    }
    let file = absolute(&data.join("serve.key"));
    // Kept from run to run: what a shell exported stays true.
    if let Some(key) = fs::read_to_string(&file).ok().and_then(|text| usable(text.trim()).ok())
        && private(&file)
    {
        return Ok(Key { key, file: Some(file) });
    }
    let key = secret::new_key();
    make_private(data)
        .and_then(|()| secret::write_private(&file, secrecy::ExposeSecret::expose_secret(&key)))
        .with_context(|| {
            format!("no key was given and none could be kept in {}; give one with --key-file", file.display())
        })?;
    Ok(Key { key, file: Some(file) })
}

/// A key that fits a header.
fn usable(key: &str) -> anyhow::Result<SecretString> {
    let key = key.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        bail!("a key is one word of visible ASCII characters; this one is empty or has others");
    }
    Ok(SecretString::from(key.to_owned()))
}

/// Whether a file is its owner's alone. A key that others could read is made anew.
#[cfg(unix)]
fn private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|meta| matches!(meta.permissions().mode() & 0o777, 0o600 | 0o400))
}

/// Whether a file is its owner's alone: elsewhere the directory's own rules say so.
#[cfg(not(unix))]
fn private(_file: &Path) -> bool {
    true
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Done at Ctrl-C, and where there is one at SIGTERM and SIGHUP. The signals are taken before this returns.
fn told() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut int = signal(SignalKind::interrupt())?;
        let mut term = signal(SignalKind::terminate())?;
        let mut hup = signal(SignalKind::hangup())?;
        Ok(async move {
            tokio::select! { _ = int.recv() => {}, _ = term.recv() => {}, _ = hup.recv() => {} }
        })
    }
    #[cfg(not(unix))]
    {
        Ok(async {
            let _ = tokio::signal::ctrl_c().await;
        })
    }
}

/// The one thing this command prints.
fn welcome(running: &Running, file: Option<&Path>) -> anyhow::Result<()> {
    let base_url = running.base_url();
    let (kept, export) = match file {
        Some(file) => {
            let quoted = format!("'{}'", file.display().to_string().replace('\'', r"'\''"));
            // Of a file with more lines the first is the key.
            (file.display().to_string(), format!("\"$(head -n 1 {quoted})\""))
        }
        None => ("the one you gave".into(), "<your key>".into()),
    };
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "benchtop serves small local models at {base_url} (this machine only)\nkey: {kept}\n\n  export \
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
        ServeArgs { port: 0, key: None, key_file: None, data: None }
    }

    #[test]
    fn a_made_key_is_kept_until_others_could_read_it() {
        let data = tempfile::tempdir().unwrap();
        let first = key(&args(), data.path()).unwrap();
        let again = key(&args(), data.path()).unwrap();
        assert_eq!(first.key.expose_secret(), again.key.expose_secret());
        let file = first.file.unwrap();
        assert!(private(&file));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            let fresh = key(&args(), data.path()).unwrap();
            assert_ne!(first.key.expose_secret(), fresh.key.expose_secret());
            assert!(private(&file));
        }
    }

    #[test]
    fn a_given_key_is_one_word() {
        let data = tempfile::tempdir().unwrap();
        let given = key(&ServeArgs { key: Some(" k1 ".into()), ..args() }, data.path()).unwrap();
        assert_eq!((given.key.expose_secret(), given.file), ("k1", None));
        for bad in ["", " ", "a b", "ключ", "a\nb"] {
            assert!(key(&ServeArgs { key: Some(bad.into()), ..args() }, data.path()).is_err(), "{bad:?}");
        }
        let file = data.path().join("f");
        fs::write(&file, "from-file\r\nmore\n").unwrap();
        let read = key(&ServeArgs { key_file: Some(file), ..args() }, data.path()).unwrap();
        assert_eq!(read.key.expose_secret(), "from-file");
        let missing = ServeArgs { key_file: Some(data.path().join("none")), ..args() };
        let why = format!("{:#}", key(&missing, data.path()).err().expect("no such file"));
        assert!(why.starts_with("the key file ") && why.contains("could not be read"), "{why}");
    }

    #[tokio::test]
    async fn copies_of_benchtop_join_what_serve_offers() {
        let data = tempfile::tempdir().unwrap();
        let running = start(Options::default()).await.unwrap();
        let lock = share::offer(data.path(), &running).await.unwrap();
        assert!(lock.is_some());
        let copy = share::Local::join_or_start(data.path()).await.unwrap();
        let address = copy.address().borrow().clone();
        assert_eq!((address.base_url, address.mine), (running.base_url(), false));
        let second = start(Options::default()).await.unwrap();
        assert!(share::offer(data.path(), &second).await.unwrap().is_none(), "one at a time");
        let mut changes = copy.address();
        running.stop().await;
        drop(lock);
        changes.changed().await.unwrap();
        assert!(changes.borrow().mine, "the copy takes over");
    }
}
