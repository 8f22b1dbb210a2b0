//! A validated document before it is sealed: complete but for its date, its certificate and its
//! signature.
//!
//! It is stored as XML without these, so that stored and sealed documents share one form and one
//! reader, both fixed by the authority's standard.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::node::Node;
use super::source::Certificate;
use super::{Cfdi, CfdiFault, SealFault, xml};
use crate::domain::sat;

impl Cfdi {
    /// Writes the document as XML without a signature; [`Self::read`] reads it back.
    pub fn unsealed(&self) -> Result<String, SealFault> {
        let root = Node::of(self).map_err(|_| SealFault::Document)?;
        xml::write(&root, &[]).map_err(|_| SealFault::Document)
    }

    /// Adds what sealing brings: the date of issue and the certificate that signs.
    pub fn to_be_sealed(self, fecha: DateTime<Utc>, certificate: &Certificate) -> Result<Self, CfdiFault> {
        let zone = sat::time_zone(&self.lugar_expedicion)
            .ok_or(CfdiFault::Issuer("un código postal válido en el lugar de expedición"))?;
        Ok(Self {
            fecha: fecha.with_timezone(&zone).naive_local(),
            no_certificado: certificate.numero.clone(),
            certificado: certificate.text(),
            ..self
        })
    }

    /// Sets the fiscal folios of the invoices that a payment document pays, in their order; they
    /// were unknown if the invoices were not stamped at validation. Returns `false` if the numbers
    /// of invoices and folios differ.
    pub fn name_paid(&mut self, folios: &[Uuid]) -> bool {
        let payments = self.complemento.iter_mut().flat_map(|complement| &mut complement.pagos);
        let payments = payments.flat_map(|payments| &mut payments.pago);
        let paid: Vec<_> = payments.flat_map(|payment| &mut payment.docto_relacionado).collect();
        if paid.len() != folios.len() {
            return false;
        }
        for (document, folio) in paid.into_iter().zip(folios) {
            document.id_documento = *folio;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::cfdi::testing::{invoice, line, mixed, paid, payment};
    use crate::domain::cfdi::{Issuer, build_invoice, build_payment};

    #[test]
    fn an_unsealed_document_is_read_back_whole() {
        let mut odd = line("1", "100", "0", "0.160000");
        odd.descripcion = Some("Ñandú & \"Cía\" <1/2'>  \t de   más".to_owned());
        for mut source in [mixed(), invoice(vec![odd])] {
            source.emisor = Issuer { certificado: None, ..source.emisor };
            let document = build_invoice(&source).unwrap();
            assert_eq!(document.no_certificado, "");
            assert_eq!(Cfdi::read(&document.unsealed().unwrap()).unwrap(), document);
        }
    }

    #[test]
    fn sealing_brings_date_and_certificate_and_nothing_else() {
        let source = mixed();
        let whole = build_invoice(&source).unwrap();
        let mut unsealed = source.clone();
        unsealed.emisor.certificado = None;
        unsealed.encabezado.fecha = crate::domain::time::Timestamp::new("2020-01-01T00:00:00Z".parse().unwrap());
        let unsealed = build_invoice(&unsealed).unwrap();
        let certificate = source.emisor.certificado.unwrap();
        assert_ne!(unsealed, whole);
        assert_eq!(unsealed.to_be_sealed(source.encabezado.fecha.get(), &certificate), Ok(whole));
    }

    #[test]
    fn folios_come_with_the_stamps() {
        let folios = [Uuid::from_u128(7), Uuid::from_u128(8)];
        let unknown =
            folios.map(|_| crate::domain::cfdi::PaidInvoice { uuid: Uuid::nil(), ..paid(1, "443.50", "100") });
        let document = build_payment(&payment(unknown.to_vec())).unwrap();
        let mut document = Cfdi::read(&document.unsealed().unwrap()).unwrap();
        assert!(!document.name_paid(&folios[..1]));
        assert!(document.name_paid(&folios));
        let found = &document.complemento.unwrap().pagos.unwrap().pago[0].docto_relacionado;
        assert_eq!([found[0].id_documento, found[1].id_documento], folios);
    }
}
