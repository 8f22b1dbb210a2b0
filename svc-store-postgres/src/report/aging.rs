//! What is owed on a day, by its age.

use chrono::NaiveDate;
use svc_core::domain::accounting::Account;
use svc_core::store::AgedGroup;

use crate::fragment::{is_last_receivable, posted_payments};
use crate::row::from_row;
use crate::sql::{Sql, sql};

from_row!(AgedGroup {
    lugar,
    tercero,
    nombre,
    rfc,
    moneda,
    documentos,
    saldo,
    por_vencer,
    hasta_30,
    hasta_60,
    hasta_90,
    mas_de_90,
    total,
});

/// Adds up what is owed (`cuentas`) by customer or supplier and currency, and by age: the largest
/// sums by themselves, the others in the place after them, and in place 0 what the account holds.
macro_rules! groups {
    () => {
        "grupos AS (
             SELECT c.tercero, c.moneda, count(*) AS documentos,
                    sum(CASE WHEN c.moneda = 'MXN' THEN c.pesos ELSE c.saldo END) AS saldo,
                    coalesce(sum(c.pesos) FILTER (WHERE c.dias <= 0), 0) AS por_vencer,
                    coalesce(sum(c.pesos) FILTER (WHERE c.dias BETWEEN 1 AND 30), 0) AS hasta_30,
                    coalesce(sum(c.pesos) FILTER (WHERE c.dias BETWEEN 31 AND 60), 0) AS hasta_60,
                    coalesce(sum(c.pesos) FILTER (WHERE c.dias BETWEEN 61 AND 90), 0) AS hasta_90,
                    coalesce(sum(c.pesos) FILTER (WHERE c.dias > 90), 0) AS mas_de_90,
                    sum(c.pesos) AS total,
                    row_number() OVER (ORDER BY sum(c.pesos) DESC, c.tercero, c.moneda) AS lugar
             FROM cuentas c
             WHERE c.pesos <> 0
             GROUP BY c.tercero, c.moneda
         ), lugares AS (
             SELECT least(g.lugar, :max + 1) AS lugar,
                    min(g.tercero) FILTER (WHERE g.lugar <= :max) AS tercero,
                    min(g.moneda) FILTER (WHERE g.lugar <= :max) AS moneda,
                    sum(g.documentos)::bigint AS documentos, sum(g.saldo) AS saldo, sum(g.por_vencer) AS por_vencer,
                    sum(g.hasta_30) AS hasta_30, sum(g.hasta_60) AS hasta_60, sum(g.hasta_90) AS hasta_90,
                    sum(g.mas_de_90) AS mas_de_90, sum(g.total) AS total
             FROM grupos g
             GROUP BY least(g.lugar, :max + 1)
             UNION ALL
             SELECT 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, coalesce(sum(m.pesos), 0)
             FROM movimientos m
         )"
    };
}

/// What customers owe on a day, by receivable (`cuentas`), and the account's movements by document.
///
/// A sale's entries belong to its last receivable, since the receivable of a discarded invoice
/// shares the sale with the next. A receivable without an entry of its own is imported.
macro_rules! receivables_owed {
    () => {
        concat!("movimientos AS MATERIALIZED (
             SELECT coalesce(p.venta, x.venta, -x.cxc) AS documento,
                    bool_or(p.pago IS NULL) AS contabilizada,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE p.fecha <= :al), 0) AS pesos,
                    coalesce(sum(CASE WHEN p.revierte IS NULL THEN x.importe ELSE -x.importe END)
                             FILTER (WHERE p.fecha <= :al), 0) AS aplicado,
                    coalesce(sum(CASE WHEN p.revierte IS NULL THEN x.importe ELSE -x.importe END), 0) AS cobrado
             FROM polizas p
             JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
             LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = p.pago
             WHERE p.empresa = :empresa AND r.codigo = :cuenta
             GROUP BY coalesce(p.venta, x.venta, -x.cxc)
         ), cuentas AS MATERIALIZED (
             SELECT CASE WHEN s.venta IS NULL THEN c.cliente ELSE s.cliente_anterior END AS tercero, c.moneda,
                    coalesce(:al - c.vencimiento, 0) AS dias,
                    -- What was paid before the books began is in no entry of a payment.
                    CASE
                        WHEN m.contabilizada THEN coalesce(s.total_anterior, c.total) - greatest(c.pagado - m.cobrado, 0)
                        ELSE i.saldo
                    END
                        - coalesce(m.aplicado, 0) AS saldo,
                    CASE WHEN m.contabilizada THEN 0 ELSE round(i.saldo * c.tipo_cambio, 2) END
                        + coalesce(m.pesos, 0) AS pesos
             FROM cxc c
             LEFT JOIN movimientos m ON m.documento = coalesce(c.venta, -c.clave)
             LEFT JOIN (
                 -- Customer and total before the first substitute that is dated after the day.
                 SELECT DISTINCT ON (venta) venta, cliente_anterior, total_anterior
                 FROM sustituciones
                 WHERE empresa = :empresa AND venta IS NOT NULL AND dia > :al
                 ORDER BY venta, factura
             ) s ON s.venta = c.venta
             CROSS JOIN LATERAL (
                 SELECT CASE
                            WHEN m.contabilizada OR c.fecha > :al OR c.estatus = 'cancelado' THEN 0
                            ELSE c.saldo + ", posted_payments!(), "
                        END AS saldo
             ) i
             WHERE c.empresa = :empresa
               AND ", is_last_receivable!(), "
         )")
    };
}

/// What is owed to suppliers on a day, by payable (`cuentas`), and the account's movements by
/// payable. A payable without an entry of its own is imported.
macro_rules! payables_owed {
    () => {
        "movimientos AS MATERIALIZED (
             SELECT p.cxp AS documento,
                    bool_or(p.cxp_pago IS NULL) AS contabilizada,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE p.fecha <= :al AND p.cxp_pago IS NULL), 0) AS facturado,
                    coalesce(sum(r.abono - r.cargo) FILTER (WHERE p.fecha <= :al), 0) AS pesos,
                    coalesce(sum(CASE WHEN p.revierte IS NULL THEN x.importe ELSE -x.importe END)
                             FILTER (WHERE p.fecha <= :al), 0) AS aplicado
             FROM polizas p
             JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
             LEFT JOIN cxp_pagos x ON x.empresa = :empresa AND x.clave = p.cxp_pago
             WHERE p.empresa = :empresa AND r.codigo = :cuenta
             GROUP BY p.cxp
         ), cuentas AS MATERIALIZED (
             SELECT nullif(c.proveedor, 0) AS tercero, c.moneda, coalesce(:al - c.vencimiento, 0) AS dias,
                    i.saldo - coalesce(m.aplicado, 0) AS saldo,
                    CASE WHEN m.contabilizada THEN 0 ELSE round(i.saldo * c.tipo_cambio, 2) END
                        + coalesce(m.pesos, 0) AS pesos
             FROM cxp c
             LEFT JOIN movimientos m ON m.documento = c.clave
             CROSS JOIN LATERAL (
                 SELECT CASE
                            WHEN m.contabilizada AND m.facturado = 0 THEN 0
                            WHEN NOT coalesce(m.contabilizada, false) AND (c.fecha > :al OR c.estatus = 'cancelado') THEN 0
                            -- A cancelled one owes nothing now; what was paid at its capture was
                            -- never owed.
                            ELSE CASE c.estatus WHEN 'cancelado' THEN c.total - c.pagado ELSE c.saldo END + coalesce((
                                SELECT sum(x.importe)
                                FROM cxp_pagos x
                                WHERE x.empresa = :empresa AND x.cxp = c.clave AND NOT x.cancelado
                            ), 0)
                        END AS saldo
             ) i
             WHERE c.empresa = :empresa
         )"
    };
}

pub(super) fn receivables(empresa: i64, al: NaiveDate, max: i64) -> Sql {
    sql!(
        concat!(
            "WITH ",
            receivables_owed!(),
            ", ",
            groups!(),
            "
         SELECT l.lugar, l.tercero, coalesce(t.razon_social, t.nombre) AS nombre, t.rfc, l.moneda, l.documentos, l.saldo,
                l.por_vencer, l.hasta_30, l.hasta_60, l.hasta_90, l.mas_de_90, l.total
         FROM lugares l
         LEFT JOIN clientes t ON t.empresa = :empresa AND t.clave = l.tercero
         ORDER BY l.lugar"
        ),
        empresa,
        al,
        max,
        cuenta: Account::Clientes,
    )
}

pub(super) fn payables(empresa: i64, al: NaiveDate, max: i64) -> Sql {
    sql!(
        concat!(
            "WITH ",
            payables_owed!(),
            ", ",
            groups!(),
            "
         SELECT l.lugar, l.tercero, t.nombre, t.rfc, l.moneda, l.documentos, l.saldo, l.por_vencer, l.hasta_30, l.hasta_60,
                l.hasta_90, l.mas_de_90, l.total
         FROM lugares l
         LEFT JOIN proveedores t ON t.empresa = :empresa AND t.clave = l.tercero
         ORDER BY l.lugar"
        ),
        empresa,
        al,
        max,
        cuenta: Account::Proveedores,
    )
}

/// What customers owe in foreign currency, by currency. What holds no pesos is paid or cancelled.
pub(crate) fn foreign_receivables(empresa: i64, al: NaiveDate) -> Sql {
    sql!(
        concat!(
            "WITH ",
            receivables_owed!(),
            "
         SELECT :cuenta AS cuenta, NULL::bigint AS cuenta_bancaria, moneda, sum(saldo) AS saldo, sum(pesos) AS pesos
         FROM cuentas
         WHERE moneda <> 'MXN' AND pesos <> 0
         GROUP BY moneda
         ORDER BY moneda"
        ),
        empresa,
        al,
        cuenta: Account::Clientes,
    )
}

/// What is owed to suppliers in foreign currency, by currency, as debits.
pub(crate) fn foreign_payables(empresa: i64, al: NaiveDate) -> Sql {
    sql!(
        concat!(
            "WITH ",
            payables_owed!(),
            "
         SELECT :cuenta AS cuenta, NULL::bigint AS cuenta_bancaria, moneda, -sum(saldo) AS saldo, -sum(pesos) AS pesos
         FROM cuentas
         WHERE moneda <> 'MXN' AND pesos <> 0
         GROUP BY moneda
         ORDER BY moneda"
        ),
        empresa,
        al,
        cuenta: Account::Proveedores,
    )
}
