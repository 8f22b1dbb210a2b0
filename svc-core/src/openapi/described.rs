//! An operation that the document describes, and the names it has there.

use crate::operation::{Entry, Handler, Http};

/// One operation of the HTTP API, as the modules of this folder pass it around.
pub(super) struct Described<'r> {
    pub(super) entry: &'r Entry,
    pub(super) http: &'static Http,
    /// The title of its section in `texts/`: `GET /clientes`.
    pub(super) title: String,
}

/// The tag that groups operations: the first segment of the path.
pub(super) fn tag(http: &Http) -> &'static str {
    http.path.split('/').nth(1).unwrap_or_default()
}

/// The `operationId`, from which generators name their methods: `listCustomers`, `createCustomer`,
/// `readInvoiceXml`.
pub(super) fn operation_id(entry: &Entry) -> String {
    let name = entry.type_name();
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
