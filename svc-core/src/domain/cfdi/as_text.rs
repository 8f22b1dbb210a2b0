//! Serializes as text an attribute that is a number or UUID in Rust.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize as _, Deserializer, Serializer, de};

pub(super) fn serialize<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(super) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    text.parse().map_err(|_| de::Error::custom("an attribute of another form"))
}
