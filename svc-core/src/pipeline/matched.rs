//! What a request names, of the API or the office.

use std::sync::Arc;

use crate::operation::{Handler, Http, Spec};
use crate::operations::import::Resource;

/// What a request names.
#[derive(Clone, Copy)]
pub(super) enum RouteTarget {
    Api(Handler),
    Office(OfficeTarget),
}

/// The route that a request names.
pub(super) struct MatchedRoute {
    pub(super) target: RouteTarget,
    pub(super) http: Http,
    /// Whether it changes what a key may do.
    pub(super) changes_access: bool,
    /// Its name in logs and metrics.
    pub(super) name: Arc<str>,
    /// The path below the base URL.
    pub(super) path: String,
    /// The parameters of the path, decoded.
    pub(super) parameters: Vec<String>,
}

/// What a request of the office names.
#[derive(Clone, Copy)]
pub(super) enum OfficeTarget {
    /// The list of the actions.
    Actions,
    Action(&'static Spec, Handler),
    Batch,
    Import(Resource),
    Export(Resource),
}
