//! Simulates how the authority and receivers answer cancellations, by the receiver's name.

use chrono::TimeDelta;

use crate::domain::cfdi::SANDBOX_RFC;
use crate::stamping::{CancelReceipt, CancelRequest, DocumentStatus, StampFailure};

/// A document of a receiver whose name contains this cannot be cancelled.
const NOT_CANCELLABLE: &str = "NO CANCELABLE";
/// A receiver whose name contains this accepts after [`ACCEPTED_AFTER`].
const ACCEPTS: &str = "ACEPTA";
/// A receiver whose name contains this refuses after [`REFUSED_AFTER`].
const REFUSES: &str = "RECHAZA";
/// A receiver whose name contains this never answers.
const SILENT: &str = "NO RESPONDE";

const ACCEPTED_AFTER: TimeDelta = TimeDelta::hours(1);
const REFUSED_AFTER: TimeDelta = TimeDelta::minutes(5);
/// The time after which silence counts as acceptance.
const SILENCE: TimeDelta = TimeDelta::hours(72);

pub(super) fn cancel(request: &CancelRequest) -> Result<CancelReceipt, StampFailure> {
    if request.document.nombre.contains(super::NO_SERVICE) {
        return Err(StampFailure::Unreachable("the receiver's name simulates an outage".to_owned()));
    }
    if request.document.proveedor.as_deref().is_some_and(|rfc| rfc != SANDBOX_RFC) {
        let text = "a real provider stamped the document, and only a real one cancels it";
        return Err(StampFailure::Misconfigured(text.to_owned()));
    }
    if request.document.nombre.contains(NOT_CANCELLABLE) {
        return Err(StampFailure::Rejected {
            codigo: "no_cancelable".to_owned(),
            mensaje: "El comprobante no es cancelable: otros que lo relacionan están vigentes.".to_owned(),
        });
    }
    let folio = request.document.uuid.to_string().to_uppercase();
    Ok(CancelReceipt {
        acuse: Some(format!("<Acuse><Folios><UUID>{folio}</UUID><EstatusUUID>201</EstatusUUID></Folios></Acuse>")),
    })
}

pub(super) fn status(request: &CancelRequest) -> DocumentStatus {
    let (name, age) = (&request.document.nombre, request.at - request.asked);
    if name.contains(REFUSES) {
        return if age >= REFUSED_AFTER { DocumentStatus::Refused } else { DocumentStatus::Pending };
    }
    let after = match () {
        () if name.contains(ACCEPTS) => ACCEPTED_AFTER,
        () if name.contains(SILENT) || request.aceptacion => SILENCE,
        () => TimeDelta::zero(),
    };
    if age >= after { DocumentStatus::Cancelled } else { DocumentStatus::Pending }
}
