//! The rules of imported receivables and payments.

use crate::domain::accounting::{OpenedDebt, OpeningBalance, opened_debt};
use crate::domain::line;
use crate::domain::money::Money;
use crate::domain::quantity::{Balance, Rate};
use crate::domain::sat::SatKey;
use crate::domain::time::Date;
use crate::domain::words::{Complement, PaymentOrigin, ReceivableStatus, SaleKind};
use crate::error::Code;
use crate::json::{Fault, Text};
use crate::operations::import::{
    HEAD_OFFICE, ImportMoment, NO_SERIES, Rules, in_pesos, lower_case, open_balances, require, require_clave,
    require_currency, require_uuid,
};
use crate::operations::sale::import::require_payment_keys;
use crate::record::payment::PaymentImport;
use crate::record::receivable::ReceivableImport;
use crate::store::{Conflict, ImportedSale, Series, StoreError, Tx};
use rust_decimal::Decimal;

impl ReceivableImport {
    /// The paid and the owed amount. What is missing follows from the total and the other; without
    /// both, all of a paid receivable is paid, and nothing of another. A cancelled one may owe
    /// nothing, whatever was paid.
    fn paid_and_owed(&self) -> Result<(Money, Money), Fault> {
        let rest = |part: Money, field| {
            line::amount(self.total.get() - part.get())
                .ok_or_else(|| Fault::new(Code::DatoInvalido, field, "es mayor que el total"))
        };
        let (paid, owed) = match (self.pagado, self.saldo) {
            (Some(paid), Some(owed)) => {
                let is_void = self.estatus == Some(ReceivableStatus::Cancelado) && owed == Money::default();
                let adds_up = paid.get() + owed.get() == self.total.get();
                require(adds_up || is_void, "saldo", "no es total − pagado")?;
                (paid, owed)
            }
            (None, Some(owed)) => (rest(owed, "saldo")?, owed),
            (None, None) if self.estatus == Some(ReceivableStatus::Pagado) => (self.total, Money::default()),
            (paid, None) => (paid.unwrap_or_default(), rest(paid.unwrap_or_default(), "pagado")?),
        };
        let is_settled = self.estatus != Some(ReceivableStatus::Pagado) || owed == Money::default();
        require(is_settled, "estatus", "pagado no lleva saldo")?;
        Ok((paid, owed))
    }
}

impl ReceivableImport {
    /// What is posted of it against the opening account, with the taxes of its sale. Refuses what
    /// has more than 18 digits in pesos, which fits no entry.
    fn opening(&self, taxes: [Money; 3]) -> Result<OpenedDebt, Fault> {
        let (paid, owed) = self.paid_and_owed()?;
        if self.estatus == Some(ReceivableStatus::Cancelado) {
            return Ok(OpenedDebt::default());
        }
        let opened = opened_debt(paid, owed, taxes, self.tipo_cambio.unwrap_or(Rate::ONE));
        opened.ok_or_else(|| Fault::new(Code::DatoInvalido, "saldo", "en pesos pasa de 18 dígitos"))
    }

    fn branch(&self) -> i64 {
        self.sucursal.unwrap_or(HEAD_OFFICE)
    }
}

impl PaymentImport {
    /// The owed amount before and after. If one is missing, it follows from the payment and the
    /// other.
    fn owed_before_and_after(&self) -> Result<(Money, Money), Fault> {
        let paid = self.importe.get();
        match (self.saldo_anterior, self.saldo_insoluto) {
            (Some(before), Some(after)) => Ok((before, after)),
            (Some(before), None) => match line::amount(before.get() - paid) {
                Some(after) => Ok((before, after)),
                None => Err(Fault::new(Code::DatoInvalido, "importe", "es mayor que saldo_anterior")),
            },
            (None, after) => {
                let after = after.unwrap_or_default();
                let before = line::amount(after.get() + paid)
                    .ok_or_else(|| Fault::new(Code::DatoInvalido, "saldo_anterior", "tiene demasiados dígitos"))?;
                Ok((before, after))
            }
        }
    }

    /// What was owed before and after must differ by the payment, where both are given. A payment
    /// in another currency than its receivable's is not compared.
    fn require_sum(&self) -> Result<(), StoreError> {
        match (self.saldo_anterior, self.saldo_insoluto) {
            (Some(before), Some(after)) if before.get() - self.importe.get() != after.get() => {
                Err(Conflict::Value("saldo_insoluto".to_owned()).into())
            }
            _ => Ok(()),
        }
    }
}

impl Rules for ReceivableImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        require_payment_keys(None, self.metodo_pago_sat.as_deref())?;
        require_currency(self.moneda.as_deref())?;
        require(self.parcialidades.is_none_or(|count| count >= 0), "parcialidades", "no puede ser negativa")?;
        self.opening([Money::default(); 3]).map(drop)
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        let unsold = rows.iter().filter(|row| row.venta.is_none());
        let invoices: Vec<i64> = unsold.filter_map(|row| row.factura).collect();
        let sold = tx.sales_of_invoices(&invoices).await?;
        for row in rows.iter_mut().filter(|row| row.venta.is_none()) {
            row.venta = row.factura.and_then(|factura| sold.get(&factura).copied());
        }
        let sales: Vec<i64> = rows.iter().filter_map(|row| row.venta).collect();
        let sales = tx.imported_sales(&sales).await?;
        for row in rows {
            if let Some(sale) = row.venta.and_then(|venta| sales.get(&venta)) {
                row.cliente = row.cliente.or(sale.cliente);
                row.tipo_venta.get_or_insert(sale.tipo);
            }
            let taxes = row.venta.and_then(|venta| sales.get(&venta)).map(ImportedSale::taxes).unwrap_or_default();
            let opened = row.opening(taxes).map_err(|fault| Conflict::Value(fault.field().to_owned()))?;
            let OpenedDebt { saldo, iva, ieps } = opened;
            [row.apertura, row.apertura_iva, row.apertura_ieps] = [saldo, iva, ieps].map(Balance::new);
        }
        Ok(())
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        let (paid, owed) = self.paid_and_owed()?;
        (self.pagado, self.saldo) = (Some(paid), Some(owed));
        self.estatus.get_or_insert(ReceivableStatus::by_balance(owed));
        self.tipo_venta = self.tipo_venta.map(SaleKind::normalized);
        lower_case(&mut self.uuid);
        let sucursal = *self.sucursal.get_or_insert(HEAD_OFFICE);
        self.fecha.get_or_insert_with(|| Date(at.day_at(sucursal)));
        in_pesos(&mut self.moneda);
        self.tipo_cambio.get_or_insert(Rate::ONE);
        self.parcialidades.get_or_insert(0);
        self.modificado.get_or_insert(at.now);
        Ok(())
    }

    /// Posts what is owed against the opening account, an entry for each day of a batch.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<(), StoreError> {
        let balance = |row: &Self| {
            let [saldo, iva, ieps] = [row.apertura, row.apertura_iva, row.apertura_ieps].map(Balance::get);
            (at.day_at(row.branch()), OpeningBalance::Receivables(OpenedDebt { saldo, iva, ieps }))
        };
        open_balances(tx, rows.iter().map(balance), at.now).await
    }
}

impl Rules for PaymentImport {
    fn check(&self) -> Result<(), Fault> {
        require_clave(self.clave)?;
        require(self.importe.get() > Decimal::ZERO, "importe", "debe ser mayor que cero")?;
        require_currency(self.moneda.as_deref())?;
        require_payment_keys(self.forma_pago_sat.as_deref(), None)?;
        require(self.parcialidad.is_none_or(|number| number > 0), "parcialidad", "debe ser un entero positivo")?;
        require_uuid(self.uuid.as_deref(), "uuid")?;
        let is_advance = self.origen == Some(PaymentOrigin::Anticipo);
        require(is_advance || self.anticipo.is_none(), "anticipo", "es solo de pagos con origen anticipo")?;
        let parts = [self.monto.is_some(), self.moneda_pago.is_some(), self.tipo_cambio_pago.is_some()];
        let is_whole = parts.iter().all(|part| *part == parts[0]);
        require(is_whole, "monto", "va con moneda_pago y tipo_cambio_pago, o ninguno")?;
        require(self.monto.is_none_or(|monto| monto.get() > Decimal::ZERO), "monto", "debe ser mayor que cero")?;
        self.owed_before_and_after().map(|_| ())
    }

    async fn look_up(rows: &mut [Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        let receivables: Vec<i64> = rows.iter().map(|row| row.cxc).collect();
        let receivables = tx.imported_receivables(&receivables).await?;
        for row in rows {
            if let Some(paid) = receivables.get(&row.cxc) {
                row.cliente = row.cliente.or(paid.cliente);
                row.venta = row.venta.or(paid.venta);
                let moneda = row.moneda.get_or_insert_with(|| SatKey::unchecked(Text::unchecked(&paid.moneda)));
                if **moneda == *paid.moneda {
                    row.tipo_cambio.get_or_insert(paid.tipo_cambio);
                    row.require_sum()?;
                }
            }
        }
        Ok(())
    }

    fn normalize(&mut self, _: i64, at: ImportMoment<'_>) -> Result<(), Fault> {
        let (before, after) = self.owed_before_and_after()?;
        (self.saldo_anterior, self.saldo_insoluto) = (Some(before), Some(after));
        self.fecha.get_or_insert_with(|| Date(at.today()));
        self.aplicado.get_or_insert(at.now);
        self.origen.get_or_insert(PaymentOrigin::Deposito);
        in_pesos(&mut self.moneda);
        self.tipo_cambio.get_or_insert(Rate::ONE);
        self.parcialidad.get_or_insert(1);
        self.complemento.get_or_insert(Complement::NoAplica);
        lower_case(&mut self.uuid);
        self.cancelado.get_or_insert(false);
        Ok(())
    }

    /// Advances the numbering of deposits past those that imported payments name.
    async fn follow_up(rows: &[Self], tx: &mut dyn Tx, _: ImportMoment<'_>) -> Result<(), StoreError> {
        match rows.iter().filter_map(|row| row.deposito).filter(|number| *number < NO_SERIES).max() {
            Some(last) => tx.advance_series(Series::Deposits, last).await,
            None => Ok(()),
        }
    }
}
