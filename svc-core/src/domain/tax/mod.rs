//! The taxes of a line: their rates and the resulting amounts (contract §7).
//!
//! Every tax other than IVA is a line of `line_taxes!`. If its amount is stored, that is a line of
//! `amounts!`. Local taxes have any name and rate, so that a line has a list of them (`local`).

mod local;

use std::fmt;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::line::{self, IepsRate, VatRate};
use super::money::Money;
use super::quantity::{Quantity, Rate, unsigned};
use super::rfc::{Person, Rfc};
use super::sat::{self, Factor, Levied};
use crate::schema::field_schema;

pub(crate) use local::LocalSums;
pub use local::{LocalKind, LocalTax, LocalTaxes};

/// A fraction of an amount, or pesos per unit; on the wire a string with six decimals ("0.080000").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaxRate(Decimal);

impl TaxRate {
    /// Takes `value` as it is, whether `c_TasaOCuota` has it or not.
    pub fn new(value: Decimal) -> Self {
        Self(value)
    }

    /// The exact value: a fraction of the base, or pesos per unit.
    pub fn get(self) -> Decimal {
        self.0
    }
}

field_schema!(TaxRate, "TaxRate", { "type": ["string", "number"], "pattern": r"^\d{1,3}(\.\d{1,6})?$", "minimum": 0 });

impl fmt::Display for TaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl Serialize for TaxRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TaxRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unsigned(deserializer, "una tasa como \"0.080000\", de hasta 3 enteros y 6 decimales", 3).map(Self)
    }
}

/// The taxes of a line other than IVA. Passes them to `$then!`, after the tokens in its braces:
/// documentation, the authority's key (`c_Impuesto`), the kind of rate (`c_TipoFactor`), whether
/// the tax is charged or withheld, and the `c_ObjetoImp` of the lines that it applies to.
macro_rules! line_taxes {
    ($then:ident! { $($tokens:tt)* }) => {
        $then! {
            $($tokens)*
            /// Rate of its IEPS; the product's when left out. Zero is none, here and of all rates.
            ieps_tasa: "003", Tasa, Charged, ["02", "07"];
            /// IEPS of each unit, in pesos; the product's when left out.
            ieps_cuota: "003", Cuota, Charged, ["02", "07"];
            /// Rate of the ISR that a company withholds when it buys; the product's when left out,
            /// else 0.0125 if the issuer is a natural person under the regime 626.
            retencion_isr: "001", Tasa, Withheld, ["02", "06", "07", "08"];
            /// Rate of the IVA that a company withholds when it buys; the product's when left out.
            retencion_iva: "002", Tasa, Withheld, ["02"];
        }
    };
}

pub(crate) use line_taxes;

/// Declares a struct with a field per tax of [`line_taxes!`] after its own fields:
/// `line_taxes!(stating_rates! { … })`.
macro_rules! stating_rates {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$own_doc:meta])* pub $own:ident: $own_type:ty,)* }
        $($(#[$doc:meta])* $tax:ident: $impuesto:literal, $factor:ident, $levied:ident, $objetos:expr;)*
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$own_doc])* pub $own: $own_type,)*
            $($(#[$doc])* pub $tax: Option<TaxRate>,)*
        }
    };
}

pub(crate) use stating_rates;

/// Collects the rates of a struct whose fields are named like [`line_taxes!`]:
/// `line_taxes!(rates_of! { self; })`.
macro_rules! rates_of {
    (
        $record:expr;
        $($(#[$doc:meta])* $tax:ident: $impuesto:literal, $factor:ident, $levied:ident, $objetos:expr;)*
    ) => {
        $crate::domain::tax::LineRates { iva_tasa: None, $($tax: $record.$tax,)* }
    };
}

pub(crate) use rates_of;

/// Declares [`LineRates`], so that a tax is stated once for its field and its rules.
macro_rules! rates {
    ($($(#[$doc:meta])* $tax:ident: $impuesto:literal, $factor:ident, $levied:ident, $objetos:expr;)*) => {
        /// The rates of a line's taxes. In the data of a product or a line, zero means no tax.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct LineRates {
            /// The rate of IVA; `None` if the line is not subject to it.
            pub iva_tasa: Option<VatRate>,
            $($(#[$doc])* pub $tax: Option<TaxRate>,)*
        }

        impl LineRates {
            /// Each tax of [`line_taxes!`] with its rate.
            fn each(&mut self) -> impl Iterator<Item = (LineTax, &mut Option<TaxRate>)> {
                [$((
                    LineTax {
                        field: stringify!($tax),
                        impuesto: $impuesto,
                        factor: Factor::$factor,
                        levied: Levied::$levied,
                        objetos: &$objetos,
                    },
                    &mut self.$tax,
                )),*].into_iter()
            }
        }
    };
}

line_taxes!(rates! {});

/// A tax of [`line_taxes!`].
struct LineTax {
    field: &'static str,
    impuesto: &'static str,
    factor: Factor,
    levied: Levied,
    objetos: &'static [&'static str],
}

impl LineRates {
    /// Rates with only an IVA.
    pub fn of_vat(iva_tasa: Option<VatRate>) -> Self {
        Self { iva_tasa, ..Self::default() }
    }

    /// The IEPS: by its rate, else by its amount per unit; `None` without either.
    pub fn ieps(&self) -> Option<IepsRate> {
        let tasa = self.ieps_tasa.map(|rate| IepsRate::Tasa(rate.get()));
        tasa.or(self.ieps_cuota.map(|pesos| IepsRate::Cuota(pesos.get())))
    }

    /// Validates entered rates. Fails with the field and the reason: the authority's catalogue
    /// (`c_TasaOCuota`) does not have the rate, or both kinds of IEPS are given.
    pub(crate) fn validate(mut self) -> Result<(), (&'static str, &'static str)> {
        if not_zero(self.ieps_tasa).is_some() && not_zero(self.ieps_cuota).is_some() {
            return Err(("ieps_cuota", "no va junto con ieps_tasa"));
        }
        for (tax, rate) in self.each() {
            let known = |rate: TaxRate| sat::tax_rate_exists(tax.impuesto, tax.factor, tax.levied, rate.get());
            if !not_zero(*rate).is_none_or(known) {
                return Err((tax.field, "no está en el catálogo del SAT"));
            }
        }
        Ok(())
    }

    /// The entered rates of a line, completed by `others` of its product. A line with one kind of
    /// IEPS does not get the product's other kind.
    pub(crate) fn or(mut self, mut others: Self) -> Self {
        if self.ieps().is_some() {
            (others.ieps_tasa, others.ieps_cuota) = (None, None);
        }
        for ((_, own), (_, other)) in self.each().zip(others.each()) {
            *own = own.or(*other);
        }
        self
    }

    /// The rates in a currency whose unit is `tipo_cambio` pesos: an IEPS quota is in pesos
    /// and becomes its part of that currency, to six decimals. `None` if the authority's catalogue
    /// does not reach that far.
    pub(crate) fn in_currency(self, tipo_cambio: Rate) -> Option<Self> {
        let Some(pesos) = self.ieps_cuota.filter(|_| tipo_cambio != Rate::ONE) else { return Some(self) };
        let exact = pesos.get().checked_div(tipo_cambio.get())?;
        let cuota = exact.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero);
        let ieps_cuota = not_zero(Some(TaxRate(cuota)));
        let known = ieps_cuota.is_none_or(|cuota| sat::tax_rate_exists("003", Factor::Cuota, Levied::Charged, cuota.0));
        known.then_some(Self { ieps_cuota, ..self })
    }

    /// The entered rates that apply to a line with this `c_ObjetoImp`.
    pub(crate) fn of_object(mut self, objeto: &str, withholding: Withholding) -> Self {
        self.retencion_isr = self.retencion_isr.or(withholding.isr);
        for (tax, rate) in self.each() {
            let applies = tax.objetos.contains(&objeto) && (withholding.applies || tax.levied == Levied::Charged);
            *rate = not_zero(*rate).filter(|_| applies);
        }
        self
    }
}

fn not_zero(rate: Option<TaxRate>) -> Option<TaxRate> {
    rate.filter(|rate| !rate.get().is_zero())
}

/// `c_RegimenFiscal`: Régimen Simplificado de Confianza (RESICO).
const RESICO: i64 = 626;

/// The ISR that companies withhold from natural persons of that regime, in millionths (LISR,
/// article 113-J).
const RESICO_ISR: Decimal = Decimal::from_parts(12_500, 0, 0, false, 6);

/// What the receiver of a sale withholds from its issuer (contract §7, "Taxes of a line").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Withholding {
    /// Whether it withholds what product or line say: companies (personas morales) do.
    applies: bool,
    /// The ISR that it withholds if neither product nor line say anything of it.
    isr: Option<TaxRate>,
}

impl Withholding {
    /// What a line says, and nothing else.
    pub(crate) const AS_STATED: Self = Self { applies: true, isr: None };

    /// Whether the receiver withholds what product or line say.
    pub(crate) fn applies(self) -> bool {
        self.applies
    }

    /// Between an issuer, with its regime, and a receiver.
    pub(crate) fn between(issuer: Option<&str>, regimen: Option<i64>, receiver: Option<&str>) -> Self {
        let person = |rfc: Option<&str>| rfc.and_then(|rfc| Rfc::parse(rfc).ok()).map(|rfc| rfc.person());
        let simplified = regimen == Some(RESICO) && person(issuer) == Some(Person::Fisica);
        Self { applies: person(receiver) == Some(Person::Moral), isr: simplified.then_some(TaxRate(RESICO_ISR)) }
    }
}

/// The amounts of a line or a document. Passes them to `$then!`, after the tokens in its braces.
macro_rules! amounts {
    ($then:ident! { $($tokens:tt)* }) => {
        $then! {
            $($tokens)*
            /// Quantity × price, before discount.
            subtotal;
            /// What is taken off `subtotal` before taxes.
            descuento;
            /// The IVA charged.
            iva;
            /// The IEPS charged.
            ieps;
            /// What the receiver withholds: ISR, IVA and local taxes.
            retenciones;
            /// The part of `retenciones` that is ISR.
            isr_retenido;
            /// The local taxes charged.
            locales_trasladados;
            /// The part of `retenciones` that is local taxes.
            locales_retenidos;
            /// What is to be paid: `subtotal` − `descuento` + `iva` + `ieps` +
            /// `locales_trasladados` − `retenciones`.
            total;
        }
    };
}

pub(crate) use amounts;

/// Declares [`Amounts`], so that an amount is stated once for its field and its sum.
macro_rules! declared {
    ($($(#[$doc:meta])* $amount:ident;)*) => {
        /// The amounts of a line or a document, in its currency, with two decimals.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Amounts {
            $($(#[$doc])* pub $amount: Money,)*
        }

        impl Amounts {
            /// The amounts of a document: the sums of its lines.
            pub(crate) fn of_document<'l>(
                lines: impl IntoIterator<Item = &'l Self, IntoIter: Clone>,
            ) -> Result<Self, AmountFault> {
                let lines = lines.into_iter();
                let sum =
                    |part: fn(&Self) -> Money| within(line::amount(lines.clone().map(|line| part(line).get()).sum()));
                sum(Self::impuestos)?;
                Ok(Self { $($amount: sum(|line| line.$amount)?,)* })
            }
        }
    };
}

amounts!(declared! {});

/// Why the amounts of a line or a document cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AmountFault {
    /// An amount of more than 18 digits.
    TooLarge,
    /// A discount greater than its subtotal.
    DiscountAboveSubtotal,
}

impl Amounts {
    /// The amounts of a line, each rounded half-up to two decimals. The base of IVA includes the
    /// IEPS; withholdings are fractions of the amount before taxes.
    pub(crate) fn of_line(
        cantidad: Quantity,
        precio: Money,
        descuento: Money,
        rates: &LineRates,
    ) -> Result<Self, AmountFault> {
        let subtotal = within(line::subtotal(cantidad, precio))?;
        let base = subtotal.get() - descuento.get();
        if base < Decimal::ZERO {
            return Err(AmountFault::DiscountAboveSubtotal);
        }
        let ieps = within(line::ieps(base, cantidad, rates.ieps()))?;
        let iva = within(line::vat(base + ieps.get(), rates.iva_tasa))?;
        let isr_retenido = within(line::withheld(base, rates.retencion_isr.map(TaxRate::get)))?;
        let iva_retenido = within(line::withheld(base, rates.retencion_iva.map(TaxRate::get)))?;
        let retenciones = within(line::amount(isr_retenido.get() + iva_retenido.get()))?;
        Self { subtotal, descuento, iva, ieps, retenciones, isr_retenido, ..Self::default() }.with_total()
    }

    /// The amounts of a line whose price includes IVA and IEPS, and comes to `charged` for all of
    /// its units; `precio` is the price without them. What is charged stays as it is: the IVA is
    /// the part of it that is neither the amount before taxes nor IEPS (contract §7).
    pub(crate) fn of_charged_line(
        cantidad: Quantity,
        precio: Money,
        charged: Money,
        rates: &LineRates,
    ) -> Result<Self, AmountFault> {
        let line = Self::of_line(cantidad, precio, Money::default(), rates)?;
        let base = line.subtotal.get() + line.ieps.get();
        let Some(VatRate::Rate(rate)) = rates.iva_tasa.filter(|_| !line.iva.get().is_zero()) else { return Ok(line) };
        let iva = within(line::amount(charged.get() - base))?;
        if line::fits(iva, base, rate) { Self { iva, ..line }.with_total() } else { Ok(line) }
    }

    /// The amounts with their total computed.
    pub(crate) fn with_total(self) -> Result<Self, AmountFault> {
        let impuestos = within(line::amount(self.impuestos().get()))?;
        let base = self.subtotal.get() - self.descuento.get();
        let total = within(line::amount(base + impuestos.get() - self.retenciones.get()))?;
        Ok(Self { total, ..self })
    }

    /// The sum of the taxes charged.
    pub fn impuestos(&self) -> Money {
        Money::new(self.iva.get() + self.ieps.get() + self.locales_trasladados.get())
    }

    /// The IVA that the receiver withholds.
    pub fn iva_retenido(&self) -> Money {
        Money::new(self.retenciones.get() - self.isr_retenido.get() - self.locales_retenidos.get())
    }
}

/// Refuses an amount of more than 18 digits.
fn within(amount: Option<Money>) -> Result<Money, AmountFault> {
    amount.ok_or(AmountFault::TooLarge)
}

#[cfg(test)]
mod tests;
