//! Keys that the user has changed. They are those of the process: a test that changes some runs in one of its own.

use std::process::Command;

use benchtop::app::key_bindings;

/// Runs a test again in a process of its own and returns `false`; there, returns `true`.
pub fn in_own_process(test: &str) -> bool {
    const ALONE: &str = "BENCHTOP_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let told = Command::new(program).args(["--exact", test]).env(ALONE, "1").output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("1 passed"), "{told:?}");
    false
}

/// Puts a `bindings.toml` with this text in force, in place of the one before.
pub fn change_keys(bindings: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bindings.toml");
    std::fs::write(&path, bindings).unwrap();
    assert_eq!(key_bindings::load(&path, false), Vec::<String>::new());
}
