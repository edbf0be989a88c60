//! The token strip: one token, what the model thought of it, and what might have stood there instead.
