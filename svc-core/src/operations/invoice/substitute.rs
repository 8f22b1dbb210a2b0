//! Makes the substitute of a stamped invoice (contract §7).

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::Deserialize;

use super::outcome::{locked, wrong_state};
use super::{InvoiceRef, substitute_global};
use crate::domain::cfdi::TipoDeComprobante;
use crate::domain::event::EventKind;
use crate::domain::invoice::{LockedSale, ProposedTerms, invoice_series, validate_payment, validate_receiver};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sat::{CfdiUses, PaymentForms, SatKey};
use crate::domain::words::{InvoiceKind, InvoiceStatus, PaymentMethod, PaymentTerm};
use crate::error::{Code, Error};
use crate::json::{Many, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::issuer::validate_issuer;
use crate::posting::prospect::becomes_customer;
use crate::posting::sale::{LineBody, MAX_LINES};
use crate::posting::{books, correction, document, queued, receiver, stock};
use crate::store::{Buyer, Charged, Correction, NewSaleLine, RegisteredInvoice, SaleGoods};

/// Makes a substitute of a stamped invoice from the same sale and today's data, with relation 04,
/// and queues it. Once it is stamped, sale and receivable belong to it and say what it says;
/// `invoice.cancel` with reason 01 then cancels the former. The substitute of a global invoice has
/// the sales that are still in it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubstituteInvoice {
    /// The clave of the invoice to replace.
    pub factura: i64,
    /// What the substitute says otherwise.
    pub cambios: Option<InvoiceChanges>,
}

/// The corrections of a substitute; what is left out stays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoiceChanges {
    /// The clave of the customer who receives it.
    pub cliente: Option<i64>,
    /// The CFDI use; another customer's own if left out.
    pub uso_cfdi: Option<SatKey<Text<255>, CfdiUses>>,
    /// The SAT's payment form.
    pub forma_pago_sat: Option<SatKey<Text<255>, PaymentForms>>,
    /// PUE or PPD.
    pub metodo_pago_sat: Option<PaymentMethod>,
    /// Cash or credit.
    pub condicion_pago: Option<PaymentTerm>,
    /// All lines of the corrected sale.
    pub renglones: Option<Many<LineBody, MAX_LINES>>,
}

impl Operation for SubstituteInvoice {
    const SPEC: Spec = Spec::new().named("invoice.substitute").each_time().emits(&[
        EventKind::ClienteCreado,
        EventKind::ExistenciaCambiada,
        EventKind::FacturaTimbrada,
    ]);
    type Output = InvoiceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<InvoiceRef, Error> {
        let invoice = locked(cx, self.factura).await?;
        validate_standing(&invoice)?;
        let Some(venta) = invoice.venta else {
            if self.cambios.is_some() {
                let text = "una factura global se sustituye sin cambios";
                return Err(Error::field(Code::EstadoInvalido, "cambios", text));
            }
            return substitute_global::substitute(cx, &invoice).await;
        };
        let sale = replaceable(cx, &invoice, venta).await?;
        validate_issuer(cx).await?;
        let corrected = match &self.cambios {
            Some(changes) => Some(changes.corrected(cx, &invoice, &sale).await?),
            None => None,
        };
        let cliente = corrected.as_ref().map_or(sale.cliente, |(correction, _)| Some(correction.cliente));
        let origen = sale.factura.as_ref().map_or(cx.actor.invoice_origin(), |own| own.origen);
        let (tipo, serie) = (InvoiceKind::Factura, invoice_series(sale.sucursal));
        let (factura, heading) = queued::open(cx, tipo, serie, Some(sale.clave), cliente, origen).await?;
        cx.tx.relate_substitute(factura, invoice.clave).await?;
        let document = if let Some((correction, lines)) = corrected {
            cx.tx.insert_correction(factura, &correction, &lines).await?;
            correction::document(cx, factura, sale.clave, correction, heading).await?
        } else {
            let receptor = receiver::of_customer(cx, sale.cliente).await?;
            document::of_sale(cx, sale.clave, receptor, None, heading).await?
        };
        queued::keep_fit(cx, factura, document).await?;
        Ok(InvoiceRef { factura })
    }
}

/// Refuses what is no stamped invoice, or is being cancelled.
fn validate_standing(invoice: &RegisteredInvoice) -> Result<(), Error> {
    if invoice.tipo != InvoiceKind::Factura {
        return Err(wrong_state("solo se sustituyen facturas de ingreso"));
    }
    if invoice.estatus != InvoiceStatus::Vigente || invoice.uuid.is_none() {
        return Err(wrong_state("no está vigente"));
    }
    if invoice.cancelacion_solicitada {
        return Err(wrong_state("su cancelación ya se solicitó"));
    }
    Ok(())
}

/// Locks the sale of an invoice that can be replaced, after its receivables.
async fn replaceable(cx: &mut Cx<'_>, invoice: &RegisteredInvoice, venta: i64) -> Result<LockedSale, Error> {
    cx.tx.lock_receivables(venta).await?;
    let own = |sale: &LockedSale| sale.factura.as_ref().is_some_and(|own| own.clave == invoice.clave);
    let sale = cx.tx.lock_sale(venta).await?.filter(|sale| !sale.cancelada && own(sale));
    let sale = sale.ok_or_else(|| wrong_state("su venta tiene otra factura"))?;
    if !cx.tx.substitutions(invoice.clave).await?.is_empty() {
        return Err(wrong_state("ya tiene una factura que la sustituye"));
    }
    if cx.tx.has_notes_about(invoice.clave).await? {
        return Err(wrong_state("tiene notas de crédito; primero se cancelan"));
    }
    if cx.tx.has_complements(venta).await? {
        return Err(wrong_state("tiene complementos de pago; primero se cancelan los pagos"));
    }
    Ok(sale)
}

impl InvoiceChanges {
    /// Validates the corrections as facturar validates a sale. Returns the corrected sale, and its
    /// lines if they change.
    async fn corrected(
        &self,
        cx: &mut Cx<'_>,
        invoice: &RegisteredInvoice,
        sale: &LockedSale,
    ) -> Result<(Correction, Vec<NewSaleLine>), Error> {
        let payments = cx.tx.payments_of_sale(sale.clave).await?;
        if !payments.is_empty() {
            let claves: Vec<String> = payments.iter().map(|payment| payment.pago.to_string()).collect();
            let text = format!("tiene pagos aplicados ({}); primero se cancelan con payment.cancel", claves.join(", "));
            return Err(wrong_state(&text));
        }
        let cliente = self.cliente.or(sale.cliente).ok_or(Code::ClienteInvalido)?;
        let buyer = cx.tx.lock_buyer(cliente).await?.ok_or(Code::ClienteInvalido)?;
        let uso_cfdi = self.uso(sale, &buyer)?;
        let form = self.forma_pago_sat.as_deref().map(str::to_owned).or(sale.forma_pago_sat.clone());
        let method = self.metodo_pago_sat.map(|method| method.word().to_owned()).or(sale.metodo_pago_sat.clone());
        let terms = ProposedTerms { forma_pago_sat: form, metodo_pago_sat: method, uso_cfdi: Some(uso_cfdi) };
        let paid = validate_payment(self.condicion_pago.or(sale.condicion_pago), &terms)?;
        self.validate_returned(cx, sale, &terms).await?;
        let (lines, amounts) = if let Some(lines) = &self.renglones {
            let (lines, amounts) = correction::priced(cx, sale, &buyer, lines).await?;
            validate_goods(cx, sale, &lines).await?;
            (lines, amounts)
        } else {
            self.validate_withholding(cx, invoice, sale, &buyer).await?;
            (Vec::new(), sale.amounts)
        };
        let Charged { total, antes, .. } = cx.tx.charged(sale.clave).await?;
        if total == Money::default() && amounts.total > sale.amounts.total {
            return Err(wrong_state("no tiene cuenta por cobrar en la que se deba lo que sube su total"));
        }
        if antes > amounts.total {
            let text = format!("antes de usar este servicio se pagaron {antes} de ella, más que el nuevo total");
            return Err(wrong_state(&text));
        }
        if buyer.prospecto {
            becomes_customer(cx, cliente).await?;
        }
        let condicion_pago = paid.condicion_pago;
        let dias_credito = match condicion_pago {
            _ if sale.condicion_pago == Some(condicion_pago) => sale.dias_credito,
            PaymentTerm::Credito => sale.dias_credito.or(Some(buyer.dias_credito)),
            PaymentTerm::Contado => None,
        };
        Ok((Correction { cliente, condicion_pago, dias_credito, terms, amounts }, lines))
    }

    /// Refuses what does not go with goods that came back before the invoice, which is about the
    /// rest: other lines, and complements, which would pay more than the invoice.
    async fn validate_returned(&self, cx: &mut Cx<'_>, sale: &LockedSale, terms: &ProposedTerms) -> Result<(), Error> {
        if self.renglones.is_none() && terms.metodo_pago_sat.as_deref() != Some(PaymentMethod::Ppd.word()) {
            return Ok(());
        }
        if !cx.tx.returned(&[sale.clave]).await?.is_empty() {
            return Err(wrong_state("su venta tiene devoluciones: se sustituye con sus renglones y con PUE"));
        }
        Ok(())
    }

    /// The CFDI use: the given one, else that of the sale if the customer may have it, else the
    /// customer's own.
    fn uso(&self, sale: &LockedSale, buyer: &Buyer) -> Result<String, Code> {
        let own = buyer.receptor.uso_cfdi.as_deref();
        let another = self.cliente.is_some_and(|cliente| Some(cliente) != sale.cliente);
        let kept = if another { own.or(sale.uso_cfdi.as_deref()) } else { sale.uso_cfdi.as_deref() };
        validate_receiver(TipoDeComprobante::I, &buyer.receptor, self.uso_cfdi.as_deref().or(kept))
    }

    /// Refuses to keep the lines for a receiver who withholds otherwise.
    async fn validate_withholding(
        &self,
        cx: &mut Cx<'_>,
        invoice: &RegisteredInvoice,
        sale: &LockedSale,
        buyer: &Buyer,
    ) -> Result<(), Error> {
        let before = receiver::receiver(cx, Some(invoice.clave), sale.cliente).await?;
        let (before, now) = (correction::withholding(cx, &before), correction::withholding(cx, &buyer.receptor));
        if before == now || (sale.amounts.retenciones == Money::default() && !now.applies()) {
            return Ok(());
        }
        let text = "el receptor retiene otros impuestos; hacen falta también los renglones";
        Err(Error::field(Code::DatoRequerido, "cambios.renglones", text))
    }
}

/// Refuses goods that are not available beyond what the sale has taken, or whose cost has too many
/// digits.
async fn validate_goods(cx: &mut Cx<'_>, sale: &LockedSale, lines: &[NewSaleLine]) -> Result<(), Error> {
    let goods: Vec<SaleGoods> = books::goods(lines);
    let mut taken: BTreeMap<i64, Decimal> = books::quantities(&cx.tx.sale_goods(sale.clave).await?);
    let more = |line: SaleGoods| {
        let had = taken.entry(line.producto).or_default();
        let covered = line.cantidad.get().min(*had);
        *had -= covered;
        let more = line.cantidad.get() - covered;
        (more > Decimal::ZERO).then(|| SaleGoods { cantidad: Quantity::new(more), ..line })
    };
    let almacen = stock::any_warehouse_of_sale(cx, sale).await?;
    stock::validate_cost(cx, &almacen, &goods, sale.clave).await?;
    let more: Vec<SaleGoods> = goods.into_iter().filter_map(more).collect();
    stock::validate_there(cx, &almacen, &more, None).await
}
