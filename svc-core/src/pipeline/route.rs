//! Routing: 404 and 405.

use std::sync::Arc;

use percent_encoding::percent_decode_str;

use super::matched::{MatchedRoute, RouteTarget};
use crate::context::Context;
use crate::error::{Code, Error};
use crate::operation::{Method, PREFIX};

/// Which paths name operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    /// Those below the base URL's path or `/api/v1`.
    Whole,
    /// Those paths, and the same without that prefix, which a front end may have stripped.
    Any,
}

pub(super) fn find(context: &Context, paths: Paths, head: &http::request::Parts) -> Result<MatchedRoute, Error> {
    let path = below_base(head.uri.path(), context.base_path(), paths).ok_or(Code::RutaNoExiste)?;
    let (route, parameters) = context.router().find(path).ok_or(Code::RutaNoExiste)?;
    let Some(operation) = Method::of(&head.method).and_then(|method| route.operation(method)) else {
        return Err(Error::new(Code::MetodoNoPermitido).allow(route.allow.as_str()));
    };
    let parameters =
        parameters.into_iter().map(|raw| percent_decode_str(raw).decode_utf8_lossy().into_owned()).collect();
    let (target, http, name) = (RouteTarget::Api(operation.handler), *operation.http, Arc::clone(&operation.name));
    let changes_access = operation.changes_access;
    Ok(MatchedRoute { target, http, changes_access, name, path: path.to_owned(), parameters })
}

/// The path without the base URL's.
fn below_base<'p>(path: &'p str, base_path: &str, paths: Paths) -> Option<&'p str> {
    let strip = |prefix: &str| path.strip_prefix(prefix).filter(|rest| !prefix.is_empty() && rest.starts_with('/'));
    let bare = (paths == Paths::Any || base_path.is_empty()).then_some(path);
    strip(base_path).or_else(|| strip(PREFIX)).or(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripped_path_is_known_where_a_front_end_may_strip_it() {
        for (path, base, whole) in [
            ("/api/v1/clientes", "/api/v1", true),
            ("/erp/api/v1/clientes", "/erp/api/v1", true),
            ("/api/v1/clientes", "/erp/api/v1", true),
            ("/clientes", "", true),
            ("/api/v1/clientes", "", true),
            ("/clientes", "/api/v1", false),
            ("/clientes", "/erp/api/v1", false),
        ] {
            assert_eq!(below_base(path, base, Paths::Any), Some("/clientes"), "{path} under {base}");
            let expected = whole.then_some("/clientes");
            assert_eq!(below_base(path, base, Paths::Whole), expected, "whole {path} under {base}");
        }
        assert_eq!(below_base("/api/v1clientes", "/api/v1", Paths::Any), Some("/api/v1clientes"));
        assert_eq!(below_base("/api/v1clientes", "/api/v1", Paths::Whole), None);
    }
}
