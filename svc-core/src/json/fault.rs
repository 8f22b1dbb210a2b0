//! The error of reading a body.

use std::borrow::Cow;
use std::fmt;

use serde::de;

use super::brief;
use crate::error::{Code, Error};

/// What is wrong with a body, and in which field: serde's error type for [`super::Json::read`].
///
/// `serde_path_to_error` around `serde_json` would also find the field. But the code depends on
/// whether a field was missing, unknown or invalid, and `serde_json` says so only in English text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    code: Code,
    field: String,
    text: Cow<'static, str>,
}

impl Fault {
    /// A fault of `field`, with a Spanish text.
    pub fn new(code: Code, field: impl Into<String>, text: impl Into<Cow<'static, str>>) -> Self {
        Self { code, field: field.into(), text: text.into() }
    }

    /// The code that the client gets.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The path of the field (`renglones[0].cantidad`); empty if the whole body is wrong.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Prefixes the path with the object or array that contains the field.
    pub(super) fn within(mut self, outer: &str) -> Self {
        let joint = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        self.field = format!("{outer}{joint}{}", self.field);
        self
    }

    fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Code::DatoInvalido, "", text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() { f.write_str(&self.text) } else { write!(f, "{}: {}", self.field, self.text) }
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::invalid(message.to_string())
    }

    /// `expected` comes from a field type of this crate; the deserializer words the faults of
    /// Rust's types. A `null` counts as missing (contract §1).
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        match found {
            de::Unexpected::Unit => Self::new(Code::DatoRequerido, "", "es obligatorio"),
            _ => Self::invalid(format!("debe ser {expected}")),
        }
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid(format!("debe ser {expected}"))
    }

    /// A field type reports length zero if a required field is empty, which counts as missing
    /// (contract §1).
    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        match length {
            0 => Self::new(Code::DatoRequerido, "", "es obligatorio"),
            _ => Self::invalid(format!("debe ser {expected}")),
        }
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::invalid(format!("debe ser uno de: {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(Code::CampoNoPermitido, brief(field), "no es un campo de esta operación")
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Code::DatoRequerido, field, "es obligatorio")
    }

    /// Parsing refuses repeated keys, so this key repeats a parameter of the path and is not a
    /// field of the body.
    fn duplicate_field(field: &'static str) -> Self {
        Self::unknown_field(field, &[])
    }
}

/// The fault of a value of another kind.
pub(super) fn is_not(expected: &str) -> Fault {
    Fault::invalid(format!("debe ser {expected}"))
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let message = fault.to_string();
        Error::new(fault.code).message(message)
    }
}
