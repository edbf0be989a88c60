//! Chat: conversations, transcript, composer, parameters.
