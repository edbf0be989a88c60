//! Several outputs side by side, with the first token marked at which they part.
