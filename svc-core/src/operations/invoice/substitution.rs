//! Whether a document takes the place of an invoice that is to be cancelled.

use uuid::Uuid;

use crate::domain::cfdi::{Cfdi, TipoRelacion};
use crate::domain::text::parse_uuid;
use crate::domain::words::InvoiceStatus;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::RegisteredInvoice;

/// Refuses a fiscal folio that is not that of a stamped document which takes the place of
/// `invoice`. What was stamped elsewhere does not show what it relates to, so the authority
/// decides.
pub(super) async fn validate(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, uuid: &str) -> Result<(), Error> {
    let refused = |text| Err(Error::field(Code::DatoInvalido, "uuid_sustitucion", text));
    let substitute = cx.tx.substitute(uuid).await?;
    let Some(substitute) =
        substitute.filter(|found| found.estatus == InvoiceStatus::Vigente && found.tipo == invoice.tipo)
    else {
        return refused("no es de una factura vigente de la empresa");
    };
    let replaced = invoice.uuid.as_deref().and_then(parse_uuid);
    let relates = match &substitute.xml {
        Some(xml) => relates(xml, replaced),
        None => substitute.sustituye.is_none_or(|clave| clave == invoice.clave),
    };
    if relates { Ok(()) } else { refused("esa factura no se relaciona con esta como 04 (invoice.substitute la hace)") }
}

/// Whether a document relates to that one as what takes its place.
fn relates(xml: &str, replaced: Option<Uuid>) -> bool {
    let Ok(document) = Cfdi::read(xml) else { return false };
    let relations = document.cfdi_relacionados.iter().filter(|one| one.tipo_relacion == TipoRelacion::Sustitucion);
    relations.flat_map(|one| &one.cfdi_relacionado).any(|related| Some(related.uuid) == replaced)
}
