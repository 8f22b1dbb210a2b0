//! Simulated answers, by which an integrator tries out how a program takes them (contract §8).

use std::time::Duration;

use http::{HeaderMap, HeaderName};
use tokio::time::sleep;

use super::limits::ResponseMeta;
use crate::error::{Code, Error};
use crate::usage::Refusal;

/// Asks for a simulated answer to a request of a test company.
pub(crate) const SIMULATION: HeaderName = HeaderName::from_static("x-svc-simular");

/// The values that it takes.
pub(crate) const SIMULATIONS: [&str; 5] = ["limite_excedido", "cupo_agotado", "ocupado", "error_interno", LATE];

/// Answers as ever, [`DELAY`] later.
const LATE: &str = "tarda";

/// How late that is.
const DELAY: Duration = Duration::from_secs(9);

/// Simulates what the header of an authenticated request asks for: refuses the request, or marks
/// its answer as late.
pub(super) fn simulate(headers: &HeaderMap, meta: &mut ResponseMeta<'_>) -> Result<(), Error> {
    let mut values = headers.get_all(SIMULATION).iter();
    let (value, second) = (values.next().map(http::HeaderValue::as_bytes), values.next());
    let refusal = match (value, second) {
        (None, _) => return Ok(()),
        (Some(b"tarda"), None) => {
            meta.is_late = true;
            return Ok(());
        }
        (Some(b"limite_excedido"), None) => Refusal::Rate,
        (Some(b"cupo_agotado"), None) => Refusal::Quota,
        (Some(b"ocupado"), None) => Refusal::Busy,
        // Without a cause: nothing has failed that an operator should look into.
        (Some(b"error_interno"), None) => return Err(Code::ErrorInterno.into()),
        _ => {
            let text = format_args!("solo puede ser {}, una vez", SIMULATIONS.join(", "));
            return Err(Error::field(Code::DatoInvalido, "X-Svc-Simular", text));
        }
    };
    let Some(admission) = &mut meta.admission else { return Err(Error::internal("a request without limits")) };
    Err(admission.simulated(refusal))
}

/// Waits, if the answer is to be late. The request stays one of those that its company has under
/// way, and holds nothing else.
pub(super) async fn wait(meta: &ResponseMeta<'_>) {
    if meta.is_late {
        sleep(DELAY).await;
    }
}
