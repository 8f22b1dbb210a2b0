//! Converts a line of a sale into a concept of its document.

use rust_decimal::Decimal;

use super::currency::{Currency, plus};
use super::source::Line;
use super::tax::{Charge, Levy, Taxes, treat};
use super::text::attribute;
use super::{
    Amount, CfdiFault, Concepto, CuentaPredial, Impuestos, ImpuestosConcepto, InformacionAduanera, Retencion,
    RetencionConcepto, TipoFactor, Traslado,
};
use crate::domain::line::{self, IepsRate, VatRate};
use crate::domain::money::Money;
use crate::domain::tax::LocalKind;

/// `c_ClaveProdServ`: "not in the catalogue", the default of a product.
pub(super) const UNLISTED: &str = "01010101";
/// `c_ClaveUnidad`: a piece, the default unit.
const PIECE: &str = "H87";
/// `c_ClaveUnidad`: an activity, the unit of anything that is not goods.
pub(super) const ACTIVITY: &str = "ACT";

impl Currency<'_> {
    /// The taxes of a concept; `None` if it has none.
    pub(super) fn of_concept(&self, taxes: &Taxes) -> Result<Option<ImpuestosConcepto>, CfdiFault> {
        if taxes.is_empty() {
            return Ok(None);
        }
        let units = |units| Ok(Amount::shortest(units, 2));
        let traslados = taxes.traslados.iter().map(|(levy, charge)| self.traslado(levy, charge, units));
        let retenciones = taxes.retenciones.iter().map(|(levy, charge)| self.retencion(levy, charge));
        Ok(Some(ImpuestosConcepto {
            traslados: traslados.collect::<Result<_, _>>()?,
            retenciones: retenciones.collect::<Result<_, _>>()?,
        }))
    }

    /// The document's taxes. `None` if no line has any; without a sum of charged taxes if all are
    /// exempt.
    pub(super) fn of_document(&self, taxes: &Taxes) -> Result<Option<Impuestos>, CfdiFault> {
        if taxes.is_empty() {
            return Ok(None);
        }
        let total = |sum: Option<Decimal>| sum.map(|sum| self.amount(sum)).transpose();
        let units = |units| Ok(Amount::rounded(units, self.decimals));
        let traslados = taxes.traslados.iter().map(|(levy, charge)| self.traslado(levy, charge, units));
        let mut retenciones = Vec::new();
        for (impuesto, importe) in taxes.retenciones.by_tax()? {
            retenciones.push(Retencion { impuesto, importe: self.amount(importe)? });
        }
        Ok(Some(Impuestos {
            retenciones,
            total_impuestos_retenidos: total(taxes.retenciones.total()?)?,
            traslados: traslados.collect::<Result<_, _>>()?,
            total_impuestos_trasladados: total(taxes.traslados.total()?)?,
        }))
    }

    /// A charged tax; `units` formats the base of a tax per unit.
    fn traslado(
        &self,
        levy: Levy,
        charge: Charge,
        units: impl Fn(Decimal) -> Result<Amount, CfdiFault>,
    ) -> Result<Traslado, CfdiFault> {
        Ok(Traslado {
            base: if levy.factor == TipoFactor::Cuota { units(charge.base)? } else { self.amount(charge.base)? },
            impuesto: levy.impuesto,
            tipo_factor: levy.factor,
            tasa_o_cuota: levy.rate().map(|rate| Amount::rounded(rate, 6)),
            importe: levy.rate().map(|_| self.amount(charge.importe)).transpose()?,
        })
    }

    fn retencion(&self, levy: Levy, charge: Charge) -> Result<RetencionConcepto, CfdiFault> {
        Ok(RetencionConcepto {
            base: self.amount(charge.base)?,
            impuesto: levy.impuesto,
            tipo_factor: levy.factor,
            tasa_o_cuota: Amount::rounded(levy.rate().unwrap_or_default(), 6),
            importe: self.amount(charge.importe)?,
        })
    }
}

/// Converts the line into a concept, and returns the taxes broken down in it.
pub(super) fn concept(line: &Line, currency: &Currency<'_>) -> Result<(Concepto, Taxes), CfdiFault> {
    let treatment = treat(line)?;
    check(line, &treatment.taxes)?;
    let descripcion = attribute(line.descripcion.as_deref(), 1_000).or_else(|| attribute(line.sku.as_deref(), 1_000));
    let pedimento = line.details.numero_pedimento.clone().into_iter();
    let concept = Concepto {
        clave_prod_serv: line.codigo_sat.clone().unwrap_or_else(|| UNLISTED.to_owned()),
        no_identificacion: attribute(line.sku.as_deref(), 100),
        cantidad: Amount::shortest(line.cantidad.get(), 0),
        clave_unidad: line.unidad_sat.clone().unwrap_or_else(|| PIECE.to_owned()),
        unidad: attribute(line.unidad.as_deref(), 20),
        descripcion: descripcion.ok_or(CfdiFault::Line { renglon: line.renglon, fault: "no tiene descripción" })?,
        valor_unitario: Amount::shortest(line.precio_unitario.get(), 2),
        importe: currency.amount(line.amounts.subtotal.get())?,
        descuento: currency.discount(line.amounts.descuento)?,
        objeto_imp: treatment.objeto.to_owned(),
        impuestos: currency.of_concept(&treatment.taxes)?,
        informacion_aduanera: pedimento.map(|numero_pedimento| InformacionAduanera { numero_pedimento }).collect(),
        cuenta_predial: line.details.cuenta_predial.clone().map(|numero| CuentaPredial { numero }),
    };
    Ok((concept, treatment.taxes))
}

/// Checks that the line's amounts follow from each other as the authority computes them (contract
/// §4, "POST /ventas").
fn check(line: &Line, taxes: &Taxes) -> Result<(), CfdiFault> {
    let require = |holds: bool, fault| {
        if holds { Ok(()) } else { Err(CfdiFault::Line { renglon: line.renglon, fault }) }
    };
    require(line.cantidad.get() > Decimal::ZERO, "la cantidad debe ser mayor que cero")?;
    require(line.precio_unitario.get() > Decimal::ZERO, "el precio unitario debe ser mayor que cero")?;
    require(
        line::fits(line.amounts.subtotal, line.cantidad.get(), line.precio_unitario.get()),
        "el importe no es la cantidad por el precio unitario",
    )?;
    let base = line.amounts.subtotal.get() - line.amounts.descuento.get();
    let ieps = line.amounts.ieps;
    let fits = match line.rates.ieps() {
        Some(IepsRate::Tasa(rate)) => line::is_charge(ieps, base, rate),
        Some(IepsRate::Cuota(pesos)) => line::fits(ieps, line.cantidad.get(), pesos),
        None => ieps == Money::default(),
    };
    require(fits, "el IEPS no corresponde a su tasa o cuota")?;
    let fits = match line.rates.iva_tasa {
        Some(VatRate::Rate(rate)) => line::is_charge(line.amounts.iva, base + ieps.get(), rate),
        Some(VatRate::Exempt) | None => line.amounts.iva == Money::default(),
    };
    require(fits, "el IVA no corresponde a su tasa")?;
    let local = (taxes.locales.total(LocalKind::Traslado)?, taxes.locales.total(LocalKind::Retencion)?);
    let withheld = plus(taxes.retenciones.total()?.unwrap_or_default(), local.1)?;
    require(withheld == line.amounts.retenciones.get(), "las retenciones no corresponden a sus tasas")?;
    require(
        line.amounts.total.get() == base + ieps.get() + line.amounts.iva.get() + local.0 - withheld,
        "el total no es el importe menos el descuento más los impuestos menos las retenciones",
    )
}
