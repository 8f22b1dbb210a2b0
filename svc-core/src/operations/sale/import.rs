//! The rules of imported sales documents, their lines, and the registry of invoices.

use std::collections::HashSet;

use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Quantity, Rate};
use crate::domain::sat;
use crate::domain::tax::{Amounts, LineRates, LocalSums, LocalTaxes, TaxRate, Withholding, line_taxes, rates_of};
use crate::domain::words::{Fulfilment, InvoiceKind, InvoiceStatus, PaymentTerm, SaleKind, SaleOrigin};
use crate::error::Code;
use crate::json::Fault;
use crate::operations::import::{
    HEAD_OFFICE, ImportMoment, Rules, UnknownSku, distinct, in_pesos, look_up_names, look_up_skus, lower_case,
    move_past_folios, require, require_clave, require_currency, require_uuid,
};
use crate::record::invoice::InvoiceImport;
use crate::record::product::DEFAULT_TAX_OBJECT;
use crate::record::sale::SaleImport;
use crate::record::sale_line::SaleLineImport;
use crate::store::{Conflict, Naming, StoreError, Tx};
use rust_decimal::Decimal;

/// A fault in a value that was computed from other fields.
fn beyond(field: &'static str, text: &'static str) -> Fault {
    Fault::new(Code::DatoInvalido, field, text)
}

/// The SAT's keys that documents of several kinds have.
pub(in crate::operations) fn require_payment_keys(form: Option<&str>, method: Option<&str>) -> Result<(), Fault> {
    const TEXT: &str = "no está en el catálogo del SAT";
    require(form.is_none_or(sat::payment_form_exists), "forma_pago_sat", TEXT)?;
    require(method.is_none_or(sat::payment_method_exists), "metodo_pago_sat", TEXT)
}

impl SaleImport {
    /// The total, given or computed.
    fn total(&self) -> Result<Money, Fault> {
        if let Some(total) = self.total {
            return Ok(total);
        }
        let part = |amount: Option<Money>| amount.map_or(Decimal::ZERO, Money::get);
        let total = part(self.subtotal) - part(self.descuento) + part(self.impuestos) - part(self.retenciones);
        line::amount(total)
            .ok_or_else(|| beyond("total", "subtotal − descuento + impuestos − retenciones no es un importe"))
    }
}

impl SaleImport {
    /// What a document of `total` owes if its line does not say: nothing once it is cancelled, all
    /// of it as an order, a quote or on credit, and nothing as a sale in cash.
    fn owed(&self, total: Money) -> Money {
        let is_owed = match self.tipo {
            SaleKind::Pedido | SaleKind::Cotizacion => true,
            _ => self.condicion_pago == Some(PaymentTerm::Credito),
        };
        let is_cancelled = self.cancelada.unwrap_or(self.fecha_cancelacion.is_some());
        if is_owed && !is_cancelled { total } else { Money::default() }
    }
}

impl SaleLineImport {
    /// The amounts, each given or computed.
    fn amounts(&self) -> Result<Amounts, Fault> {
        let price = self.precio_unitario.unwrap_or_default();
        let discount = self.descuento.unwrap_or_default().get();
        let subtotal = match self.subtotal {
            Some(subtotal) => subtotal,
            None => line::subtotal(self.cantidad, price)
                .ok_or_else(|| beyond("subtotal", "cantidad × precio_unitario tiene demasiados dígitos"))?,
        };
        let base = subtotal.get() - discount;
        let above = || beyond("descuento", "es mayor que el subtotal");
        let rates = self
            .rates()
            .of_object(self.objeto_impuesto.as_deref().unwrap_or(DEFAULT_TAX_OBJECT), Withholding::AS_STATED);
        let ieps = match self.ieps {
            Some(ieps) => ieps,
            None => line::ieps(base, self.cantidad, rates.ieps()).ok_or_else(above)?,
        };
        let iva = match self.iva {
            Some(iva) => iva,
            None => line::vat(base + ieps.get(), rates.iva_tasa).ok_or_else(above)?,
        };
        let withheld =
            |rate: Option<TaxRate>| line::withheld(base.max(Decimal::ZERO), rate.map(TaxRate::get)).ok_or_else(above);
        let (isr, iva_retenido) = (withheld(rates.retencion_isr)?, withheld(rates.retencion_iva)?);
        let locales = self.impuestos_locales.as_ref().map(|taxes| taxes.sums(base).ok_or_else(above)).transpose()?;
        let LocalSums { trasladados: locales_trasladados, retenidos } = locales.unwrap_or_default();
        let withheld = isr.get() + iva_retenido.get() + retenidos.get();
        let retenciones = self.retenciones.unwrap_or(Money::new(withheld));
        let isr_retenido = isr.min(retenciones);
        let locales_retenidos = retenidos.min(Money::new(retenciones.get() - isr_retenido.get()));
        let charged = base + ieps.get() + iva.get() + locales_trasladados.get();
        let total = match self.total {
            Some(total) => total,
            None => line::amount(charged - retenciones.get()).ok_or_else(above)?,
        };
        let descuento = Money::new(discount);
        Ok(Amounts {
            subtotal,
            descuento,
            iva,
            ieps,
            retenciones,
            isr_retenido,
            locales_trasladados,
            locales_retenidos,
            total,
        })
    }

    fn rates(&self) -> LineRates {
        LineRates { iva_tasa: self.iva_tasa, ..line_taxes!(rates_of! { self; }) }
    }
}

impl Rules for SaleImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_currency(self.moneda.as_deref())?;
        require(self.dias_credito.is_none_or(|days| (0..=365).contains(&days)), "dias_credito", "debe ser de 0 a 365")?;
        require_payment_keys(self.forma_pago_sat.as_deref(), self.metodo_pago_sat.as_deref())?;
        require(
            self.uso_cfdi.as_deref().is_none_or(|uso| sat::cfdi_use(uso).is_some()),
            "uso_cfdi",
            "no está en el catálogo del SAT",
        )?;
        let order = matches!(self.tipo, SaleKind::Pedido);
        require(order || self.surtido_estatus.is_none(), "surtido_estatus", "es solo de pedidos")?;
        require(order || self.monto_surtido.is_none(), "monto_surtido", "es solo de pedidos")?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        self.total().map(|_| ())
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_names(tx, Naming::Warehouse, "almacen", rows.iter_mut().filter_map(|row| row.almacen.as_mut())).await
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        let total = self.total()?;
        self.tipo = self.tipo.normalized();
        self.fecha.get_or_insert(at.now);
        self.sucursal.get_or_insert(HEAD_OFFICE);
        in_pesos(&mut self.moneda);
        self.tipo_cambio.get_or_insert(Rate::ONE);
        for amount in [&mut self.subtotal, &mut self.descuento, &mut self.impuestos, &mut self.retenciones] {
            amount.get_or_insert_default();
        }
        self.total = Some(total);
        self.saldo = Some(self.saldo.unwrap_or_else(|| self.owed(total)));
        self.cancelada.get_or_insert(self.fecha_cancelacion.is_some());
        if self.tipo == SaleKind::Pedido {
            self.surtido_estatus.get_or_insert(Fulfilment::Pendiente);
            self.monto_surtido.get_or_insert_default();
        }
        lower_case(&mut self.uuid);
        self.origen.get_or_insert(SaleOrigin::Aplicacion);
        self.desglose.get_or_insert(true);
        self.modificado.get_or_insert(at.now);
        Ok(())
    }

    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        let folios = rows.iter().filter_map(|row| Some((row.tipo.word(), row.serie.as_deref(), row.folio?)));
        move_past_folios(tx, folios).await
    }
}

impl Rules for SaleLineImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.renglon.is_none_or(|renglon| renglon > 0), "renglon", "debe ser un entero positivo")?;
        let whole = |quantity: Quantity| quantity.get() >= Decimal::ZERO;
        require(whole(self.cantidad), "cantidad", "no puede ser negativa")?;
        require(self.cantidad_surtida.is_none_or(whole), "cantidad_surtida", "no puede ser negativa")?;
        require(
            self.unidad_sat.as_deref().is_none_or(sat::unit_exists),
            "unidad_sat",
            "no está en el catálogo del SAT",
        )?;
        require(
            self.codigo_sat.as_deref().is_none_or(sat::product_service_exists),
            "codigo_sat",
            "no está en el catálogo del SAT",
        )?;
        let tax_object = self.objeto_impuesto.as_deref().is_none_or(sat::tax_object_exists);
        require(tax_object, "objeto_impuesto", "no está en el catálogo del SAT")?;
        self.rates().validate().map_err(|(field, text)| Fault::new(Code::DatoInvalido, field, text))?;
        if let Some(Err((_, _, text))) = self.impuestos_locales.as_ref().map(LocalTaxes::validate) {
            return Err(Fault::new(Code::DatoInvalido, "impuestos_locales", text));
        }
        self.amounts().map(|_| ())
    }

    /// Keeps a SKU that no product has. A line without a number gets the next of its document.
    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        look_up_skus(tx, rows.iter_mut().map(|row| (&mut row.producto, row.sku.as_deref())), UnknownSku::Kept).await?;
        let unnumbered = distinct(rows.iter().filter(|row| row.renglon.is_none()).map(|row| row.venta));
        let mut last = tx.last_lines(&unnumbered).await?;
        for row in rows {
            let last = last.entry(row.venta).or_default();
            *last = (*row.renglon.get_or_insert(last.saturating_add(1))).max(*last);
        }
        Ok(())
    }

    fn normalize(&mut self, _: i64, _: ImportMoment<'_>) -> Result<(), Fault> {
        let amounts = self.amounts()?;
        (self.subtotal, self.iva, self.total) = (Some(amounts.subtotal), Some(amounts.iva), Some(amounts.total));
        (self.ieps, self.retenciones) = (Some(amounts.ieps), Some(amounts.retenciones));
        self.isr_retenido = amounts.isr_retenido;
        self.locales_trasladados = amounts.locales_trasladados;
        self.locales_retenidos = amounts.locales_retenidos;
        self.cantidad_surtida.get_or_insert_default();
        self.precio_unitario.get_or_insert_default();
        self.descuento.get_or_insert_default();
        Ok(())
    }
}

impl Rules for InvoiceImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        require_uuid(self.uuid_sustitucion.as_deref(), "uuid_sustitucion")?;
        let reason = self.motivo_cancelacion.as_deref().is_none_or(|key| matches!(key, "01" | "02" | "03" | "04"));
        require(reason, "motivo_cancelacion", "debe ser 01, 02, 03 o 04")
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        self.tipo.get_or_insert(InvoiceKind::Factura);
        self.estatus.get_or_insert(InvoiceStatus::Vigente);
        lower_case(&mut self.uuid);
        lower_case(&mut self.uuid_sustitucion);
        self.fecha.get_or_insert(at.now);
        self.modificado.get_or_insert(at.now);
        Ok(())
    }

    /// A sale without an invoice gets the first one that names it, a cancelled one as long as no
    /// other does.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        // It runs after the claves were taken, so no other import of invoices writes meanwhile.
        let uuids: Vec<&str> = rows.iter().filter_map(|row| row.uuid.as_deref()).collect();
        if !uuids.is_empty() && tx.is_uuid_repeated(&uuids).await? {
            return Err(Conflict::Uuid.into());
        }
        let kind = |row: &Self| row.tipo.unwrap_or(InvoiceKind::Factura);
        let folios = rows
            .iter()
            .filter_map(|row| Some((kind(row).word(), row.serie.as_deref(), row.folio.as_deref()?.parse().ok()?)));
        move_past_folios(tx, folios).await?;
        let mut seen = HashSet::new();
        // A rejected one that was given up (`document.discard`) is no longer the sale's.
        let is_given_up = |row: &Self| {
            row.estatus == Some(InvoiceStatus::Cancelada) && row.uuid.is_none() && row.error_codigo.is_some()
        };
        let invoices = rows.iter().filter(|row| kind(row) == InvoiceKind::Factura && !is_given_up(row));
        let (cancelled, standing): (Vec<_>, Vec<_>) =
            invoices.partition(|row| row.estatus == Some(InvoiceStatus::Cancelada));
        let first = standing.into_iter().chain(cancelled).filter_map(|row| {
            let venta = row.venta.filter(|venta| seen.insert(*venta))?;
            Some((venta, row.clave?, row.uuid.as_deref()))
        });
        let first: Vec<_> = first.collect();
        if first.is_empty() { Ok(()) } else { tx.invoice_sales(&first, at.now).await }
    }
}
