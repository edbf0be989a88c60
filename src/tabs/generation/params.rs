//! Request fields as text, as they are typed and shown: shared by the tabs that generate.
