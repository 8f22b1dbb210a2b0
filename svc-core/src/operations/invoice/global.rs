//! The global invoice of a period's sales to the general public (contract §7).

use chrono::{NaiveDate, TimeDelta};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::period::{NamedPeriod, PeriodDays};
use crate::domain::cfdi::Periodicidad;
use crate::domain::clock::midnight;
use crate::domain::event::EventKind;
use crate::domain::invoice::invoice_series;
use crate::domain::rfc::GENERIC_NATIONAL;
use crate::domain::time::Date;
use crate::domain::words::{InvoiceKind, InvoiceOrigin, SaleKind};
use crate::error::{Code, Error};
use crate::json::{Many, Within};
use crate::operation::{Cx, Operation, Spec};
use crate::operations::sale::IMPORTED_RETURNS;
use crate::posting::advance::PAID_BY_ADVANCES;
use crate::posting::issuer::validate_issuer;
use crate::posting::{global, queued};
use crate::store::{GlobalSale, GlobalSales};

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
    /// The first day of the period, in the zone of the issuing place. If left out: of a month or
    /// two, their first day; else of the period that ends with `hasta`, or that runs today.
    pub desde: Option<Date>,
    /// The last day of the period, in the zone of the issuing place. If left out: the day `desde`
    /// itself, the seventh day from it, or the end of its half month, its month or the two months.
    pub hasta: Option<Date>,
    /// The claves of the sales, all of the period. If left out: the sales to the general public of
    /// the period, in pesos and not invoiced, the oldest 2,000.
    pub ventas: Option<Many<i64, MAX_SALES>>,
}

/// The global invoice that was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PeriodInvoiced {
    /// The clave of its record in the registry.
    pub factura: i64,
    /// The claves of its sales.
    pub ventas: Vec<i64>,
}

impl InvoicePeriod {
    /// The days that it takes.
    fn days(&self, today: NaiveDate) -> Result<PeriodDays, Error> {
        let named = NamedPeriod {
            periodicidad: self.periodicidad,
            mes: self.mes.get(),
            anio: self.anio.get(),
            desde: self.desde.map(|day| day.0),
            hasta: self.hasta.map(|day| day.0),
        };
        named.days(today)
    }

    /// Finds and locks the sales of these days in `zone`, up to now.
    async fn sales(&self, cx: &mut Cx<'_>, days: &PeriodDays, zone: Tz) -> Result<Vec<GlobalSale>, Error> {
        let after = days.last.succ_opt().unwrap_or(days.last);
        let now = cx.now.get() + TimeDelta::microseconds(1);
        let which = GlobalSales {
            ventas: self.ventas.as_deref(),
            rfc: GENERIC_NATIONAL,
            desde: midnight(days.first, zone),
            hasta: midnight(after, zone).min(now),
            max: MAX_SALES.try_into().unwrap_or(i64::MAX),
        };
        let mut found = cx.tx.lock_global_sales(&which).await?;
        let claves: Vec<i64> = found.iter().map(|sale| sale.venta).collect();
        let by_advances = cx.tx.paid_by_invoiced_advances(&claves).await?;
        let returned = cx.tx.imported_returns(&claves).await?;
        if self.ventas.is_none() {
            let unfit = |venta: i64| by_advances.contains(&venta) || returned.contains(&venta);
            found.retain(|sale| !sale.is_returned() && !unfit(sale.venta));
        }
        let wrong = |code, text| Err(Error::field(code, "ventas", text));
        for clave in self.ventas.iter().flat_map(|ventas| ventas.iter()) {
            let Some(sale) = found.iter().find(|sale| sale.venta == *clave) else {
                return wrong(Code::NoEncontrado, format!("la venta {clave} no existe en la empresa"));
            };
            if let Err(text) = validate(sale, &by_advances, &returned) {
                return wrong(Code::EstadoInvalido, format!("la venta {clave} {text}"));
            }
            if !(which.desde..which.hasta).contains(&sale.fecha.get()) {
                let (first, last) = (days.first, days.last);
                let text = format!("la venta {clave} no es del periodo, que va del {first} al {last}");
                return wrong(Code::EstadoInvalido, text);
            }
        }
        match found.first() {
            None => wrong(Code::EstadoInvalido, "no hay ventas al público en general sin facturar".to_owned()),
            Some(first) if found.iter().any(|sale| sale.moneda != first.moneda) => Err(Code::MonedaDistinta.into()),
            Some(first) => match found.iter().find(|sale| sale.tipo_cambio != first.tipo_cambio) {
                Some(other) => {
                    let text = format!("las ventas {} y {} tienen distinto tipo de cambio", first.venta, other.venta);
                    wrong(Code::EstadoInvalido, text)
                }
                None => Ok(found),
            },
        }
    }
}

/// The reason why a sale cannot be part of a global invoice. Sales of `by_advances` are paid by
/// advances that have an invoice; what came back of those of `returned` is not known.
fn validate(sale: &GlobalSale, by_advances: &[i64], returned: &[i64]) -> Result<(), &'static str> {
    match () {
        () if sale.tipo != SaleKind::Venta => Err("no es una venta"),
        () if sale.cancelada => Err("está cancelada"),
        () if sale.facturada => Err("ya tiene factura"),
        () if sale.is_returned() => Err("se devolvió completa"),
        () if returned.contains(&sale.venta) => Err(IMPORTED_RETURNS),
        () if !sale.is_public() => Err("es de un cliente con RFC, a quien se factura"),
        () if by_advances.contains(&sale.venta) => Err(PAID_BY_ADVANCES),
        () => Ok(()),
    }
}

impl Operation for InvoicePeriod {
    const SPEC: Spec = Spec::new().named("invoice.global").each_time().emits(&[EventKind::FacturaTimbrada]);
    type Output = PeriodInvoiced;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<PeriodInvoiced, Error> {
        let zone = cx.company.zone();
        let days = self.days(cx.now.get().with_timezone(&zone).date_naive())?;
        if self.periodicidad == Periodicidad::Bimestral && cx.company.regimen != Some(INCORPORATION) {
            return Err(Error::field(Code::DatoInvalido, "periodicidad", "05 es solo del régimen 621"));
        }
        validate_issuer(cx).await?;
        let sales = self.sales(cx, &days, zone).await?;
        let ventas: Vec<i64> = sales.iter().map(|sale| sale.venta).collect();
        let (tipo, origen) = (InvoiceKind::Factura, InvoiceOrigin::Aplicacion);
        let (factura, heading) = queued::open(cx, tipo, invoice_series(0), None, None, origen).await?;
        cx.tx.insert_global(factura, &days.period, &ventas, cx.now).await?;
        let document = global::document(cx, &days.period, sales, heading).await?;
        queued::keep_fit(cx, factura, document).await?;
        Ok(PeriodInvoiced { factura, ventas })
    }
}
