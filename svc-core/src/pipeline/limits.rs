//! What a company may use. Counting requests per minute and month is not here yet; the limit mode, which decides the
//! page regimes and what the owner and plan checks do, is.

use crate::service::Inner;
use crate::store::{Company, LimitMode};

/// The company's limit mode: its own, or the service's.
pub(super) fn mode(api: &Inner, company: &Company) -> LimitMode {
    company.limites.unwrap_or(api.limits)
}
