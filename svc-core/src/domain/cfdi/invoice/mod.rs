//! The document of a sale: an income document or a credit note.

use rust_decimal::Decimal;

use super::concept::{ACTIVITY, UNLISTED, concept};
use super::currency::{Currency, plus};
use super::parties::{Opening, is_general_public, open, receive};
use super::source::{GlobalSource, InvoiceSource, Receiver, SoldSale, Ticket, TicketNoteSource};
use super::tax::{NO_OBJECT, Taxes};
use super::text::attribute;
use super::{
    Amount, Cfdi, CfdiFault, CfdiRelacionados, Complemento, Concepto, GENERAL_PUBLIC, GENERAL_PUBLIC_RFC,
    InformacionGlobal, NO_EXPORT, Periodicidad, Receptor, TipoDeComprobante, VERSION,
};
use crate::domain::credit_note::{BILLING, TAKEN_OFF};
use crate::domain::currency::PESO;
use crate::domain::money::Money;
use crate::domain::quantity::Rate;
use crate::domain::tax::LocalKind;
use crate::domain::words::PaymentTerm;

/// Builds the income document ("I") of a sale: one concept per line, amounts equal to the sale's.
pub fn build_invoice(source: &InvoiceSource) -> Result<Cfdi, CfdiFault> {
    build_related(source, TipoDeComprobante::I, Vec::new())
}

/// Builds a document that relates to others: a substitute or a sale that applies an advance ("I"),
/// or a credit note ("E").
pub fn build_related(
    source: &InvoiceSource,
    tipo: TipoDeComprobante,
    relacionados: Vec<CfdiRelacionados>,
) -> Result<Cfdi, CfdiFault> {
    let opening = open(&source.emisor, &source.encabezado)?;
    let sale = &source.venta;
    let receptor = receive(&source.receptor, &opening.lugar_expedicion, sale.uso_cfdi.as_deref())?;
    let currency = Currency::of(&sale.moneda)?;
    let mut body = Concepts::default();
    for line in &source.renglones {
        let (concept, taxes) = concept(line, &currency)?;
        body.add(concept, &taxes, line.amounts.subtotal.get(), line.amounts.descuento.get())?;
    }
    body.check(sale)?;
    let global = tipo == TipoDeComprobante::I && is_general_public(&receptor);
    // A single sale is a period of its own.
    let period = global.then(|| InformacionGlobal::of(Periodicidad::Diario, opening.fecha.date()));
    let document = body.document(opening, receptor, &currency, sale.tipo_cambio)?;
    Ok(Cfdi {
        forma_pago: Some(given(sale.forma_pago_sat.as_deref(), "la forma de pago")?),
        condiciones_de_pago: terms(sale),
        tipo_de_comprobante: tipo,
        metodo_pago: Some(given(sale.metodo_pago_sat.as_deref(), "el método de pago")?),
        informacion_global: period,
        cfdi_relacionados: relacionados,
        ..document
    })
}

/// Builds the income document ("I") of a period's sales to the general public: one concept per
/// ticket.
pub fn build_global(source: &GlobalSource) -> Result<Cfdi, CfdiFault> {
    let opening = open(&source.emisor, &source.encabezado)?;
    let currency = Currency::of(&source.moneda)?;
    let mut body = Concepts::default();
    for ticket in &source.tickets {
        let (concept, taxes) = of_ticket(ticket, &currency).map_err(|fault| fault.of_ticket(&ticket.folio))?;
        let (subtotal, discount) = (concept.importe.get(), concept.descuento.map_or(Decimal::ZERO, Amount::get));
        body.add(concept, &taxes, subtotal, discount)?;
    }
    if body.conceptos.is_empty() {
        return Err(CfdiFault::Missing("al menos un ticket"));
    }
    let receptor = receive(&general_public(), &opening.lugar_expedicion, None)?;
    let document = body.document(opening, receptor, &currency, source.tipo_cambio)?;
    Ok(Cfdi {
        forma_pago: Some(given(source.forma_pago_sat.as_deref(), "la forma de pago")?),
        metodo_pago: Some("PUE".to_owned()),
        informacion_global: Some(source.periodo.clone()),
        ..document
    })
}

/// Builds the credit note ("E") that takes a ticket out of a global invoice: the amounts of its
/// line there, to the general public.
pub fn build_ticket_note(source: &TicketNoteSource) -> Result<Cfdi, CfdiFault> {
    let opening = open(&source.emisor, &source.encabezado)?;
    let currency = Currency::of(&source.moneda)?;
    let (concept, taxes) = of_ticket(&source.ticket, &currency)?;
    let (subtotal, discount) = (concept.importe.get(), concept.descuento.map_or(Decimal::ZERO, Amount::get));
    let mut body = Concepts::default();
    body.add(Concepto { clave_prod_serv: BILLING.to_owned(), ..concept }, &taxes, subtotal, discount)?;
    let receptor = receive(&general_public(), &opening.lugar_expedicion, Some(TAKEN_OFF))?;
    let document = body.document(opening, receptor, &currency, source.tipo_cambio)?;
    Ok(Cfdi {
        forma_pago: Some(given(Some(&source.forma_pago_sat), "la forma de pago")?),
        metodo_pago: Some("PUE".to_owned()),
        tipo_de_comprobante: TipoDeComprobante::E,
        ..document
    })
}

fn general_public() -> Receiver {
    Receiver {
        rfc: Some(GENERAL_PUBLIC_RFC.to_owned()),
        nombre: Some(GENERAL_PUBLIC.to_owned()),
        ..Receiver::default()
    }
}

/// Converts a ticket into a concept and its taxes: the amount paid, to the cent, split so that each
/// tax is its base times its rate. What was given away in it is no part of that.
fn of_ticket(ticket: &Ticket, currency: &Currency<'_>) -> Result<(Concepto, Taxes), CfdiFault> {
    let mut body = Concepts::default();
    for line in ticket.renglones.iter().filter(|line| line.amounts.subtotal > Money::default()) {
        let (concept, taxes) = concept(line, currency)?;
        body.add(concept, &taxes, line.amounts.subtotal.get(), line.amounts.descuento.get())?;
    }
    if body.conceptos.is_empty() {
        return Err(CfdiFault::EmptyTicket(ticket.folio.clone()));
    }
    body.subtotal += body.taxes.traslados.round();
    // Lines of different kinds have no single key; a taxed line describes the ticket better than an
    // untaxed one.
    let declared = body.conceptos.first().map_or(NO_OBJECT, |concept| concept.objeto_imp.as_str());
    let objeto_imp = body.taxes.object().unwrap_or(declared).to_owned();
    let amount = currency.amount(body.subtotal)?;
    let concept = Concepto {
        clave_prod_serv: UNLISTED.to_owned(),
        no_identificacion: attribute(Some(&ticket.folio), 100),
        cantidad: Amount::ONE,
        clave_unidad: ACTIVITY.to_owned(),
        unidad: None,
        descripcion: "Venta".to_owned(),
        valor_unitario: amount,
        importe: amount,
        descuento: currency.discount(Money::new(body.descuento))?,
        objeto_imp,
        impuestos: currency.of_concept(&body.taxes)?,
        informacion_aduanera: Vec::new(),
        cuenta_predial: None,
    };
    Ok((concept, body.taxes))
}

/// The concepts and their sums.
#[derive(Default)]
struct Concepts {
    conceptos: Vec<Concepto>,
    taxes: Taxes,
    subtotal: Decimal,
    descuento: Decimal,
}

impl Concepts {
    /// Adds a concept, its taxes, its amount and its discount.
    fn add(
        &mut self,
        concept: Concepto,
        taxes: &Taxes,
        subtotal: Decimal,
        descuento: Decimal,
    ) -> Result<(), CfdiFault> {
        self.conceptos.push(concept);
        self.taxes.add(taxes)?;
        self.subtotal = plus(self.subtotal, subtotal)?;
        self.descuento = plus(self.descuento, descuento)?;
        Ok(())
    }

    /// All taxes that are charged, local ones too.
    fn charged(&self) -> Result<Decimal, CfdiFault> {
        plus(self.taxes.traslados.total()?.unwrap_or_default(), self.taxes.locales.total(LocalKind::Traslado)?)
    }

    fn total(&self) -> Result<Decimal, CfdiFault> {
        let charged = plus(self.subtotal - self.descuento, self.charged()?)?;
        let withheld = self.taxes.retenciones.total()?.unwrap_or_default();
        plus(charged, -plus(withheld, self.taxes.locales.total(LocalKind::Retencion)?)?)
    }

    /// Checks that the sale's amounts are the sums of its lines.
    fn check(&self, sale: &SoldSale) -> Result<(), CfdiFault> {
        if self.conceptos.is_empty() {
            return Err(CfdiFault::Missing("al menos un renglón"));
        }
        let charged = self.charged()?;
        let sums = [
            (sale.subtotal, self.subtotal, "el subtotal de la venta no es el de sus renglones"),
            (sale.descuento, self.descuento, "el descuento de la venta no es el de sus renglones"),
            (sale.impuestos, charged, "los impuestos de la venta no son los de sus renglones"),
            (sale.total, self.total()?, "el total de la venta no es el de sus renglones"),
        ];
        match sums.into_iter().find(|(sale, lines, _)| sale.get() != *lines) {
            Some((_, _, fault)) => Err(CfdiFault::Sums(fault)),
            None => Ok(()),
        }
    }

    /// The income document with this body, without the parts that only some documents have.
    fn document(
        self,
        opening: Opening,
        receptor: Receptor,
        currency: &Currency<'_>,
        rate: Rate,
    ) -> Result<Cfdi, CfdiFault> {
        let total = self.total()?;
        Ok(Cfdi {
            version: VERSION.into(),
            serie: opening.serie,
            folio: opening.folio,
            fecha: opening.fecha,
            forma_pago: None,
            no_certificado: opening.no_certificado,
            certificado: opening.certificado,
            condiciones_de_pago: None,
            sub_total: currency.amount(self.subtotal)?,
            // The attribute exists only if the discount is not zero; no discount is negative.
            descuento: currency.discount(Money::new(self.descuento))?,
            moneda: currency.key.to_owned(),
            tipo_cambio: (currency.key != PESO).then(|| Amount::rounded(rate.get(), 6)),
            total: currency.amount(total)?,
            tipo_de_comprobante: TipoDeComprobante::I,
            exportacion: NO_EXPORT.into(),
            metodo_pago: None,
            receptor,
            lugar_expedicion: opening.lugar_expedicion,
            informacion_global: None,
            cfdi_relacionados: Vec::new(),
            emisor: opening.emisor,
            impuestos: currency.of_document(&self.taxes)?,
            complemento: self
                .taxes
                .locales
                .complement(currency)?
                .map(|locales| Complemento { pagos: None, impuestos_locales: Some(locales) }),
            conceptos: self.conceptos,
        })
    }
}

fn given(value: Option<&str>, what: &'static str) -> Result<String, CfdiFault> {
    attribute(value, 3).ok_or(CfdiFault::Missing(what))
}

fn terms(sale: &SoldSale) -> Option<String> {
    match (sale.condicion_pago?, sale.dias_credito) {
        (PaymentTerm::Contado, _) => Some("Contado".to_owned()),
        (PaymentTerm::Credito, Some(days)) if days > 0 => Some(format!("Crédito a {days} días")),
        (PaymentTerm::Credito, _) => Some("Crédito".to_owned()),
    }
}

#[cfg(test)]
mod tests;
