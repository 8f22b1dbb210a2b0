//! Entries as they are read: pages of them, and the books of a month.

use chrono::{DateTime, NaiveDate, Utc};
use svc_core::domain::accounting::EntryOrigin;
use svc_core::store::{
    BankAccountName, BooksOfMonth, BooksRequest, Counterpart, EntryDocuments, EntryFilter, StoreError, StoredEntry,
    StoredLine,
};

use crate::database::Single;
use crate::fragment::customer_of_entry;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::{Sql, sql};

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
    pub(super) struct ReadLine {
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

/// What the company changed of accounts.
pub(super) fn own_accounts(empresa: i64) -> Sql {
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
pub(super) fn claves(empresa: i64, filter: &EntryFilter) -> Sql {
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
pub(super) fn lines(empresa: i64, claves: &[i64]) -> Sql {
    sql!(
        concat!("SELECT p.clave, p.fecha, p.concepto, p.origen, p.revierte,
                (SELECT min(o.clave) FROM polizas o
                 WHERE o.empresa = :empresa AND o.revierte = p.clave) AS revertida,
                p.venta, coalesce(g.factura, p.factura) AS factura, p.pago, p.compra, p.cxp, p.cxp_pago, p.deposito, p.reembolso, p.movimiento,
                CASE WHEN f.clave IS NOT NULL THEN nullif(concat(f.serie, f.folio), '')
                     WHEN x.clave IS NOT NULL THEN coalesce(x.factura, x.folio)
                     WHEN p.pago IS NULL THEN nullif(concat(v.serie, v.folio), '') END AS folio,
                coalesce(f.uuid, x.uuid, CASE WHEN p.pago IS NULL THEN v.uuid END) AS uuid,
                CASE WHEN x.clave IS NOT NULL THEN abs(x.total)
                     ELSE coalesce(n.total, g.importe, v.total) END AS total,
                coalesce(x.moneda, g.moneda, v.moneda) AS moneda,
                coalesce(x.tipo_cambio, g.tipo_cambio, v.tipo_cambio) AS tipo_cambio,
                c.clave AS cliente, s.clave AS proveedor,
                coalesce(c.razon_social, c.nombre, s.nombre) AS nombre, coalesce(c.rfc, s.rfc) AS rfc,
                r.codigo, r.cuenta, r.cargo, r.abono
         FROM polizas p
         JOIN polizas_renglones r ON r.empresa = p.empresa AND r.poliza = p.clave
         LEFT JOIN ventas v ON v.empresa = p.empresa AND v.clave = p.venta
         LEFT JOIN cxc_pagos g ON g.empresa = p.empresa AND g.clave = p.pago
         LEFT JOIN facturas f ON f.empresa = p.empresa AND f.clave = coalesce(g.factura, p.factura)
         LEFT JOIN notas_credito n ON n.empresa = p.empresa AND n.factura = p.factura
         LEFT JOIN reembolsos b ON b.empresa = p.empresa AND b.clave = p.reembolso
         LEFT JOIN compras o ON o.empresa = p.empresa AND o.clave = p.compra
         LEFT JOIN cxp x ON x.empresa = p.empresa AND x.clave = p.cxp
         LEFT JOIN sustituciones st ON st.empresa = p.empresa AND st.factura = p.sustituta
         LEFT JOIN clientes c
           ON c.empresa = p.empresa
             AND c.clave = coalesce(f.cliente, g.cliente, b.cliente, ", customer_of_entry!(), ")
         LEFT JOIN proveedores s
           ON s.empresa = p.empresa AND s.clave = coalesce(x.proveedor_ref, o.proveedor)
         WHERE p.empresa = :empresa AND p.clave = ANY (:claves)
         ORDER BY p.fecha, p.clave, r.renglon"),
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
pub(super) fn stored_entries(lines: &[ReadLine]) -> Vec<StoredEntry> {
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
