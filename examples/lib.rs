//! Ways to embed the API; each example is one file beside this one.
