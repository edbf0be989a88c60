//! A home whose commands all use one server, and what they print, for tests of files and fine-tunes.

use std::path::{Path, PathBuf};

use crate::{Home, Ran, Running};

/// A home for commands. Without a server they use the local service.
pub struct Shell {
    home: Home,
    /// Arguments before those of each command.
    server: Vec<String>,
}

impl Ran {
    /// Returns the lines that were printed as JSON, each of which is what the schema's definition of this name says.
    pub fn json(&self, definition: &str) -> Vec<serde_json::Value> {
        crate::schema::lines(definition, &self.out)
    }

    /// Checks the status.
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

impl Shell {
    pub fn new() -> Self {
        Self { home: Home::new(), server: Vec::new() }
    }

    /// Creates a home whose commands use this server.
    pub fn at(url: &str) -> Self {
        Self { server: vec!["--base-url".into(), url.into()], ..Self::new() }
    }

    /// Returns the path of a file in the home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file into the home.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        self.server.iter().map(String::as_str).chain(args.iter().copied()).collect()
    }

    /// Starts a command.
    pub fn start(&self, args: &[&str]) -> Running {
        self.home.start(&self.args(args), "")
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.start(args).end()
    }

    /// Runs a command to its end. Returns the bytes that it printed.
    pub fn bytes(&self, args: &[&str]) -> Vec<u8> {
        self.home.command(&self.args(args)).output().unwrap().stdout
    }

    /// Runs a command whose reader closes the pipe at once.
    pub fn run_unread(&self, args: &[&str]) -> Ran {
        let mut running = self.start(args);
        running.close_output();
        running.end()
    }
}

/// Returns the path in a line that was printed.
pub fn printed_path(line: &str) -> &Path {
    Path::new(line.strip_suffix('\n').unwrap())
}
