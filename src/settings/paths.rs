//! Where benchtop keeps its files.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::bindings_file::BINDINGS_FILE;

/// Why there is no place for files.
const NO_HOME: &str = "no home folder is known: set HOME, or use --config and --data-dir";

/// The config file and the data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// `config.toml`; beside it `keys.toml`, `prices.toml`, `bindings.toml` and the folder `themes`.
    pub config: PathBuf,
    /// Store, logs, the local service's files.
    pub data: PathBuf,
}

impl Paths {
    /// Returns the platform's directories, or those that flags name. A relative `HOME` counts as none, since it would be
    /// another directory wherever benchtop is started. No other directory is used instead: in one that everybody can
    /// write to, another user could leave a config file that names a command to run.
    ///
    /// # Errors
    /// There is no home directory, and not both are named; a sentence.
    pub fn find(config: Option<&Path>, data: Option<&Path>) -> Result<Self, String> {
        Ok(Self {
            config: named_or(config, |dirs| dirs.config_dir().join("config.toml"))?,
            data: named_or(data, |dirs| dirs.data_dir().to_owned())?,
        })
    }

    /// Returns the name of the config file, by which faults name it.
    pub fn config_name(&self) -> Cow<'_, str> {
        self.config.file_name().unwrap_or(self.config.as_os_str()).to_string_lossy()
    }

    /// Returns the path of the store.
    pub fn store(&self) -> PathBuf {
        self.data.join("benchtop.db")
    }

    /// Returns the directory of the logs.
    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// Returns the path of the file of prices.
    pub fn prices(&self) -> PathBuf {
        self.config.with_file_name("prices.toml")
    }

    /// Returns the path of the file of key bindings.
    pub fn bindings(&self) -> PathBuf {
        self.config.with_file_name(BINDINGS_FILE)
    }

    /// Returns the folder of the user's own themes.
    pub fn themes(&self) -> PathBuf {
        self.config.with_file_name("themes")
    }

    /// Returns the path of the file of pasted keys.
    pub fn keys(&self) -> PathBuf {
        self.config.with_file_name("keys.toml")
    }
}

/// Returns the path that is named, else the one that is found among the platform's directories.
fn named_or(named: Option<&Path>, find: fn(&ProjectDirs) -> PathBuf) -> Result<PathBuf, String> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let absolute = |dirs: &ProjectDirs| dirs.config_dir().is_absolute() && dirs.data_dir().is_absolute();
    let dirs = ProjectDirs::from("", "", "benchtop").filter(absolute);
    dirs.map(|dirs| find(&dirs)).ok_or_else(|| NO_HOME.to_owned())
}

/// Creates a directory (and its parents) that only the user can enter; one that exists keeps its mode. Whichever part
/// of the program first needs a directory under the data directory creates it this way.
pub fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a directory for the program's own files, and makes it and the files directly in it accessible to the user
/// alone, also if they exist with wider modes. Links are not followed.
pub fn keep_private(path: &Path) -> io::Result<()> {
    make_private(path)?;
    #[cfg(unix)]
    {
        restrict_mode(path, 0o700);
        for entry in std::fs::read_dir(path)?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                restrict_mode(&entry.path(), 0o600);
            }
        }
    }
    Ok(())
}

/// Creates the data directory, accessible to the user alone. The user may have named a directory that exists: its mode
/// changes only if it is empty or has the program's own files in it, and of its contents only that of `service.json`.
pub fn keep_data_private(path: &Path) -> io::Result<()> {
    make_private(path)?;
    #[cfg(unix)]
    {
        let own = ["service.json", "service", "benchtop.db"].iter().any(|name| path.join(name).exists());
        if own || std::fs::read_dir(path)?.next().is_none() {
            restrict_mode(path, 0o700);
        }
        restrict_mode(&path.join("service.json"), 0o600);
    }
    Ok(())
}

/// Removes from a mode what `most` does not allow. A directory that is shared on purpose (`/tmp`), files of other
/// users, and all on a disk without modes are left as they are.
#[cfg(unix)]
fn restrict_mode(path: &Path, most: u32) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    const SHARED: u32 = 0o1000;
    // A file that is gone by now needs no mode.
    let Ok(meta) = std::fs::symlink_metadata(path) else { return };
    let mode = meta.permissions().mode() & 0o7777;
    let wide = mode & 0o777 & !most != 0 && mode & SHARED == 0;
    if wide && !meta.is_symlink() && meta.uid() == rustix::process::geteuid().as_raw() {
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & (most | 0o7000)));
    }
}
