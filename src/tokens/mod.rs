//! Tokenizers, context limits and prices: text → count, count → cost.
