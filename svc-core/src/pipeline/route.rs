//! Routing: 404 and 405.

use percent_encoding::percent_decode_str;

use crate::context::Context;
use crate::error::{Code, Error};
use crate::operation::{Method, Named, Router};

/// The default path of the API; accepted whether or not the front end strips it.
const PREFIX: &str = "/api/v1";

/// The operation that a request names.
pub(super) struct MatchedRoute<'r> {
    pub(super) operation: &'r Named,
    /// The path below the base URL.
    pub(super) path: String,
    /// The parameters of the path, decoded.
    pub(super) parameters: Vec<String>,
}

pub(super) fn find<'r>(
    context: &Context,
    router: &'r Router,
    head: &http::request::Parts,
) -> Result<MatchedRoute<'r>, Error> {
    let path = below_base(head.uri.path(), context.base_path());
    let (route, parameters) = router.find(path).ok_or(Code::RutaNoExiste)?;
    let Some(operation) = Method::of(&head.method).and_then(|method| route.operation(method)) else {
        return Err(Error::new(Code::MetodoNoPermitido).allow(route.allow.as_str()));
    };
    let parameters =
        parameters.into_iter().map(|raw| percent_decode_str(raw).decode_utf8_lossy().into_owned()).collect();
    Ok(MatchedRoute { operation, path: path.to_owned(), parameters })
}

/// The path without the base URL's: a server that nests the API strips it, one that mounts it
/// plainly does not.
fn below_base<'p>(path: &'p str, base_path: &str) -> &'p str {
    let strip = |prefix: &str| path.strip_prefix(prefix).filter(|rest| !prefix.is_empty() && rest.starts_with('/'));
    strip(base_path).or_else(|| strip(PREFIX)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripped_path_and_a_whole_one_are_the_same() {
        for (path, base) in [
            ("/clientes", "/api/v1"),
            ("/api/v1/clientes", "/api/v1"),
            ("/erp/api/v1/clientes", "/erp/api/v1"),
            ("/api/v1/clientes", "/erp/api/v1"),
            ("/clientes", ""),
            ("/api/v1/clientes", ""),
        ] {
            assert_eq!(below_base(path, base), "/clientes", "{path} under {base}");
        }
        assert_eq!(below_base("/api/v1clientes", "/api/v1"), "/api/v1clientes");
    }
}
