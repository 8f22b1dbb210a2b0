//! Manual entries, accounts, closed months, and entries as people read them.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use svc_core::domain::accounting::{About, EntryOrigin, ForeignBalance, FreeEntry, FreeLine, Side};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::store::{
    BankAccountName, BooksOfMonth, BooksRequest, BooksTx, Counterpart, EntryDocuments, EntryFilter, NumberBalance,
    OwnAccount, ReversibleEntry, StoreError, StoredEntry, StoredLine,
};

use crate::accounting::{NewEntry, NewLine};
use crate::database::Single;
use crate::report::{aging, foreign};
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};
use crate::transaction::PostgresTx;

from_row!(OwnAccount { codigo, numero, nombre, agrupador });
from_row!(NumberBalance { codigo, cuenta, saldo });
from_row!(BankAccountName { clave, nombre, moneda });
from_row!(StoredLine { codigo, cuenta, cargo, abono });
from_row!(EntryDocuments {
    venta,
    factura,
    pago,
    compra,
    cxp,
    cxp_pago,
    deposito,
    reembolso,
    movimiento,
    folio,
    uuid,
    total,
    moneda,
    tipo_cambio,
});
from_row!(Counterpart { cliente, proveedor, nombre, rfc });

from_row! {
    #[derive(Default)]
    struct BooksHeading { rfc: Option<String>, cp: Option<String>, modificada: Option<DateTime<Utc>> }
}

from_row! {
    struct ReadLine {
        clave: i64,
        fecha: NaiveDate,
        concepto: String,
        origen: EntryOrigin,
        revierte: Option<i64>,
        revertida: Option<i64>,
        documentos: EntryDocuments = ..,
        contraparte: Counterpart = ..,
        line: StoredLine = ..,
    }
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

    async fn closing_entry(&mut self, day: NaiveDate) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "SELECT p.clave
             FROM polizas p
             WHERE p.empresa = :empresa AND p.origen = 'cierre' AND p.fecha = :fecha AND p.revierte IS NULL
               AND NOT EXISTS (SELECT FROM polizas o WHERE o.empresa = :empresa AND o.revierte = p.clave)",
            empresa: self.empresa,
            fecha: day,
        ))
        .await
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
            codigo: account.codigo,
            numero: account.numero,
            nombre: account.nombre,
            agrupador: account.agrupador,
            ahora: now,
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

/// What the company changed of accounts.
fn own_accounts(empresa: i64) -> Sql {
    sql!(
        "SELECT codigo, numero, nombre, agrupador
         FROM cuentas_contables
         WHERE empresa = :empresa
         ORDER BY codigo",
        empresa,
    )
}

/// The balances of a month. The closing of a year is no movement of its December but one after it.
fn balances(empresa: i64, request: BooksRequest) -> Sql {
    let BooksRequest { desde, hasta, cierre, .. } = request;
    sql!(
        "SELECT r.cuenta, array_agg(DISTINCT r.codigo) AS codigos,
                coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.fecha < :desde OR :cierre AND x.clave IS NULL), 0)
                  AS saldo_inicial,
                coalesce(sum(r.cargo) FILTER (WHERE r.fecha >= :desde AND (x.clave IS NOT NULL) = :cierre), 0) AS cargos,
                coalesce(sum(r.abono) FILTER (WHERE r.fecha >= :desde AND (x.clave IS NOT NULL) = :cierre), 0) AS abonos
         FROM polizas_renglones r
         LEFT JOIN (
             SELECT clave FROM polizas
             WHERE empresa = :empresa AND origen = 'cierre' AND fecha BETWEEN :desde AND :hasta
         ) x ON x.clave = r.poliza
         WHERE r.empresa = :empresa AND r.fecha <= :hasta
         GROUP BY r.cuenta
         ORDER BY r.cuenta",
        empresa,
        desde,
        hasta,
        cierre,
    )
}

/// The claves of a page of entries.
fn claves(empresa: i64, filter: &EntryFilter) -> Sql {
    let (dia, clave) = filter.despues.unwrap_or((filter.desde, 0));
    let (desde, hasta, limite) = (filter.desde, filter.hasta, filter.limite);
    let Some(codigos) = &filter.codigos else {
        return sql!(
            "SELECT p.clave
             FROM polizas p
             WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta
               AND (p.fecha, p.clave) > (:dia::date, :clave::bigint)
             ORDER BY p.fecha, p.clave
             LIMIT :limite",
            empresa,
            desde,
            hasta,
            dia,
            clave,
            limite,
        );
    };
    if let [codigo] = codigos.as_slice() {
        // The index gives the lines in order, so that a page reads no more than its own.
        return sql!(
            "SELECT r.poliza
             FROM polizas_renglones r
             WHERE r.empresa = :empresa AND r.codigo = :codigo AND (:numero::text IS NULL OR r.cuenta = :numero)
               AND r.fecha BETWEEN :desde AND :hasta AND (r.fecha, r.poliza) > (:dia::date, :clave::bigint)
             GROUP BY r.fecha, r.poliza
             ORDER BY r.fecha, r.poliza
             LIMIT :limite",
            empresa,
            codigo,
            numero: filter.numero,
            desde,
            hasta,
            dia,
            clave,
            limite,
        );
    }
    sql!(
        "SELECT r.poliza
         FROM polizas_renglones r
         WHERE r.empresa = :empresa AND r.codigo = ANY (:codigos) AND (:numero::text IS NULL OR r.cuenta = :numero)
           AND r.fecha BETWEEN :desde AND :hasta AND (r.fecha, r.poliza) > (:dia::date, :clave::bigint)
         GROUP BY r.fecha, r.poliza
         ORDER BY r.fecha, r.poliza
         LIMIT :limite",
        empresa,
        codigos,
        numero: filter.numero,
        desde,
        hasta,
        dia,
        clave,
        limite,
    )
}

/// The lines of entries, each with what its entry is about.
fn lines(empresa: i64, claves: &[i64]) -> Sql {
    sql!(
        "SELECT p.clave, p.fecha, p.concepto, p.origen, p.revierte,
                (SELECT min(o.clave) FROM polizas o
                 WHERE o.empresa = :empresa AND o.revierte = p.clave) AS revertida,
                p.venta, p.factura, p.pago, p.compra, p.cxp, p.cxp_pago, p.deposito, p.reembolso, p.movimiento,
                CASE WHEN f.clave IS NOT NULL THEN nullif(concat(f.serie, f.folio), '')
                     WHEN x.clave IS NOT NULL THEN coalesce(x.factura, x.folio)
                     WHEN p.pago IS NULL THEN nullif(concat(v.serie, v.folio), '') END AS folio,
                coalesce(f.uuid, x.uuid, CASE WHEN p.pago IS NULL THEN v.uuid END) AS uuid,
                CASE WHEN x.clave IS NOT NULL THEN abs(x.total)
                     ELSE coalesce(n.total, g.importe, v.total) END AS total,
                coalesce(x.moneda, v.moneda) AS moneda, coalesce(x.tipo_cambio, v.tipo_cambio) AS tipo_cambio,
                c.clave AS cliente, s.clave AS proveedor,
                coalesce(c.razon_social, c.nombre, s.nombre) AS nombre, coalesce(c.rfc, s.rfc) AS rfc,
                r.codigo, r.cuenta, r.cargo, r.abono
         FROM polizas p
         JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         LEFT JOIN ventas v ON v.empresa = p.empresa AND v.clave = p.venta
         LEFT JOIN facturas f ON f.empresa = p.empresa AND f.clave = p.factura
         LEFT JOIN notas_credito n ON n.empresa = p.empresa AND n.factura = p.factura
         LEFT JOIN cxc_pagos g ON g.empresa = p.empresa AND g.clave = p.pago
         LEFT JOIN reembolsos b ON b.empresa = p.empresa AND b.clave = p.reembolso
         LEFT JOIN compras o ON o.empresa = p.empresa AND o.clave = p.compra
         LEFT JOIN cxp x ON x.empresa = p.empresa AND x.clave = p.cxp
         LEFT JOIN clientes c
           ON c.empresa = p.empresa AND c.clave = coalesce(f.cliente, g.cliente, b.cliente, v.cliente)
         LEFT JOIN proveedores s
           ON s.empresa = p.empresa AND s.clave = coalesce(x.proveedor_ref, o.proveedor)
         WHERE p.empresa = :empresa AND p.clave = ANY (:claves)
         ORDER BY p.fecha, p.clave, r.renglon",
        empresa,
        claves,
    )
}

/// The books of a month.
pub(crate) async fn of_month(
    mut database: Single<'_>,
    empresa: i64,
    request: BooksRequest,
) -> Result<BooksOfMonth, StoreError> {
    let heading: Option<BooksHeading> = database
        .optional(sql!(
            "SELECT e.rfc, e.cp,
                    (SELECT max(p.creada) FROM polizas p
                     WHERE p.empresa = :empresa AND p.fecha BETWEEN :desde AND :hasta) AS modificada
             FROM empresas e
             WHERE e.empresa = :empresa",
            empresa,
            desde: request.desde,
            hasta: request.hasta,
        ))
        .await?;
    let BooksHeading { rfc, cp, modificada } = heading.unwrap_or_default();
    let bancos = database
        .many(sql!(
            "SELECT clave, nombre, moneda
             FROM cuentas_bancarias
             WHERE empresa = :empresa
             ORDER BY clave",
            empresa,
        ))
        .await?;
    let polizas = if request.polizas {
        let filter =
            EntryFilter { desde: request.desde, hasta: request.hasta, limite: i64::MAX, ..EntryFilter::default() };
        let claves: Vec<i64> = database.values(claves(empresa, &filter)).await?;
        stored_entries(&database.many(lines(empresa, &claves)).await?)
    } else {
        Vec::new()
    };
    let cuentas = database.many(own_accounts(empresa)).await?;
    let saldos = database.many(balances(empresa, request)).await?;
    Ok(BooksOfMonth { rfc, cp, modificada, bancos, cuentas, saldos, polizas })
}

/// The entries that lines belong to.
fn stored_entries(lines: &[ReadLine]) -> Vec<StoredEntry> {
    lines.chunk_by(|a, b| a.clave == b.clave).filter_map(stored_entry).collect()
}

fn stored_entry(lines: &[ReadLine]) -> Option<StoredEntry> {
    let ReadLine { clave, fecha, concepto, origen, revierte, revertida, documentos, contraparte, .. } =
        lines.first()?;
    Some(StoredEntry {
        clave: *clave,
        fecha: *fecha,
        concepto: concepto.clone(),
        origen: *origen,
        revierte: *revierte,
        revertida: *revertida,
        documentos: documentos.clone(),
        contraparte: contraparte.clone(),
        lines: lines.iter().map(|line| line.line.clone()).collect(),
    })
}
