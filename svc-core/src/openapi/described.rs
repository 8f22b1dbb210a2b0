//! An operation that is described, and its names.

use crate::operation::{Entry, Handler, Http};

/// What is taken of a request for the description of its operation.
pub(super) struct Described {
    /// The operation.
    pub(super) entry: &'static Entry,
    /// How it is reached.
    pub(super) http: &'static Http,
    /// Its title among the texts: `GET /clientes`.
    pub(super) title: String,
}

/// The group of an operation: the first word of its path.
pub(super) fn tag(http: &Http) -> &'static str {
    http.path.split('/').nth(1).unwrap_or_default()
}

/// The name of the type that an operation is, or whose list it is.
pub(super) fn type_name(entry: &Entry) -> &'static str {
    let path = (entry.shape.name)().split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default()
}

/// The operation's name for those who generate code: `listCustomers`, `createCustomer`,
/// `readInvoiceXml`.
pub(super) fn operation_id(entry: &Entry) -> String {
    let name = type_name(entry);
    match entry.handler {
        Handler::List(_) => format!("list{}", plural(name)),
        Handler::Download(_) => format!("read{name}"),
        Handler::Open(_) => "readHealth".to_owned(),
        Handler::Operation(_) => {
            let (first, rest) = name.split_at(1);
            format!("{}{rest}", first.to_lowercase())
        }
    }
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if name.ends_with("ch") => format!("{name}es"),
        None => format!("{name}s"),
    }
}
