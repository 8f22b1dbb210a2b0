use std::borrow::Cow;

use super::filters;
use crate::error::{Code, Error};

/// The typed parameters of a path.
pub trait PathParameters: Copy + Send + Sync + 'static {
    /// Reads them from the raw segments that stand for the parameters of `path`, in their order; an error names the one
    /// that is no integer.
    fn read(path: &'static str, segments: &[String]) -> Result<Self, Error>;

    /// The path with them in it, in one spelling: what a cursor is bound to.
    fn fill(&self, path: &'static str) -> Cow<'static, str>;
}

impl PathParameters for () {
    fn read(_: &'static str, _: &[String]) -> Result<Self, Error> {
        Ok(())
    }

    fn fill(&self, path: &'static str) -> Cow<'static, str> {
        Cow::Borrowed(path)
    }
}

impl PathParameters for i64 {
    fn read(path: &'static str, segments: &[String]) -> Result<Self, Error> {
        parameter(path, segments, 0)
    }

    fn fill(&self, path: &'static str) -> Cow<'static, str> {
        fill(path, &[*self])
    }
}

impl PathParameters for (i64, i64) {
    fn read(path: &'static str, segments: &[String]) -> Result<Self, Error> {
        Ok((parameter(path, segments, 0)?, parameter(path, segments, 1)?))
    }

    fn fill(&self, path: &'static str) -> Cow<'static, str> {
        fill(path, &[self.0, self.1])
    }
}

/// The integer in the place of the parameter at `at`.
fn parameter(path: &'static str, segments: &[String], at: usize) -> Result<i64, Error> {
    let name = || path.split(['{', '}']).nth(2 * at + 1).unwrap_or_default();
    segments
        .get(at)
        .and_then(|text| filters::parse_integer(text))
        .ok_or_else(|| Error::field(Code::DatoInvalido, name(), "debe ser un entero"))
}

fn fill(path: &'static str, parameters: &[i64]) -> Cow<'static, str> {
    let mut parameters = parameters.iter();
    let segment = |text: &'static str| match text.starts_with('{').then(|| parameters.next()).flatten() {
        Some(number) => Cow::Owned(number.to_string()),
        None => Cow::Borrowed(text),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/webhooks/{clave}/entregas/{entrega}/reenviar";

    #[test]
    fn parameters_are_read_by_place_and_named_by_the_path() {
        let read = |segments: [&str; 2]| <(i64, i64)>::read(PATH, &segments.map(str::to_owned));
        assert_eq!(read(["7", "-12"]).unwrap(), (7, -12));
        for (segments, name) in [(["x", "y"], "clave: "), (["7", "1.0"], "entrega: ")] {
            let error = read(segments).unwrap_err();
            assert!(error.code() == Code::DatoInvalido && error.mensaje().starts_with(name), "{error}");
        }
    }

    #[test]
    fn a_path_has_one_spelling() {
        assert_eq!((7, -12).fill(PATH), "/webhooks/7/entregas/-12/reenviar");
        assert_eq!(
            i64::read(PATH, &["007".to_owned()]).unwrap().fill("/webhooks/{clave}/entregas"),
            "/webhooks/7/entregas"
        );
        assert_eq!(().fill("/webhooks"), "/webhooks");
    }
}
