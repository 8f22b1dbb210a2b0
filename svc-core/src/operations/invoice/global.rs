//! The global invoice of a period's sales to the general public (contract §7).

use chrono::{Datelike, Months, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::cfdi::Periodicidad;
use crate::domain::clock::{mexico_date, mexico_midnight};
use crate::domain::event::EventKind;
use crate::domain::invoice::invoice_series;
use crate::domain::rfc::{GENERIC_NATIONAL, Rfc};
use crate::domain::words::{InvoiceKind, InvoiceOrigin, SaleKind};
use crate::error::{Code, Error};
use crate::json::{Many, Within};
use crate::operation::{Cx, Operation, Spec};
use crate::posting::document;
use crate::posting::invoice::validate_issuer;
use crate::store::{GlobalPeriod, GlobalSale, GlobalSales};

/// The largest number of sales in one document.
const MAX_SALES: usize = 2_000;

/// The regime that may invoice two months at once (`c_RegimenFiscal`).
const INCORPORATION: i64 = 621;

/// Invoices a period's sales to the general public in one document with a line per sale, queued for
/// stamping. The sales belong to it until it is cancelled.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvoicePeriod {
    /// The length of the period (SAT catalogue): 01 a day, 02 a week, 03 half a month, 04 a month,
    /// 05 two months.
    pub periodicidad: Periodicidad,
    /// The month, 1 to 12. For two months either of them, or 13 (January and February) to 18.
    pub mes: Within<1, 18>,
    /// This year or the year before.
    #[serde(rename = "año", alias = "anio")]
    pub anio: Within<2022, 9999>,
    /// The claves of the sales. If left out: the sales to the general public of that month or those
    /// months, in pesos and not invoiced, the oldest 2,000.
    pub ventas: Option<Many<i64, MAX_SALES>>,
}

/// The global invoice that was created.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PeriodInvoiced {
    /// The clave of its record in the registry.
    pub factura: i64,
    /// The claves of its sales.
    pub ventas: Vec<i64>,
}

impl InvoicePeriod {
    /// The period as the document states it, with its first and last day.
    fn period(&self, today: NaiveDate) -> Result<(GlobalPeriod, NaiveDate, NaiveDate), Error> {
        let invalid = |field, text| Error::field(Code::DatoInvalido, field, text);
        let (anio, mes) = (self.anio.get(), self.mes.get());
        let two = self.periodicidad == Periodicidad::Bimestral;
        let (meses, first, length) = match mes {
            13.. if two => (mes, (mes - 13) * 2 + 1, 2),
            13.. => return Err(invalid("mes", "es de 1 a 12; de 13 a 18 solo con la periodicidad 05")),
            _ if two => (12 + (mes + 1) / 2, (mes - 1) / 2 * 2 + 1, 2),
            _ => (mes, mes, 1),
        };
        let day = i32::try_from(anio).ok().zip(u32::try_from(first).ok());
        let from = day.and_then(|(year, month)| NaiveDate::from_ymd_opt(year, month, 1));
        let upto = from.and_then(|from| from.checked_add_months(Months::new(length)));
        let (Some(from), Some(upto)) = (from, upto) else { return Err(invalid("mes", "no es un mes")) };
        if from > today {
            return Err(invalid("mes", "no ha empezado"));
        }
        if i64::from(today.year()) - anio > 1 {
            return Err(invalid("año", "es este o el anterior"));
        }
        let period = GlobalPeriod { periodicidad: self.periodicidad, meses: format!("{meses:02}"), anio: from.year() };
        Ok((period, from, upto))
    }

    /// Finds and locks the sales.
    async fn sales(&self, cx: &mut Cx<'_>, from: NaiveDate, upto: NaiveDate) -> Result<Vec<GlobalSale>, Error> {
        let which = GlobalSales {
            ventas: self.ventas.as_deref(),
            rfc: GENERIC_NATIONAL,
            desde: mexico_midnight(from),
            hasta: mexico_midnight(upto),
            max: MAX_SALES.try_into().unwrap_or(i64::MAX),
        };
        let found = cx.tx.lock_global_sales(&which).await?;
        let wrong = |code, text| Err(Error::field(code, "ventas", text));
        for clave in self.ventas.iter().flat_map(|ventas| ventas.iter()) {
            let Some(sale) = found.iter().find(|sale| sale.venta == *clave) else {
                return wrong(Code::NoEncontrado, format!("la venta {clave} no existe en la empresa"));
            };
            if let Err(text) = validate(sale) {
                return wrong(Code::EstadoInvalido, format!("la venta {clave} {text}"));
            }
        }
        match found.first() {
            None => wrong(Code::EstadoInvalido, "no hay ventas al público en general sin facturar".to_owned()),
            Some(first) if found.iter().any(|sale| sale.moneda != first.moneda) => Err(Code::MonedaDistinta.into()),
            Some(_) => Ok(found),
        }
    }
}

/// Removes the sales from a global invoice in `error` that it can no longer take: cancelled ones, or
/// those of customers who have an RFC by now.
pub(super) async fn release_unfit(cx: &mut Cx<'_>, factura: i64) -> Result<(), Error> {
    let Some((_, ventas)) = cx.tx.global(factura).await? else { return Ok(()) };
    let which = GlobalSales { ventas: Some(&ventas), max: i64::MAX, ..GlobalSales::default() };
    let sales = cx.tx.lock_global_sales(&which).await?;
    let unfit = |sale: &&GlobalSale| validate(&GlobalSale { facturada: false, ..(*sale).clone() }).is_err();
    let unfit: Vec<i64> = sales.iter().filter(unfit).map(|sale| sale.venta).collect();
    if unfit.len() == sales.len() {
        let text = "no le queda ninguna venta; se descarta con document.discard";
        return Err(Error::field(Code::EstadoInvalido, "factura", text));
    }
    Ok(cx.tx.release_from_global(factura, &unfit, cx.now).await?)
}

/// The reason why a sale cannot be part of a global invoice.
fn validate(sale: &GlobalSale) -> Result<(), &'static str> {
    let public = sale.rfc.as_deref().is_none_or(|rfc| Rfc::parse(rfc).is_ok_and(|rfc| rfc.is_generic()));
    match () {
        () if sale.tipo != SaleKind::Venta => Err("no es una venta"),
        () if sale.cancelada => Err("está cancelada"),
        () if sale.facturada => Err("ya tiene factura"),
        () if !public => Err("es de un cliente con RFC, a quien se factura"),
        () => Ok(()),
    }
}

impl Operation for InvoicePeriod {
    const SPEC: Spec = Spec::new().named("invoice.global").emits(&[EventKind::FacturaTimbrada]);
    type Output = PeriodInvoiced;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PeriodInvoiced, Error> {
        let (period, from, upto) = self.period(mexico_date(cx.now.get()))?;
        if self.periodicidad == Periodicidad::Bimestral && cx.company.regimen != Some(INCORPORATION) {
            return Err(Error::field(Code::DatoInvalido, "periodicidad", "05 es solo del régimen 621"));
        }
        validate_issuer(cx).await?;
        let ventas: Vec<i64> = self.sales(cx, from, upto).await?.iter().map(|sale| sale.venta).collect();
        let (tipo, origen) = (InvoiceKind::Factura, InvoiceOrigin::Aplicacion);
        let (factura, heading) = document::open(cx, tipo, invoice_series(0), None, None, origen).await?;
        cx.tx.insert_global(factura, &period, &ventas, cx.now).await?;
        let document = document::of_period(cx, &period, &ventas, heading).await?;
        document::keep_fit(cx, factura, document).await?;
        Ok(PeriodInvoiced { factura, ventas })
    }
}
