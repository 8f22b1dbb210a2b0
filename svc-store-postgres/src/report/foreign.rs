//! What bank accounts in foreign currency hold on a day, and what waits of their deposits.

use chrono::NaiveDate;
use svc_core::domain::accounting::{Account, ForeignBalance};

use crate::row::from_row;
use crate::sql::{Sql, sql};

from_row!(ForeignBalance { cuenta, cuenta_bancaria, moneda, saldo, pesos });

/// Documents say what came and went in the account's currency, and the entries of the same
/// documents what that was in pesos. A deposit without an exchange rate is posted by the payments
/// that apply it, as long as they stand. Money of other deposits that stays in the bank after a
/// payment was cancelled waits, in pesos, in the account of deposits, for its part of the deposit.
pub(crate) fn foreign_banks(empresa: i64, al: NaiveDate) -> Sql {
    sql!(
        "WITH movimientos AS MATERIALIZED (
             SELECT c.clave AS cuenta_bancaria, c.moneda, p.deposito, p.pago,
                    abs(coalesce(g.monto, g.importe, b.importe)) AS movido,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :bancos), 0) AS pesos,
                    coalesce(sum(r.cargo - r.abono) FILTER (WHERE r.codigo = :por_identificar), 0) AS espera
             FROM polizas_renglones r
             JOIN polizas p ON p.empresa = :empresa AND p.clave = r.poliza
             LEFT JOIN depositos d ON d.empresa = :empresa AND d.clave = p.deposito
             LEFT JOIN cxp_pagos g ON g.empresa = :empresa AND g.clave = p.cxp_pago
             LEFT JOIN reembolsos b ON b.empresa = :empresa AND b.clave = p.reembolso
             JOIN cuentas_bancarias c
               ON c.empresa = :empresa AND c.clave = coalesce(d.cuenta_bancaria, g.cuenta_bancaria, b.cuenta_bancaria)
             WHERE r.empresa = :empresa AND r.codigo IN (:bancos, :por_identificar) AND r.fecha <= :al
               AND c.moneda <> 'MXN'
             GROUP BY p.clave, c.clave, c.moneda, p.deposito, p.pago, g.monto, g.importe, b.importe
         ), depositados AS (
             SELECT m.cuenta_bancaria, m.moneda, sum(m.pesos) AS pesos, sum(m.espera) AS espera,
                    CASE
                        WHEN sum(m.pesos) = 0 THEN 0
                        WHEN bool_or(m.pago IS NULL AND m.pesos > 0) THEN max(d.importe)
                        ELSE sum(sign(m.pesos) * coalesce(x.monto, x.importe))
                    END AS saldo
             FROM movimientos m
             JOIN depositos d ON d.empresa = :empresa AND d.clave = m.deposito
             LEFT JOIN cxc_pagos x ON x.empresa = :empresa AND x.clave = m.pago
             GROUP BY m.cuenta_bancaria, m.moneda, m.deposito
         ), saldos AS (
             SELECT :bancos AS cuenta, cuenta_bancaria, moneda, saldo, pesos
             FROM depositados
             UNION ALL
             SELECT :bancos, cuenta_bancaria, moneda, CASE WHEN pesos < 0 THEN -movido ELSE movido END, pesos
             FROM movimientos
             WHERE deposito IS NULL
             UNION ALL
             SELECT :bancos, clave, moneda, apertura, apertura_pesos
             FROM cuentas_bancarias
             WHERE empresa = :empresa AND moneda <> 'MXN' AND apertura_dia <= :al
             UNION ALL
             SELECT :por_identificar, NULL, moneda, round(espera * saldo / nullif(pesos, 0), 2), espera
             FROM depositados
             WHERE espera <> 0
         )
         SELECT cuenta, cuenta_bancaria, moneda, coalesce(sum(saldo), 0) AS saldo, sum(pesos) AS pesos
         FROM saldos
         GROUP BY cuenta, cuenta_bancaria, moneda
         HAVING sum(saldo) <> 0 OR sum(pesos) <> 0
         ORDER BY cuenta, cuenta_bancaria, moneda",
        empresa,
        al,
        bancos: Account::Bancos,
        por_identificar: Account::PorIdentificar,
    )
}
