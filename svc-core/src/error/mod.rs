//! What can go wrong: a public [`Code`] with its text, and a cause that only the log shows.

mod code;

use std::borrow::Cow;
use std::fmt;

use http::StatusCode;

pub use code::{Code, OwnCode};

/// An error of an operation: a public code and text, and a cause that only the log shows.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: Option<Cow<'static, str>>,
    retry_after: Option<u32>,
    allow: Option<Box<str>>,
    transient: bool,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// The error of that code with its standard text.
    pub fn new(code: Code) -> Self {
        Self { code, message: None, retry_after: None, allow: None, transient: false, cause: None }
    }

    /// An error about a field or filter. The public text is the field's name, a colon and `text`.
    pub fn field(code: Code, field: &str, text: impl fmt::Display) -> Self {
        Self::new(code).message(format!("{field}: {text}"))
    }

    /// A failure of the service: `error_interno` for the client, the cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { cause: Some(cause.into()), ..Self::new(Code::ErrorInterno) }
    }

    /// Replaces the public text, which is Spanish.
    #[must_use]
    pub fn message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds a `Retry-After` header, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds an `Allow` header.
    #[must_use]
    pub(crate) fn allow(mut self, methods: impl Into<Box<str>>) -> Self {
        self.allow = Some(methods.into());
        self
    }

    /// The public code, `error.codigo` on the wire.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The HTTP status of the code.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The public text, in Spanish (`error.mensaje`).
    pub fn mensaje(&self) -> &str {
        self.message.as_deref().unwrap_or(self.code.mensaje())
    }

    pub(crate) fn retry_after_seconds(&self) -> Option<u32> {
        self.retry_after
    }

    pub(crate) fn allowed_methods(&self) -> Option<&str> {
        self.allow.as_deref()
    }

    /// Adds the cause for the log.
    #[must_use]
    pub(crate) fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Says whether the same transaction may succeed when it runs again.
    #[must_use]
    pub(crate) fn transient(mut self, transient: bool) -> Self {
        self.transient = transient;
        self
    }

    /// Whether the same transaction may succeed when it runs again.
    pub(crate) fn is_transient(&self) -> bool {
        self.transient
    }

    /// The cause, which must never reach a client.
    pub fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }

    pub(crate) fn into_cause(self) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        self.cause
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.codigo(), self.mensaje())
    }
}

impl std::error::Error for Error {}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Self::new(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_snake_case_errors() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.codigo()), "{} twice", code.codigo());
            assert!(code.codigo().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
            assert!((400..600).contains(&code.status()));
        }
    }

    #[test]
    fn the_internal_half_is_not_in_the_public_text() {
        let error = Error::internal("the password is hunter2");
        assert!(!error.to_string().contains("hunter2"));
        assert!(!error.mensaje().contains("hunter2"));
    }
}
