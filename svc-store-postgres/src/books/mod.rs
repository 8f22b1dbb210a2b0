//! Manual entries, accounts, closed months, and entries as people read them.

mod read;

use async_trait::async_trait;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use svc_core::domain::accounting::{About, EntryOrigin, ForeignBalance, FreeEntry, FreeLine, Side};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::store::{BooksTx, EntryFilter, NumberBalance, OwnAccount, ReversibleEntry, StoreError, StoredEntry};

use self::read::{claves, lines, own_accounts, stored_entries};
use crate::accounting::{NewEntry, NewLine};
use crate::report::{aging, foreign};
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

pub(crate) use self::read::of_month;

from_row!(OwnAccount { codigo, numero, nombre, agrupador });
from_row!(NumberBalance { codigo, cuenta, saldo });
from_row! {
    struct ClosingEntry { clave: i64, fecha: NaiveDate }
}

from_row! {
    struct ReversibleLine {
        fecha: NaiveDate,
        concepto: String,
        origen: EntryOrigin,
        moneda: Option<String>,
        revierte: Option<i64>,
        revertida: Option<i64>,
        codigo: String,
        cuenta: String,
        cargo: Money,
        abono: Money,
    }
}

#[async_trait]
impl BooksTx for PostgresTx {
    async fn lock_books(&mut self) -> Result<Option<NaiveDate>, StoreError> {
        // Every entry takes its clave from this row.
        self.value(sql!(
            "INSERT INTO contadores AS c (empresa, serie, valor)
             VALUES (:empresa, 'polizas', 0)
             ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor
             RETURNING cerrado",
            empresa: self.empresa,
        ))
        .await
    }

    async fn close_until(&mut self, day: Option<NaiveDate>) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE contadores
             SET cerrado = :cerrado
             WHERE empresa = :empresa AND serie = 'polizas'",
            empresa: self.empresa,
            cerrado: day,
        ))
        .await
    }

    fn postpone_entries(&mut self, postpones: bool) {
        self.postpones_entries = postpones;
    }

    async fn insert_free_entry(&mut self, entry: &FreeEntry, now: Timestamp) -> Result<i64, StoreError> {
        let lines = entry
            .lines
            .iter()
            .map(|line| NewLine::new(&line.codigo, line.lado, line.importe).numbered(line.numero.as_deref()));
        let new = NewEntry {
            fecha: entry.fecha,
            concepto: &entry.concepto,
            origen: entry.origen,
            moneda: entry.moneda.as_deref(),
            about: About { revierte: entry.revierte, ..About::default() },
            lines: lines.collect(),
        };
        self.write_entry(&new, now).await
    }

    async fn reversible_entry(&mut self, poliza: i64) -> Result<Option<ReversibleEntry>, StoreError> {
        let lines: Vec<ReversibleLine> = self
            .many(sql!(
                "SELECT p.fecha, p.concepto, p.origen, p.moneda, p.revierte,
                        (SELECT min(o.clave) FROM polizas o
                         WHERE o.empresa = :empresa AND o.revierte = p.clave) AS revertida,
                        r.codigo, r.cuenta, r.cargo, r.abono
                 FROM polizas p
                 JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
                 WHERE p.empresa = :empresa AND p.clave = :poliza
                 ORDER BY r.renglon",
                empresa: self.empresa,
                poliza,
            ))
            .await?;
        let Some(ReversibleLine { fecha, concepto, origen, moneda, revierte, revertida, .. }) = lines.first() else {
            return Ok(None);
        };
        let line = |line: &ReversibleLine| {
            let (lado, importe) =
                if line.cargo > line.abono { (Side::Cargo, line.cargo) } else { (Side::Abono, line.abono) };
            FreeLine { codigo: line.codigo.clone(), numero: Some(line.cuenta.clone()), lado, importe }
        };
        let entry = FreeEntry {
            fecha: *fecha,
            concepto: concepto.clone(),
            origen: *origen,
            revierte: *revierte,
            moneda: moneda.clone(),
            lines: lines.iter().map(line).collect(),
        };
        Ok(Some(ReversibleEntry { entry, revertida: *revertida }))
    }

    async fn opening_entry(&mut self) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "SELECT p.clave
             FROM polizas p
             WHERE p.empresa = :empresa AND p.origen = 'apertura' AND p.revierte IS NULL
               AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = :empresa AND o.revierte = p.clave)",
            empresa: self.empresa,
        ))
        .await
    }

    async fn closing_entry(&mut self, day: NaiveDate) -> Result<Option<(i64, NaiveDate)>, StoreError> {
        let entry: Option<ClosingEntry> = self
            .optional(sql!(
                "SELECT p.clave, p.fecha
                 FROM polizas p
                 WHERE p.empresa = :empresa AND p.origen = 'cierre' AND p.fecha >= :fecha AND p.revierte IS NULL
                   AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = :empresa AND o.revierte = p.clave)
                 ORDER BY p.fecha
                 LIMIT 1",
                empresa: self.empresa,
                fecha: day,
            ))
            .await?;
        Ok(entry.map(|ClosingEntry { clave, fecha }| (clave, fecha)))
    }

    async fn revaluation_entry(&mut self, day: NaiveDate, moneda: &str) -> Result<Option<i64>, StoreError> {
        // An undone one has the entry that takes it back reversed too.
        self.optional_value(sql!(
            "SELECT p.clave
             FROM polizas p
             WHERE p.empresa = :empresa AND p.origen = 'revaluacion' AND p.fecha = :fecha AND p.moneda = :moneda
               AND p.revierte IS NULL
               AND NOT EXISTS (SELECT FROM polizas o
                               JOIN polizas u ON u.empresa = :empresa AND u.revierte = o.clave
                               WHERE o.empresa = :empresa AND o.revierte = p.clave)",
            empresa: self.empresa,
            fecha: day,
            moneda,
        ))
        .await
    }

    async fn foreign_balances(&mut self, day: NaiveDate) -> Result<Vec<ForeignBalance>, StoreError> {
        let mut balances: Vec<ForeignBalance> = self.many(foreign::foreign_banks(self.empresa, day)).await?;
        balances.extend(self.many::<ForeignBalance>(aging::foreign_receivables(self.empresa, day)).await?);
        balances.extend(self.many::<ForeignBalance>(aging::foreign_payables(self.empresa, day)).await?);
        Ok(balances)
    }

    async fn balances_at(&mut self, day: NaiveDate) -> Result<Vec<NumberBalance>, StoreError> {
        self.many(sql!(
            "SELECT codigo, cuenta, sum(cargo - abono) AS saldo
             FROM polizas_renglones
             WHERE empresa = :empresa AND fecha <= :hasta
             GROUP BY codigo, cuenta
             HAVING sum(cargo - abono) <> 0
             ORDER BY codigo, cuenta",
            empresa: self.empresa,
            hasta: day,
        ))
        .await
    }

    async fn own_accounts(&mut self) -> Result<Vec<OwnAccount>, StoreError> {
        self.many(own_accounts(self.empresa)).await
    }

    async fn save_account(&mut self, account: &OwnAccount, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO cuentas_contables (empresa, codigo, numero, nombre, agrupador, modificado)
             VALUES (:empresa, :codigo, :numero, :nombre, :agrupador, :ahora)
             ON CONFLICT (empresa, codigo) DO UPDATE
             SET numero = excluded.numero, nombre = excluded.nombre, agrupador = excluded.agrupador,
                 modificado = excluded.modificado",
            empresa: self.empresa,
            ahora: now;
            from account { codigo, numero, nombre, agrupador }
        ))
        .await
    }

    async fn accounts_under(&mut self, numero: &str) -> Result<Vec<String>, StoreError> {
        self.values(sql!(
            "SELECT DISTINCT codigo
             FROM polizas_renglones
             WHERE empresa = :empresa AND cuenta = :numero
             ORDER BY codigo",
            empresa: self.empresa,
            numero,
        ))
        .await
    }

    async fn entries(&mut self, filter: &EntryFilter) -> Result<Vec<StoredEntry>, StoreError> {
        let claves: Vec<i64> = self.values(claves(self.empresa, filter)).await?;
        Ok(stored_entries(&self.many(lines(self.empresa, &claves)).await?))
    }

    async fn balance_before(&mut self, filter: &EntryFilter) -> Result<Decimal, StoreError> {
        let (dia, clave) = filter.despues.map_or((filter.desde, 0), |(day, clave)| (day.max(filter.desde), clave));
        self.value(sql!(
            "SELECT coalesce(sum(r.cargo - r.abono), 0)
             FROM polizas_renglones r
             WHERE r.empresa = :empresa AND r.codigo = ANY (:codigos) AND (:numero::text IS NULL OR r.cuenta = :numero)
               AND (r.fecha, r.poliza) <= (:dia::date, :clave::bigint)",
            empresa: self.empresa,
            codigos: filter.codigos.as_deref().unwrap_or_default(),
            numero: filter.numero,
            dia,
            clave,
        ))
        .await
    }
}
