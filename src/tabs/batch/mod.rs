//! A long list of texts sent in requests of some texts each, a few at a time: what is done, what is under way, how fast, and
//! how long it will take. Pauses, goes on after a restart, and keeps the order.
