//! What Moderate and Embed have in common: choosing a file of texts, and lists of texts as they are kept.
