//! Checks the document that replaces a cancelled invoice.

use uuid::Uuid;

use crate::domain::cfdi::{Cfdi, TipoRelacion};
use crate::domain::text::parse_uuid;
use crate::domain::words::InvoiceStatus;
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::RegisteredInvoice;

/// Refuses a fiscal folio unless its document is stamped and substitutes `invoice`. The authority
/// decides about documents that were stamped elsewhere, whose relations are unknown here.
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

/// Whether the document substitutes `replaced`.
fn relates(xml: &str, replaced: Option<Uuid>) -> bool {
    let Ok(document) = Cfdi::read(xml) else { return false };
    let relations = document.cfdi_relacionados.iter().filter(|one| one.tipo_relacion == TipoRelacion::Sustitucion);
    relations.flat_map(|one| &one.cfdi_relacionado).any(|related| Some(related.uuid) == replaced)
}
