//! The parameters of a path (`{name}`). All are integers.

use std::borrow::Cow;

use crate::domain::text::parse_integer;
use crate::error::{Code, Error};

/// Names and values, in the path's order.
pub(crate) type Parameters = Vec<(&'static str, i64)>;

/// Reads the segments that fill the parameters of `path`; an error names the parameter that is no
/// integer.
pub(crate) fn read(path: &'static str, segments: &[String]) -> Result<Parameters, Error> {
    let names = path.split(['{', '}']).skip(1).step_by(2);
    let read = |(name, text): (&'static str, &String)| match parse_integer(text) {
        Some(number) => Ok((name, number)),
        None => Err(Error::field(Code::DatoInvalido, name, "debe ser un entero")),
    };
    names.zip(segments).map(read).collect()
}

/// Fills the parameters in. The result is canonical, because cursors are bound to it.
pub(crate) fn fill(path: &'static str, parameters: &[(&'static str, i64)]) -> Cow<'static, str> {
    if parameters.is_empty() {
        return Cow::Borrowed(path);
    }
    let filled = |path: String, (name, number): &(&str, i64)| path.replace(&format!("{{{name}}}"), &number.to_string());
    parameters.iter().fold(path.to_owned(), filled).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/webhooks/{clave}/entregas/{entrega}/reenviar";

    #[test]
    fn parameters_are_read_by_place_and_named_by_the_path() {
        let read = |segments: [&str; 2]| read(PATH, &segments.map(str::to_owned));
        assert_eq!(read(["7", "-12"]).unwrap(), [("clave", 7), ("entrega", -12)]);
        for (segments, name) in [(["x", "y"], "clave: "), (["7", "1.0"], "entrega: ")] {
            let error = read(segments).unwrap_err();
            assert!(error.code() == Code::DatoInvalido && error.mensaje().starts_with(name), "{error}");
        }
    }

    #[test]
    fn a_path_has_one_spelling() {
        assert_eq!(fill(PATH, &[("clave", 7), ("entrega", -12)]), "/webhooks/7/entregas/-12/reenviar");
        let under = read("/webhooks/{clave}/entregas", &["007".to_owned()]).unwrap();
        assert_eq!(fill("/webhooks/{clave}/entregas", &under), "/webhooks/7/entregas");
        assert_eq!(fill("/webhooks", &[]), "/webhooks");
    }
}
