//! The IVA of a month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_GROUPS, sum};
use crate::domain::quantity::Balance;
use crate::domain::rfc::GENERIC_FOREIGN;
use crate::domain::time::CalendarMonth;
use crate::error::Error;
use crate::operation::{Cx, Operation, Spec};
use crate::store::{ChargedVat, CreditableVat, ReportDays};

/// Reports the IVA of a month: what sales charged and what was collected, what purchases and
/// expenses charged and what was paid, by rate, and of the latter what the DIOT asks by supplier.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VatReport {
    /// The month, as `2026-11`.
    pub mes: CalendarMonth,
}

/// The answer of [`VatReport`], in pesos.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct VatOfMonth {
    /// The month.
    pub mes: CalendarMonth,
    /// The IVA of sales, by rate.
    pub trasladado: Vec<VatCharged>,
    /// Its sums.
    pub trasladado_total: VatCharged,
    /// The IVA of purchases and expenses, by rate.
    pub acreditable: Vec<VatCredited>,
    /// Its sums.
    pub acreditable_total: VatCredited,
    /// The IEPS of sales.
    pub ieps: IepsOfMonth,
    /// The suppliers who were paid most, at most 1,000, with their rates.
    pub proveedores: Vec<SupplierVat>,
    /// The sums of all other suppliers, by rate.
    pub otros: Vec<VatCredited>,
}

/// IVA of sales of one rate.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct VatCharged {
    /// "0.160000", "exento" …; null where no document tells it, and in sums.
    pub tasa: Option<String>,
    /// What was charged before IVA and IEPS, credit notes deducted.
    pub base: Balance,
    /// Its IVA, collected or not.
    pub iva: Balance,
    /// What was collected before IVA, with the IEPS on which it is charged.
    pub base_cobrada: Balance,
    /// The IVA collected: the movement of account 208.01.
    pub iva_cobrado: Balance,
    /// How much more IVA is to be collected: the movement of account 209.01.
    pub iva_por_cobrar: Balance,
}

/// IVA of purchases and expenses of one rate.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct VatCredited {
    /// As in `trasladado`.
    pub tasa: Option<String>,
    /// What was billed before IVA.
    pub base: Balance,
    /// Its IVA, paid or not.
    pub iva: Balance,
    /// What was paid before IVA.
    pub base_pagada: Balance,
    /// The IVA paid, so creditable: the movement of account 118.01.
    pub iva_pagado: Balance,
    /// How much more IVA is to be paid: the movement of account 119.01.
    pub iva_por_pagar: Balance,
    /// The IVA withheld: the movement of account 216.10.
    pub iva_retenido: Balance,
}

/// IEPS of sales.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct IepsOfMonth {
    /// What was charged, collected or not, credit notes deducted.
    pub ieps: Balance,
    /// What was collected: the movement of account 208.02.
    pub cobrado: Balance,
    /// How much more is to be collected: the movement of account 209.02.
    pub por_cobrar: Balance,
}

/// What a supplier charged and was paid.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SupplierVat {
    /// The clave of the supplier; null where the payable names none.
    pub proveedor: Option<i64>,
    /// The name.
    pub nombre: Option<String>,
    /// The RFC.
    pub rfc: Option<String>,
    /// The DIOT's kind: 04 national, 05 foreign, 15 not told one by one.
    pub tipo_tercero: &'static str,
    /// The amounts of each rate.
    pub tasas: Vec<VatCredited>,
}

impl VatCharged {
    fn of(row: &ChargedVat) -> Self {
        Self { tasa: row.tasa.clone(), ..Self::sums(std::slice::from_ref(row)) }
    }

    fn sums(rows: &[ChargedVat]) -> Self {
        Self {
            tasa: None,
            base: sum(rows, |row| row.base),
            iva: sum(rows, |row| row.iva),
            base_cobrada: sum(rows, |row| row.base_cobrada),
            iva_cobrado: sum(rows, |row| row.iva_cobrado),
            iva_por_cobrar: sum(rows, |row| row.iva_por_cobrar),
        }
    }
}

impl VatCredited {
    fn of(row: &CreditableVat) -> Self {
        Self { tasa: row.tasa.clone(), ..Self::sums(std::slice::from_ref(row)) }
    }

    fn sums(rows: &[CreditableVat]) -> Self {
        Self {
            tasa: None,
            base: sum(rows, |row| row.base),
            iva: sum(rows, |row| row.iva),
            base_pagada: sum(rows, |row| row.base_pagada),
            iva_pagado: sum(rows, |row| row.iva_pagado),
            iva_por_pagar: sum(rows, |row| row.iva_por_pagar),
            iva_retenido: sum(rows, |row| row.iva_retenido),
        }
    }
}

/// The sums of each rate.
fn by_rate(mut rows: Vec<CreditableVat>) -> Vec<VatCredited> {
    rows.sort_by(|a, b| b.tasa.cmp(&a.tasa));
    let same = rows.chunk_by(|a, b| a.tasa == b.tasa);
    same.filter_map(|rows| Some(VatCredited { tasa: rows.first()?.tasa.clone(), ..VatCredited::sums(rows) })).collect()
}

fn supplier(rows: &[CreditableVat]) -> Option<SupplierVat> {
    let first = rows.first()?;
    Some(SupplierVat {
        proveedor: first.proveedor,
        nombre: first.nombre.clone(),
        rfc: first.rfc.clone(),
        tipo_tercero: match first.rfc.as_deref() {
            None => "15",
            Some(GENERIC_FOREIGN) => "05",
            Some(_) => "04",
        },
        tasas: rows.iter().map(VatCredited::of).collect(),
    })
}

impl Operation for VatReport {
    const SPEC: Spec = Spec::new().named("report.vat").reads();
    type Output = VatOfMonth;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<VatOfMonth, Error> {
        let days = ReportDays { desde: self.mes.first(), hasta: self.mes.last() };
        let charged = cx.tx.charged_vat(days).await?;
        let ieps = cx.tx.charged_ieps(days).await?;
        let credited = cx.tx.creditable_vat(days, MAX_GROUPS).await?;
        let acreditable_total = VatCredited::sums(&credited);
        let acreditable = by_rate(credited.clone());
        let (told, rest): (Vec<_>, Vec<_>) = credited.into_iter().partition(|row| row.lugar <= MAX_GROUPS);
        Ok(VatOfMonth {
            mes: self.mes,
            trasladado: charged.iter().map(VatCharged::of).collect(),
            trasladado_total: VatCharged::sums(&charged),
            acreditable,
            acreditable_total,
            ieps: IepsOfMonth {
                ieps: Balance::new(ieps.ieps),
                cobrado: Balance::new(ieps.cobrado),
                por_cobrar: Balance::new(ieps.por_cobrar),
            },
            proveedores: told.chunk_by(|a, b| a.lugar == b.lugar).filter_map(supplier).collect(),
            otros: rest.iter().map(VatCredited::of).collect(),
        })
    }
}
