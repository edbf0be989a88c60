//! What outlives the program: SQLite behind one writer thread.
