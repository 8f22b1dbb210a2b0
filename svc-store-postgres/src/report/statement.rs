//! The account of one customer.

use chrono::{DateTime, NaiveDate, Utc};
use svc_core::domain::accounting::Account;
use svc_core::domain::words::{InvoiceKind, InvoiceStatus, PaymentOrigin, ReceivableStatus};
use svc_core::store::{AccountLine, CustomerFunds, OpenReceivable, ReportDays, StatementCustomer};

use crate::fragment::{has_imported_note, is_last_receivable, is_payment_posted, posted_payments};
use crate::row::from_row;
use crate::sql::{Sql, sql};

from_row!(StatementCustomer { nombre, rfc });
from_row!(AccountLine { movimientos, anterior, fecha, poliza, concepto, venta, factura, pago, cargo, abono });
from_row!(OpenReceivable { cxc, folio, venta, uuid, fecha, vencimiento, moneda, total, saldo, pesos });
from_row!(CustomerFunds { anticipo, moneda, importe });

pub(super) fn customer(empresa: i64, cliente: i64) -> Sql {
    sql!(
        "SELECT coalesce(razon_social, nombre) AS nombre, rfc
         FROM clientes
         WHERE empresa = :empresa AND clave = :cliente",
        empresa,
        cliente,
    )
}

/// A receivable that no entry of its own names is imported, and owed since its day. The entries of
/// a sale that a substitute replaced are of the customer that the sale had before it.
pub(super) fn movements(empresa: i64, cliente: i64, days: ReportDays, max: i64) -> Sql {
    sql!(
        concat!("WITH cuentas AS MATERIALIZED (
             SELECT c.clave, c.venta, c.factura, c.folio, c.fecha, c.estatus, c.saldo, c.tipo_cambio
             FROM cxc c
             WHERE c.empresa = :empresa AND c.estatus = ANY (:estatus) AND c.cliente = :cliente
               AND ", is_last_receivable!(), "
         ), asientos AS MATERIALIZED (
             SELECT a.poliza, a.fecha, a.concepto, a.documento, a.venta, a.factura, a.pago,
                    sum(r.cargo) AS cargo, sum(r.abono) AS abono
             FROM (
                 SELECT p.clave AS poliza, p.fecha, p.concepto, p.venta AS documento, p.venta, p.factura, p.pago
                 FROM cuentas c
                 JOIN polizas p ON p.empresa = :empresa AND p.venta = c.venta AND p.sustituta IS NULL
                 UNION ALL
                 SELECT p.clave, p.fecha, p.concepto, p.venta, p.venta, p.factura, p.pago
                 FROM sustituciones s
                 JOIN polizas p ON p.empresa = :empresa AND p.venta = s.venta AND p.sustituta = s.factura
                 WHERE s.empresa = :empresa AND s.cliente_anterior = :cliente
                 UNION ALL
                 SELECT p.clave, p.fecha, p.concepto, -c.clave, p.venta, p.factura, p.pago
                 FROM cuentas c
                 JOIN cxc_pagos x ON x.empresa = :empresa AND x.cxc = c.clave
                 JOIN polizas p ON p.empresa = :empresa AND p.pago = x.clave
                 WHERE c.venta IS NULL
             ) a
             JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = a.poliza AND r.codigo = :cuenta
             GROUP BY a.poliza, a.fecha, a.concepto, a.documento, a.venta, a.factura, a.pago
         ), importadas AS (
             SELECT c.clave, c.fecha, c.folio, c.venta, c.factura,
                    round((c.saldo + ", posted_payments!(), ") * c.tipo_cambio, 2) AS cargo
             FROM cuentas c
             WHERE c.estatus <> 'cancelado'
               -- The planner expects few entries; unlike a join with them, this is hashed all the
               -- same.
               AND coalesce(c.venta, -c.clave) NOT IN (SELECT a.documento FROM asientos a WHERE a.pago IS NULL)
         ), movimientos AS (
             SELECT a.poliza, a.fecha, a.concepto, a.venta, a.factura, a.pago, a.cargo, a.abono
             FROM asientos a
             UNION ALL
             SELECT NULL, i.fecha, i.folio, i.venta, i.factura, NULL, i.cargo, 0
             FROM importadas i
             WHERE i.cargo <> 0
         ), lugares AS (
             SELECT m.*, m.fecha < :desde AS anterior,
                    row_number() OVER (ORDER BY m.fecha DESC, m.poliza DESC, m.cargo, m.concepto) AS lugar
             FROM movimientos m
             WHERE m.fecha <= :hasta
         ), renglones AS (
             SELECT l.*, CASE WHEN NOT l.anterior AND l.lugar <= :max THEN l.lugar END AS propio
             FROM lugares l
         )
         SELECT count(*) AS movimientos, anterior,
                min(fecha) FILTER (WHERE propio IS NOT NULL) AS fecha,
                min(poliza) FILTER (WHERE propio IS NOT NULL) AS poliza,
                min(concepto) FILTER (WHERE propio IS NOT NULL) AS concepto,
                min(venta) FILTER (WHERE propio IS NOT NULL) AS venta,
                min(factura) FILTER (WHERE propio IS NOT NULL) AS factura,
                min(pago) FILTER (WHERE propio IS NOT NULL) AS pago,
                sum(cargo) AS cargo, sum(abono) AS abono
         FROM renglones
         GROUP BY anterior, propio
         ORDER BY anterior DESC, propio DESC NULLS FIRST"),
        empresa,
        cliente,
        desde: days.desde,
        hasta: days.hasta,
        max,
        cuenta: Account::Clientes,
        estatus: ReceivableStatus::ALL,
    )
}

/// A sale belongs to the customer that it had before the first substitute dated after the day; its
/// document is then the one that this substitute replaced.
pub(super) fn open(empresa: i64, cliente: i64, al: NaiveDate, max: i64) -> Sql {
    sql!(
        concat!("WITH posibles AS (
             SELECT c.clave, c.folio, c.venta, c.uuid, c.fecha, c.vencimiento, c.moneda, c.tipo_cambio, c.estatus,
                    c.cliente, c.total, c.pagado, c.saldo
             FROM cxc c
             WHERE c.empresa = :empresa AND c.estatus = ANY (:estatus) AND c.cliente = :cliente
             UNION ALL
             SELECT c.clave, c.folio, c.venta, c.uuid, c.fecha, c.vencimiento, c.moneda, c.tipo_cambio, c.estatus,
                    c.cliente, c.total, c.pagado, c.saldo
             FROM cxc c
             WHERE c.empresa = :empresa AND c.cliente IS DISTINCT FROM :cliente
               AND c.venta IN (
                   SELECT s.venta
                   FROM sustituciones s
                   WHERE s.empresa = :empresa AND s.cliente_anterior = :cliente AND s.dia > :al
               )
         ), cuentas AS MATERIALIZED (
             SELECT c.clave, coalesce(s.folio, c.folio) AS folio, c.venta, coalesce(s.uuid, c.uuid) AS uuid, c.fecha,
                    c.vencimiento, c.moneda, c.tipo_cambio, c.estatus, coalesce(s.total_anterior, c.total) AS total,
                    c.pagado, c.saldo
             FROM posibles c
             LEFT JOIN LATERAL (
                 SELECT t.venta, t.cliente_anterior, t.total_anterior,
                        nullif(concat(f.serie, f.folio), '') AS folio, f.uuid
                 FROM sustituciones t
                 JOIN facturas n ON n.empresa = :empresa AND n.clave = t.factura
                 LEFT JOIN facturas f ON f.empresa = :empresa AND f.clave = n.sustituye
                 WHERE t.empresa = :empresa AND t.venta = c.venta AND t.dia > :al
                 ORDER BY t.factura
                 LIMIT 1
             ) s ON true
             WHERE CASE WHEN s.venta IS NULL THEN c.cliente ELSE s.cliente_anterior END = :cliente
               AND ", is_last_receivable!(), "
         ), asientos AS (
             SELECT c.clave AS cxc, p.clave AS poliza, p.fecha, p.pago, p.revierte
             FROM cuentas c
             JOIN polizas p ON p.empresa = :empresa AND p.venta = c.venta
             UNION ALL
             SELECT c.clave, p.clave, p.fecha, p.pago, p.revierte
             FROM cuentas c
             JOIN cxc_pagos x ON x.empresa = :empresa AND x.cxc = c.clave
             JOIN polizas p ON p.empresa = :empresa AND p.pago = x.clave
             WHERE c.venta IS NULL
         ), movimientos AS (
             SELECT a.cxc, bool_or(a.pago IS NULL) AS contabilizada,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE a.fecha <= :al), 0) AS pesos,
                    coalesce(sum(CASE WHEN a.revierte IS NULL THEN x.importe ELSE -x.importe END)
                             FILTER (WHERE a.fecha <= :al), 0) AS aplicado,
                    coalesce(sum(CASE WHEN a.revierte IS NULL THEN x.importe ELSE -x.importe END), 0) AS cobrado
             FROM asientos a
             JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = a.poliza AND r.codigo = :cuenta
             LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = a.pago
             GROUP BY a.cxc
         ), abiertas AS (
             SELECT c.*, i.saldo - coalesce(m.aplicado, 0) AS debido,
                    CASE WHEN m.contabilizada THEN 0 ELSE round(i.saldo * c.tipo_cambio, 2) END
                        + coalesce(m.pesos, 0) AS pesos
             FROM cuentas c
             LEFT JOIN movimientos m ON m.cxc = c.clave
             CROSS JOIN LATERAL (
                 SELECT CASE
                            WHEN m.contabilizada THEN c.total - greatest(c.pagado - m.cobrado, 0)
                            WHEN c.fecha > :al OR c.estatus = 'cancelado' THEN 0
                            ELSE c.saldo + coalesce(m.cobrado, 0)
                        END AS saldo
             ) i
         )
         SELECT clave AS cxc, folio, venta, uuid, fecha, vencimiento, moneda, total,
                CASE WHEN moneda = 'MXN' THEN pesos ELSE debido END AS saldo, pesos
         FROM abiertas
         WHERE pesos <> 0
         ORDER BY vencimiento NULLS LAST, clave
         LIMIT :max"),
        empresa,
        cliente,
        al,
        max,
        cuenta: Account::Clientes,
        estatus: ReceivableStatus::ALL,
    )
}

/// Whether the payment `x` stood at the end of the day: a cancelled one did until the day of the
/// entry that reverses its own.
macro_rules! payment_stood {
    () => {
        "(NOT x.cancelado OR EXISTS (
             SELECT FROM polizas p
             WHERE p.empresa = :empresa AND p.pago = x.clave AND p.revierte IS NOT NULL AND p.fecha > :al
         ))"
    };
}

/// Likewise of the refund `b`.
macro_rules! refund_stood {
    () => {
        "(NOT b.cancelado OR EXISTS (
             SELECT FROM polizas p
             WHERE p.empresa = :empresa AND p.reembolso = b.clave AND p.revierte IS NOT NULL AND p.fecha > :al
         ))"
    };
}

/// As in [`svc_core::store::PaymentTx::funds`] at the end of the day `al`: what has a later day is
/// left out, and what was cancelled later is not.
pub(super) fn funds(empresa: i64, cliente: i64, al: NaiveDate, fin: DateTime<Utc>, max: i64) -> Sql {
    sql!(
        concat!("WITH favor AS (
             SELECT s.moneda, s.importe
             FROM saldos_a_favor s
             WHERE s.empresa = :empresa AND s.cliente = :cliente AND coalesce(s.fecha <= :al, s.creado < :fin)
               AND (NOT s.cancelado OR EXISTS (
                        SELECT
                        FROM notas_credito n
                        JOIN polizas p ON p.empresa = :empresa AND p.venta = n.venta AND p.factura = n.factura
                        WHERE n.empresa = :empresa AND n.factura = s.factura AND p.pago IS NULL
                          AND p.revierte IS NOT NULL AND p.fecha > :al
                    ))
             UNION ALL
             SELECT x.moneda, -x.importe
             FROM cxc_pagos x
             WHERE x.empresa = :empresa AND x.cliente = :cliente AND x.origen = :a_favor AND x.fecha <= :al
               AND ", payment_stood!(), "
               AND ", is_payment_posted!(), "
             UNION ALL
             SELECT b.moneda, -b.importe
             FROM reembolsos b
             WHERE b.empresa = :empresa AND b.cliente = :cliente AND b.anticipo IS NULL AND b.fecha <= :al
               AND ", refund_stood!(), "
         ), anticipos AS (
             SELECT v.clave AS anticipo, v.moneda,
                    CASE WHEN v.cancelada THEN 0 ELSE v.total - v.saldo END
                    - coalesce((SELECT sum(x.importe)
                                FROM cxc_pagos x
                                WHERE x.empresa = :empresa AND x.venta = v.clave AND NOT x.cancelado
                                  AND x.fecha > :al), 0)
                    + coalesce((SELECT sum(x.importe)
                                FROM cxc_pagos x
                                WHERE x.empresa = :empresa AND x.venta = v.clave AND x.cancelado AND x.fecha <= :al
                                  AND ", payment_stood!(), "), 0)
                    - coalesce((SELECT sum(x.importe)
                                FROM cxc_pagos x
                                WHERE x.empresa = :empresa AND x.anticipo = v.clave AND x.fecha <= :al
                                  AND ", payment_stood!(), "), 0)
                    - coalesce((SELECT sum(b.importe)
                                FROM reembolsos b
                                WHERE b.empresa = :empresa AND b.anticipo = v.clave AND b.fecha <= :al
                                  AND ", refund_stood!(), "), 0) AS importe
             FROM ventas v
             WHERE v.empresa = :empresa AND v.tipo = 'anticipo' AND v.cancelada IN (false, true)
               AND v.cliente = :cliente
               -- The day of its branch may have another date than that of the head office.
               AND (v.fecha < :fin OR EXISTS (SELECT FROM cxc_pagos x
                                              WHERE x.empresa = :empresa AND x.venta = v.clave AND x.fecha <= :al))
               AND NOT ", has_imported_note!(), "
         ), fondos AS (
             SELECT NULL::bigint AS anticipo, moneda, sum(importe) AS importe
             FROM favor
             GROUP BY moneda
             UNION ALL
             SELECT anticipo, moneda, importe
             FROM anticipos
         )
         SELECT anticipo, moneda, importe
         FROM fondos
         WHERE importe <> 0
         ORDER BY anticipo NULLS FIRST, moneda
         LIMIT :max"),
        empresa,
        cliente,
        al,
        fin,
        max,
        a_favor: PaymentOrigin::SaldoAFavor,
        nota_credito: InvoiceKind::NotaCredito,
        cancelada: InvoiceStatus::Cancelada,
    )
}
