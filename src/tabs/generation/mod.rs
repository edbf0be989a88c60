//! One streamed run: request, phase, text, usage, timing.
