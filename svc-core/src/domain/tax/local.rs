//! Local taxes of a line, as the complement "Otros derechos e impuestos" (`implocal` 1.0) has them.

use std::borrow::Cow;

use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{AmountFault, Amounts, TaxRate, Withholding, within};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::words::words;
use crate::json::{Many, Text};

/// The most local taxes of a line.
const MAX_TAXES: usize = 5;

words! {
    /// Whether a local tax is charged or withheld.
    pub enum LocalKind {
        /// Charged to the receiver, such as that on lodging.
        Traslado = "traslado",
        /// Withheld by a receiver that is a company, such as 5 per thousand of public works.
        Retencion = "retencion",
    }
}

/// A local tax of a line; its base is the line's amount before taxes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalTax {
    /// Whether it is charged or withheld.
    pub tipo: LocalKind,
    /// Its name in the tax document, such as ISH.
    pub nombre: Text<100>,
    /// Its rate, as a fraction with up to four decimals: "0.0300" is 3 %.
    #[schemars(schema_with = "rate_schema")]
    pub tasa: TaxRate,
}

/// The schema of a local tax's rate, which [`LocalTaxes::validate`] checks.
fn rate_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["string", "number"],
        "pattern": r"^(0\.([1-9]\d{0,3}|0[1-9]\d{0,2}|00[1-9]\d?|000[1-9])|1(\.0{1,4})?)$",
        "exclusiveMinimum": 0,
        "maximum": 1,
    })
}

/// The local taxes of a line: one to five, no two of one kind and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocalTaxes(Many<LocalTax, MAX_TAXES>);

impl JsonSchema for LocalTaxes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "LocalTaxes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Many::<LocalTax, MAX_TAXES>::json_schema(generator)
    }
}

/// Sums of local taxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LocalSums {
    pub(crate) trasladados: Money,
    pub(crate) retenidos: Money,
}

impl LocalTax {
    /// Its amount on `base`; `None` if that is negative or has more than 18 digits.
    pub(crate) fn amount(&self, base: Decimal) -> Option<Money> {
        line::withheld(base, Some(self.tasa.get()))
    }
}

impl LocalTaxes {
    /// The taxes, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &LocalTax> {
        self.0.iter()
    }

    /// Validates entered taxes. Fails with the place of the wrong one, its field and the reason.
    pub(crate) fn validate(&self) -> Result<(), (usize, &'static str, &'static str)> {
        for (at, tax) in self.iter().enumerate() {
            let rate = tax.tasa.get().normalize();
            if rate <= Decimal::ZERO || rate > Decimal::ONE || rate.scale() > 4 {
                return Err((at, "tasa", "debe ser mayor que 0 y hasta 1, con a lo más 4 decimales"));
            }
            if self.iter().take(at).any(|other| (other.tipo, &other.nombre) == (tax.tipo, &tax.nombre)) {
                return Err((at, "nombre", "ya está en el renglón"));
            }
        }
        Ok(())
    }

    /// Without the taxes that this receiver does not withhold; `None` if none is left.
    pub(crate) fn under(self, withholding: Withholding) -> Option<Self> {
        let mut taxes = self.0.into_vec();
        taxes.retain(|tax| tax.tipo == LocalKind::Traslado || withholding.applies());
        Many::new(taxes).map(Self)
    }

    /// What they come to on `base`, each rounded half-up; `None` if that has more than 18 digits.
    pub(crate) fn sums(&self, base: Decimal) -> Option<LocalSums> {
        let sum = |tipo| {
            let amounts = self.iter().filter(|tax| tax.tipo == tipo).map(|tax| tax.amount(base).map(Money::get));
            line::amount(amounts.sum::<Option<Decimal>>()?)
        };
        Some(LocalSums { trasladados: sum(LocalKind::Traslado)?, retenidos: sum(LocalKind::Retencion)? })
    }
}

impl Amounts {
    /// The amounts with the line's local taxes.
    pub(crate) fn with_local_taxes(self, taxes: Option<&LocalTaxes>) -> Result<Self, AmountFault> {
        let Some(taxes) = taxes else { return Ok(self) };
        let sums = taxes.sums(self.subtotal.get() - self.descuento.get()).ok_or(AmountFault::TooLarge)?;
        self.with_local_sums(sums)
    }

    /// The amounts with these sums of local taxes, which they do not have yet.
    pub(crate) fn with_local_sums(self, sums: LocalSums) -> Result<Self, AmountFault> {
        let retenciones = within(line::amount(self.retenciones.get() + sums.retenidos.get()))?;
        let LocalSums { trasladados: locales_trasladados, retenidos: locales_retenidos } = sums;
        Self { retenciones, locales_trasladados, locales_retenidos, ..self }.with_total()
    }
}
