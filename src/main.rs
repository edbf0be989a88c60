//! The program: parse the command line, start the local service when needed, run the app, give the terminal back.

fn main() {}
