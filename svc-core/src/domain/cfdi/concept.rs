//! A line of a sale as a concept of its document.

use rust_decimal::Decimal;

use super::source::Line;
use super::tax::{Charge, Iva, treat};
use super::text::attribute;
use super::{Amount, CfdiFault, Concepto, IVA, ImpuestosConcepto, Traslado};
use crate::domain::line;
use crate::domain::sat;

/// `c_ClaveProdServ`: "not in the catalogue", the default of a product.
const UNLISTED: &str = "01010101";
/// `c_ClaveUnidad`: a piece, the default unit.
const PIECE: &str = "H87";

/// The currency of a document, in which all its amounts have the same decimals (`c_Moneda`).
pub(super) struct Currency<'a> {
    pub(super) key: &'a str,
    decimals: u32,
}

impl<'a> Currency<'a> {
    pub(super) fn of(key: &'a str) -> Result<Self, CfdiFault> {
        let decimals = sat::currency(key).filter(|_| key != "XXX");
        let decimals = decimals.ok_or_else(|| CfdiFault::Currency(key.to_owned()))?;
        Ok(Self { key, decimals: decimals.into() })
    }

    /// An amount of the document.
    pub(super) fn amount(&self, value: Decimal) -> Result<Amount, CfdiFault> {
        Amount::exact(value, self.decimals).ok_or_else(|| CfdiFault::Decimals(self.key.to_owned()))
    }

    /// A sum of taxes.
    pub(super) fn traslado(&self, iva: Iva, charge: Charge) -> Result<Traslado, CfdiFault> {
        Ok(Traslado {
            base: self.amount(charge.base)?,
            impuesto: IVA,
            tipo_factor: iva.factor(),
            tasa_o_cuota: iva.rate().map(|rate| Amount::rounded(rate, 6)),
            importe: iva.rate().map(|_| self.amount(charge.importe)).transpose()?,
        })
    }
}

/// The line as a concept, and the IVA that is broken down in it.
pub(super) fn concept(line: &Line, currency: &Currency<'_>) -> Result<(Concepto, Option<(Iva, Charge)>), CfdiFault> {
    let treatment = treat(line)?;
    check(line)?;
    let descripcion = attribute(line.descripcion.as_deref(), 1_000).or_else(|| attribute(line.sku.as_deref(), 1_000));
    let discount = line.descuento.get();
    let traslado = treatment.iva.map(|(iva, charge)| currency.traslado(iva, charge)).transpose()?;
    let concept = Concepto {
        clave_prod_serv: line.codigo_sat.clone().unwrap_or_else(|| UNLISTED.to_owned()),
        no_identificacion: attribute(line.sku.as_deref(), 100),
        cantidad: Amount::shortest(line.cantidad.get(), 0),
        clave_unidad: line.unidad_sat.clone().unwrap_or_else(|| PIECE.to_owned()),
        unidad: attribute(line.unidad.as_deref(), 20),
        descripcion: descripcion.ok_or(CfdiFault::Line { renglon: line.renglon, fault: "no tiene descripción" })?,
        valor_unitario: Amount::shortest(line.precio_unitario.get(), 2),
        importe: currency.amount(line.subtotal.get())?,
        descuento: (!discount.is_zero()).then(|| currency.amount(discount)).transpose()?,
        objeto_imp: treatment.objeto.to_owned(),
        impuestos: traslado.map(|traslado| ImpuestosConcepto { traslados: vec![traslado] }),
    };
    Ok((concept, treatment.iva))
}

/// Whether the line's amounts follow from each other as the authority computes them (contract §4, "POST /ventas").
fn check(line: &Line) -> Result<(), CfdiFault> {
    let require = |holds: bool, fault| {
        if holds { Ok(()) } else { Err(CfdiFault::Line { renglon: line.renglon, fault }) }
    };
    require(line.cantidad.get() > Decimal::ZERO, "la cantidad debe ser mayor que cero")?;
    require(line.precio_unitario.get() > Decimal::ZERO, "el precio unitario debe ser mayor que cero")?;
    let subtotal = line::subtotal(line.cantidad, line.precio_unitario);
    require(subtotal == Some(line.subtotal), "el importe no es la cantidad por el precio unitario")?;
    let base = line.subtotal.get() - line.descuento.get();
    require(line::vat(base, line.iva_tasa) == Some(line.iva), "el IVA no corresponde a su tasa")?;
    require(line.total.get() == base + line.iva.get(), "el total no es el importe menos el descuento más el IVA")
}
