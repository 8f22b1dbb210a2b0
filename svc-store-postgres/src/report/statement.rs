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
               AND NOT EXISTS (SELECT FROM asientos a
                               WHERE a.documento = coalesce(c.venta, -c.clave) AND a.pago IS NULL)
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

/// As in [`svc_core::store::PaymentTx::funds`], with what has a day after `al` left out.
pub(super) fn funds(empresa: i64, cliente: i64, al: NaiveDate, fin: DateTime<Utc>, max: i64) -> Sql {
    sql!(
        concat!("WITH favor AS (
             SELECT moneda, importe
             FROM saldos_a_favor
             WHERE empresa = :empresa AND cliente = :cliente AND creado < :fin
             UNION ALL
             SELECT x.moneda, -x.importe
             FROM cxc_pagos x
             WHERE x.empresa = :empresa AND x.cliente = :cliente AND x.origen = :a_favor AND NOT x.cancelado
               AND x.fecha <= :al
               AND ", is_payment_posted!(), "
             UNION ALL
             SELECT moneda, -importe
             FROM reembolsos
             WHERE empresa = :empresa AND cliente = :cliente AND anticipo IS NULL AND NOT cancelado AND fecha <= :al
         ), anticipos AS (
             SELECT v.clave AS anticipo, v.moneda,
                    v.total - v.saldo
                    - coalesce((SELECT sum(x.importe)
                                FROM cxc_pagos x
                                WHERE x.empresa = :empresa AND x.venta = v.clave AND NOT x.cancelado
                                  AND x.fecha > :al), 0)
                    - coalesce((SELECT sum(x.importe)
                                FROM cxc_pagos x
                                WHERE x.empresa = :empresa AND x.anticipo = v.clave AND NOT x.cancelado
                                  AND x.fecha <= :al), 0)
                    - coalesce((SELECT sum(b.importe)
                                FROM reembolsos b
                                WHERE b.empresa = :empresa AND b.anticipo = v.clave AND NOT b.cancelado
                                  AND b.fecha <= :al), 0) AS importe
             FROM ventas v
             WHERE v.empresa = :empresa AND v.tipo = 'anticipo' AND NOT v.cancelada AND v.cliente = :cliente
               AND v.fecha < :fin
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
