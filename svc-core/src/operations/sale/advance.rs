//! Advances (anticipos): their invoices, and the sales that they are applied to (contract §7).

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::capture::{valid, wrong_state};
use crate::domain::accounting::IncomeByRate;
use crate::domain::advance;
use crate::domain::cfdi::{Receiver, TipoDeComprobante};
use crate::domain::credit_note::{ACTIVITY, BILLING};
use crate::domain::currency::{self, PESO};
use crate::domain::event::{Event, EventKind};
use crate::domain::invoice::{invoice_series, validate_receiver};
use crate::domain::line::VatRate;
use crate::domain::line_details::LineDetails;
use crate::domain::money::Money;
use crate::domain::payment::{amount_schema, validate_amount, validate_form};
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sale::SaleProduct;
use crate::domain::sat::{CfdiUses, Currencies, PaidForms, SatKey, Vats};
use crate::domain::tax::{LineRates, TaxRate, Withholding};
use crate::domain::words::{
    InvoiceKind, InvoiceOrigin, PaymentMethod, PaymentOrigin, PaymentTerm, ProductKind, SaleKind, SaleOrigin,
};
use crate::error::{Code, Error};
use crate::json::{Digits, Text};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::advance::refuse_in_error;
use crate::posting::books::{Owed, becomes_owed};
use crate::posting::issuer::validate_issuer;
use crate::posting::payment::apply;
use crate::posting::payment_data::PaymentData;
use crate::posting::prospect::becomes_customer;
use crate::posting::{document, queued, stock};
use crate::record::product::DEFAULT_VAT;
use crate::store::{NewSale, NewSaleLine};

/// Captures an advance that was paid: a sales document `anticipo`, its invoice, queued for
/// stamping, and its payment.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureAdvance {
    /// The clave of the customer who paid it.
    pub cliente: i64,
    /// The amount that was paid: with IVA, less what the customer withheld.
    #[schemars(schema_with = "amount_schema")]
    pub importe: Money,
    /// The SAT's payment form, except 99.
    pub forma_pago_sat: SatKey<Digits<2>, PaidForms>,
    /// The clave of the bank account that received it; if left out, the till.
    pub cuenta_bancaria: Option<i64>,
    /// The branch that received it, and issues its invoice; the head office (0) if left out.
    pub sucursal: Option<i64>,
    /// The bank's reference; the advance's folio if left out.
    pub referencia: Option<Text<100>>,
    /// The IVA rate: 16 (if left out), 8, 0 or EX.
    pub iva: Option<SatKey<Text<2>, Vats>>,
    /// The rate of ISR that the customer withholds, if it is a company; if left out, what companies
    /// withhold from a RESICO issuer. Zero is none.
    pub retencion_isr: Option<TaxRate>,
    /// The rate of IVA that the customer withholds, if it is a company; none if left out.
    pub retencion_iva: Option<TaxRate>,
    /// The currency; MXN if left out.
    pub moneda: Option<SatKey<Text<3>, Currencies>>,
    /// Pesos per unit of the currency; required unless that is MXN.
    pub tipo_cambio: Option<Rate>,
    /// The CFDI use; the customer's if left out.
    pub uso_cfdi: Option<SatKey<Text<255>, CfdiUses>>,
}

/// The advance that was captured.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AdvanceCaptured {
    /// The clave of its sales document, which `advance.apply` takes.
    pub anticipo: i64,
    /// The clave of its invoice in the registry.
    pub factura: i64,
    /// The clave of its receivable, which is paid.
    pub cxc: i64,
    /// The clave of the payment.
    pub pago: i64,
}

/// Assigns an advance to an order or quote that is not invoiced yet. Its invoice then relates to
/// the advance's, and a credit note that applies the advance follows it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyAdvance {
    /// The clave of the order or quote.
    pub venta: i64,
    /// The clave of the advance's sales document.
    pub anticipo: i64,
}

/// The advance that was assigned.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct AdvanceRef {
    /// The clave of the order or quote.
    pub venta: i64,
    /// The clave of the advance's sales document.
    pub anticipo: i64,
}

impl CaptureAdvance {
    fn moneda(&self) -> &str {
        self.moneda.as_deref().unwrap_or(PESO)
    }

    /// Validates the input without data of the company. Returns the rates.
    fn validate(&self) -> Result<LineRates, Error> {
        validate_amount(self.importe)?;
        validate_form(&self.forma_pago_sat)?;
        currency::validate_invoiced(self.moneda())?;
        let key = self.iva.as_deref().unwrap_or(DEFAULT_VAT);
        let rate = VatRate::of_key(key);
        let rate = rate.ok_or_else(|| Error::field(Code::DatoInvalido, "iva", "debe ser 16, 8, 0 o EX"))?;
        let (retencion_isr, retencion_iva) = (self.retencion_isr, self.retencion_iva);
        let rates = LineRates { retencion_isr, retencion_iva, ..LineRates::of_vat(Some(rate)) };
        rates.validate().map_err(|(field, text)| Error::field(Code::DatoInvalido, field, text))?;
        Ok(rates)
    }

    /// The only line, which bills no product.
    fn line(&self, rates: &LineRates) -> Result<NewSaleLine, Error> {
        let too_large = || Error::field(Code::DatoInvalido, "importe", "pasa de 18 dígitos");
        let amounts = advance::amounts(self.importe, rates).ok_or_else(too_large)?;
        if amounts.subtotal == Money::default() {
            return Err(Error::field(Code::DatoInvalido, "importe", "es demasiado poco para facturarse"));
        }
        let product = SaleProduct {
            // No product.
            clave: 0,
            sku: None,
            descripcion: None,
            activo: true,
            tipo: ProductKind::VirtualSinPrecio,
            unidad: None,
            unidad_sat: Some(ACTIVITY.to_owned()),
            codigo_sat: BILLING.to_owned(),
            objeto_impuesto: TAXED.to_owned(),
            iva_venta: String::new(),
            iva_compra: String::new(),
            rates: LineRates::default(),
            costo: Money::default(),
        };
        Ok(NewSaleLine {
            producto: None,
            product,
            descripcion: Some(advance::WORDS.to_owned()),
            cantidad: Quantity::new(Decimal::ONE),
            precio_unitario: amounts.subtotal,
            rates: *rates,
            details: LineDetails::default(),
            amounts,
        })
    }
}

impl Operation for CaptureAdvance {
    const SPEC: Spec = Spec::new().named("advance.capture").emits(&[
        EventKind::VentaCreada,
        EventKind::ClienteCreado,
        EventKind::PagoAplicado,
        EventKind::FacturaTimbrada,
    ]);
    type Output = AdvanceCaptured;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<AdvanceCaptured, Error> {
        let rates = self.validate()?;
        // Too small an amount is reported before anything is not found.
        self.line(&rates)?;
        let tipo_cambio = currency::exchange_rate(self.moneda(), self.tipo_cambio)?;
        validate_issuer(cx).await?;
        let buyer = cx.tx.lock_buyer(self.cliente).await?.ok_or(Code::ClienteInvalido)?;
        let receiver = buyer.receptor.rfc.as_deref();
        let withholding = Withholding::between(cx.company.rfc.as_deref(), cx.company.regimen, receiver);
        let lines = [self.line(&rates.of_object(TAXED, withholding))?];
        let amounts = lines[0].amounts;
        let uso_cfdi = validate_receiver(TipoDeComprobante::I, &buyer.receptor, self.uso_cfdi.as_deref())?;
        let sucursal = self.sucursal.unwrap_or(HEAD_OFFICE);
        let almacen = stock::warehouse(cx, None, sucursal).await?;
        let today = cx.day_at(sucursal);
        let sale = NewSale {
            tipo: SaleKind::Anticipo,
            serie: None,
            fecha: cx.now,
            sucursal,
            almacen: almacen.clave,
            cliente: self.cliente,
            vendedor: None,
            moneda: self.moneda(),
            tipo_cambio,
            condicion_pago: PaymentTerm::Contado,
            dias_credito: None,
            vencimiento: Some(today),
            forma_pago_sat: Some(&self.forma_pago_sat),
            metodo_pago_sat: Some(PaymentMethod::Pue.word()),
            uso_cfdi: Some(&uso_cfdi),
            amounts,
            origen: SaleOrigin::Aplicacion,
            referencia: self.referencia.as_deref(),
            comentarios: None,
            lines: &lines,
        };
        let venta = cx.tx.insert_sale(&sale).await?.clave;
        cx.emit(&Event::VentaCreada { venta, tipo: SaleKind::Anticipo }).await?;
        if buyer.prospecto {
            becomes_customer(cx, self.cliente).await?;
        }
        let (factura, folio) = invoice(cx, venta, sucursal, self.cliente, buyer.receptor).await?;
        let owed = Owed {
            venta,
            tipo: SaleKind::Anticipo,
            factura: Some(factura),
            folio: &folio,
            cliente: Some(self.cliente),
            sucursal,
            moneda: self.moneda(),
            tipo_cambio,
            metodo_pago_sat: Some(PaymentMethod::Pue),
            fecha: today,
            vencimiento: today,
            amounts,
            por_tasa: IncomeByRate::default(),
        };
        let cxc = becomes_owed(cx, &owed, Money::default()).await?;
        let terms = PaymentData {
            origen: PaymentOrigin::Deposito,
            cuenta_bancaria: self.cuenta_bancaria,
            forma_pago_sat: &self.forma_pago_sat,
            fecha: today,
            referencia: Some(self.referencia.as_deref().unwrap_or(&folio)),
            deposito: None,
            by_note: false,
            acreditado: None,
            anticipo: None,
            tipo_cambio: Some(tipo_cambio),
        };
        let paid = apply(cx, &terms, &[(cxc, amounts.total)]).await?;
        let pago = paid.payments.first().map(|part| part.pago);
        let pago = pago.ok_or_else(|| Error::internal("an advance was paid by no payment"))?;
        Ok(AdvanceCaptured { anticipo: venta, factura, cxc, pago })
    }
}

const HEAD_OFFICE: i64 = 0;

/// `c_ObjetoImp` of an advance: subject to tax.
const TAXED: &str = "02";

/// Registers the advance's invoice and queues its validated document. Returns the clave in the
/// registry and the folio.
async fn invoice(
    cx: &mut Cx<'_>,
    venta: i64,
    sucursal: i64,
    cliente: i64,
    receptor: Receiver,
) -> Result<(i64, String), Error> {
    let serie = invoice_series(sucursal);
    let (tipo, origen) = (InvoiceKind::Factura, InvoiceOrigin::Aplicacion);
    let (factura, heading) = queued::open(cx, tipo, serie, Some(venta), Some(cliente), origen).await?;
    cx.tx.set_sale_invoice(venta, factura, cx.now).await?;
    let folio = heading.number();
    let document = document::of_sale(cx, venta, receptor, None, heading).await?;
    queued::keep_fit(cx, factura, document).await?;
    Ok((factura, folio))
}

impl Operation for ApplyAdvance {
    const SPEC: Spec = Spec::new().named("advance.apply").emits(&[EventKind::FacturaTimbrada]);
    type Output = AdvanceRef;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<AdvanceRef, Error> {
        let Self { venta, anticipo } = *self;
        let sale = valid(cx, venta).await?;
        if !matches!(sale.tipo, SaleKind::Pedido | SaleKind::Cotizacion) || sale.facturada {
            return Err(wrong_state("solo se aplica a un pedido o una cotización sin factura"));
        }
        let missing = || {
            let text = format_args!("el anticipo {anticipo} no existe en la empresa, o no tiene factura vigente");
            Error::field(Code::NoEncontrado, "anticipo", text)
        };
        let found = cx.tx.lock_advance(anticipo).await?;
        let found = found.filter(|advance| advance.factura.is_some() || advance.en_error).ok_or_else(missing)?;
        let other = |text| Err(Error::field(Code::EstadoInvalido, "anticipo", text));
        if found.cliente.is_none() || found.cliente != sale.cliente {
            return other("es de otro cliente");
        }
        if found.moneda != sale.moneda {
            return Err(Code::MonedaDistinta.into());
        }
        refuse_in_error(&found)?;
        if found.restante == Money::default() {
            return Err(Code::SaldoInsuficiente.into());
        }
        if !cx.tx.assign_advance(venta, anticipo).await? {
            return other("ya se nombró para esa venta");
        }
        Ok(AdvanceRef { venta, anticipo })
    }
}
