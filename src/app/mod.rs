//! The shell: loop, frames, focus, overlays.
