//! E-mails that bring stamped documents to customers. They are queued with what they are about and
//! sent later; the document is read when it is sent.

use crate::domain::words::{InvoiceKind, InvoiceStatus};
use crate::error::{Code, Error};
use crate::operation::Cx;
use crate::store::{MailedDocument, NewMail};

/// The most addresses that one document is sent to.
const MAX_ADDRESSES: usize = 10;

/// The longest address.
const LONGEST: usize = 254;

/// Queues a document that has just been stamped for its customer, if the company has
/// `enviar_documentos` set. Documents of test companies are not sent.
pub(crate) async fn stamped(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    if !cx.company.enviar_documentos || cx.company.prueba {
        return Ok(());
    }
    let Some(document) = cx.tx.mailed_document(factura).await? else { return Ok(()) };
    let to = addresses(document.correo.as_deref().unwrap_or_default()).filter_map(Result::ok).collect();
    queue(cx, factura, &document, to).await.map(drop)
}

/// Queues a stamped document for these addresses, or else for its customer's. Returns the
/// addresses.
pub(crate) async fn send(cx: &mut Cx<'_>, factura: i64, correo: Option<&str>) -> Result<Vec<String>, Error> {
    let refused = |code, text| Err(Error::field(code, "correo", text));
    let document = cx.tx.mailed_document(factura).await?.ok_or_else(|| {
        Error::field(Code::NoEncontrado, "factura", format_args!("la factura {factura} no existe en la empresa"))
    })?;
    if document.estatus == InvoiceStatus::Cancelada {
        return Err(Error::field(Code::EstadoInvalido, "factura", "está cancelada"));
    }
    if !document.timbrado {
        return Err(Code::DocumentoNoDisponible.into());
    }
    let to: Vec<String> = match correo {
        Some(given) => match addresses(given).collect::<Result<Vec<_>, _>>() {
            Ok(to) if to.len() > MAX_ADDRESSES => return refused(Code::DatoInvalido, "son más de 10 direcciones"),
            Ok(to) => to,
            Err(()) => return refused(Code::DatoInvalido, "debe ser una dirección de correo, o varias con comas"),
        },
        None if cx.company.prueba => {
            return refused(Code::DatoRequerido, "una empresa de prueba solo envía a la dirección que se da aquí");
        }
        None => addresses(document.correo.as_deref().unwrap_or_default()).filter_map(Result::ok).collect(),
    };
    if to.is_empty() {
        return refused(Code::DatoRequerido, "el cliente no tiene correo");
    }
    queue(cx, factura, &document, to).await
}

/// Queues one e-mail an address, so that a wrong one holds up none of the others.
async fn queue(
    cx: &mut Cx<'_>,
    factura: i64,
    document: &MailedDocument,
    mut to: Vec<String>,
) -> Result<Vec<String>, Error> {
    to.truncate(MAX_ADDRESSES);
    let company = one_line(&cx.company.nombre);
    let folio = one_line(&format!(
        "{}{}",
        document.serie.as_deref().unwrap_or_default(),
        document.folio.as_deref().unwrap_or_default()
    ));
    let kind = match document.tipo {
        InvoiceKind::NotaCredito => "Nota de crédito",
        InvoiceKind::Pago => "Complemento de pago",
        _ => "Factura",
    };
    let test = if cx.company.prueba { "[PRUEBA] " } else { "" };
    let asunto = format!("{test}{kind} {folio} de {company}");
    let uuid = document.uuid.as_deref().unwrap_or("(sin folio fiscal)");
    let texto = format!(
        "{company} le envía en XML y PDF el comprobante fiscal que se adjunta.\n\n\
         {kind}: {folio}\nFolio fiscal: {uuid}\n{validity}",
        validity = if cx.company.prueba { "\nEs de una empresa de prueba y no tiene validez fiscal.\n" } else { "" },
    );
    for para in &to {
        let mail = NewMail { para, asunto: &asunto, texto: &texto, factura: Some(factura) };
        cx.tx.append_mail(&mail, cx.now).await?;
    }
    Ok(to)
}

/// The text without what would end a line of an e-mail's head.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// The addresses in a text that separates them by commas or semicolons, each once; `Err` for what
/// is none.
fn addresses(text: &str) -> impl Iterator<Item = Result<String, ()>> {
    let mut seen = std::collections::BTreeSet::new();
    let parts = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
    parts.filter(move |part| seen.insert(part.to_lowercase())).map(|part| {
        let parts = part.split_once('@');
        let named = parts.is_some_and(|(person, host)| {
            !person.is_empty()
                && host.contains('.')
                && !host.contains('@')
                && !host.starts_with('.')
                && !host.ends_with('.')
        });
        let plain = !part.contains(|c: char| c.is_whitespace() || c.is_control() || "<>()[]\\\"".contains(c));
        if named && plain && part.chars().count() <= LONGEST { Ok(part.to_owned()) } else { Err(()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_hold_several_addresses() {
        let found = |text| addresses(text).collect::<Vec<_>>();
        let ok = |address: &str| Ok(address.to_owned());
        assert_eq!(found("ana@example.com"), [ok("ana@example.com")]);
        assert_eq!(
            found(" ana@example.com;bea@example.com , ANA@example.com,"),
            [ok("ana@example.com"), ok("bea@example.com")]
        );
        for wrong in
            ["ana", "@example.com", "ana@example", "ana@b@c.mx", "ana@example.com\r\nBcc: x@y.mx", "A <a@b.mx>"]
        {
            assert_eq!(found(wrong), [Err(())], "{wrong:?}");
        }
        assert!(found("").is_empty());
    }

    #[test]
    fn a_name_adds_no_header() {
        assert_eq!(one_line("Acero\r\nBcc: x@y.mx"), "Acero  Bcc: x@y.mx");
    }
}
