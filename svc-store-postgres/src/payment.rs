//! Payments of receivables and their complements.

use async_trait::async_trait;
use rust_decimal::Decimal;
use sqlx::postgres::PgRow;
use svc_core::domain::accounting::{Account, CreditedPart};
use svc_core::domain::payment::{LockedReceivable, PaidSale};
use svc_core::domain::quantity::Rate;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{
    CancellationReason, Complement, InvoiceKind, InvoiceStatus, PaymentOrigin, ReceivableStatus, SaleKind,
};
use svc_core::store::{AppliedPayment, Favour, NewPayment, PaymentTx, StoreError, Withdrawal};

use crate::fragment::{has_imported_note, is_payment_posted};
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(AppliedPayment {
    cxc,
    cancelado,
    origen,
    importe,
    monto,
    cuenta_bancaria,
    deposito,
    factura,
    nota,
    de_devolucion,
});
from_row!(CreditedPart { importe: "acreditado", iva: "acreditado_iva", ieps: "acreditado_ieps" });
from_row!(Favour { importe, pesos });
from_row!(PaidSale { tipo, cancelada, desglose, metodo_pago_sat, total, impuestos, ieps });

// `lock_paid_sale` reads the sale and the earlier payments.
from_row!(LockedReceivable {
    clave,
    estatus,
    cliente,
    venta,
    sale: (None),
    metodo_pago_sat,
    fecha,
    moneda,
    tipo_cambio,
    pagado,
    saldo,
    parcialidades,
    ultima_parcialidad: (0),
    acreditado: (CreditedPart::default()),
    con_notas: (false),
    sucursal,
    factura,
    en_cancelacion: (false),
});

/// The sale and the invoice of a receivable, if any, and what its payments say of the next one.
struct Paid {
    sale: Option<PaidSale>,
    parcialidad: i64,
    acreditado: CreditedPart,
    con_notas: bool,
    factura: Option<i64>,
    en_cancelacion: bool,
}

impl FromRow for Paid {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let tipo: Option<SaleKind> = row.read("tipo")?;
        Ok(Self {
            sale: tipo.map(|_| PaidSale::from_row(row)).transpose()?,
            parcialidad: row.read("parcialidad")?,
            acreditado: FromRow::from_row(row)?,
            con_notas: row.read("con_notas")?,
            factura: row.read("factura")?,
            en_cancelacion: row.read("en_cancelacion")?,
        })
    }
}

from_row! {
    /// What a cancelled payment returned to its receivable.
    struct Restored { importe: Decimal, venta: Option<i64> }
}

#[async_trait]
impl PaymentTx for PostgresTx {
    async fn lock_receivable(&mut self, cxc: i64) -> Result<Option<LockedReceivable>, StoreError> {
        let locked: Option<LockedReceivable> = self
            .optional(sql!(
                "SELECT clave, estatus, cliente, venta, metodo_pago_sat, fecha, moneda, tipo_cambio, pagado, saldo,
                        parcialidades, sucursal, factura
                 FROM cxc
                 WHERE empresa = :empresa AND clave = :cxc
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                cxc,
            ))
            .await?;
        let Some(mut receivable) = locked else { return Ok(None) };
        let Paid { sale, parcialidad, acreditado, con_notas, factura, en_cancelacion } =
            self.lock_paid_sale(&receivable).await?;
        receivable.sale = sale;
        receivable.ultima_parcialidad = parcialidad;
        receivable.acreditado = acreditado;
        receivable.con_notas = con_notas;
        receivable.factura = factura;
        receivable.en_cancelacion = en_cancelacion;
        Ok(Some(receivable))
    }

    async fn funds(&mut self, cliente: i64, moneda: &str, origen: PaymentOrigin) -> Result<Decimal, StoreError> {
        let statement = match origen {
            // An imported advance that was given back counts for nothing: an import brings the
            // credit note of the refund, but not its amount.
            PaymentOrigin::Anticipo => sql!(
                concat!("SELECT coalesce((
                            SELECT sum(v.total - v.saldo)
                            FROM ventas v
                            WHERE v.empresa = :empresa AND v.tipo = 'anticipo' AND NOT v.cancelada
                              AND v.cliente = :cliente AND v.moneda = :moneda
                              AND NOT ", has_imported_note!(), "
                        ), 0)
                      - coalesce((
                            SELECT sum(importe)
                            FROM cxc_pagos
                            WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda AND origen = :origen
                              AND NOT cancelado
                        ), 0)
                      - coalesce((
                            SELECT sum(importe)
                            FROM reembolsos
                            WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda
                              AND anticipo IS NOT NULL AND NOT cancelado
                        ), 0)"),
                empresa: self.empresa,
                cliente,
                moneda,
                origen,
                nota_credito: InvoiceKind::NotaCredito,
                cancelada: InvoiceStatus::Cancelada,
            ),
            // Of a note whose cancellation was requested, what it did not apply itself is reserved
            // for the cancellation. Imported payments do not count, since credit balances are not
            // imported. They have no entry.
            PaymentOrigin::SaldoAFavor => sql!(
                concat!("SELECT coalesce((
                            SELECT sum(importe)
                            FROM saldos_a_favor
                            WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda AND NOT cancelado
                        ), 0)
                      - coalesce((
                            SELECT sum(greatest(s.importe - coalesce(p.importe, 0) - r.importe, 0))
                            FROM saldos_a_favor s
                            JOIN facturas f ON f.empresa = s.empresa AND f.clave = s.factura
                            LEFT JOIN notas_credito n ON n.empresa = s.empresa AND n.factura = s.factura
                            LEFT JOIN cxc_pagos p ON p.empresa = n.empresa AND p.clave = n.pago AND NOT p.cancelado
                            CROSS JOIN LATERAL (
                                SELECT coalesce(sum(importe), 0) AS importe
                                FROM reembolsos
                                WHERE empresa = :empresa AND factura = s.factura AND NOT cancelado
                            ) r
                            WHERE s.empresa = :empresa AND s.cliente = :cliente AND s.moneda = :moneda
                              AND NOT s.cancelado AND f.cancelacion_solicitada IS NOT NULL
                        ), 0)
                      - coalesce((
                            SELECT sum(x.importe)
                            FROM cxc_pagos x
                            WHERE x.empresa = :empresa AND x.cliente = :cliente AND x.moneda = :moneda
                              AND x.origen = :origen AND NOT x.cancelado
                              AND ", is_payment_posted!(), "
                        ), 0)
                      - coalesce((
                            SELECT sum(importe)
                            FROM reembolsos
                            WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda
                              AND anticipo IS NULL AND NOT cancelado
                        ), 0)"),
                empresa: self.empresa,
                cliente,
                moneda,
                origen,
            ),
            PaymentOrigin::Deposito => return Ok(Decimal::ZERO),
        };
        self.value(statement).await
    }

    async fn favour(&mut self, cliente: i64, moneda: &str, tipo_cambio: Rate) -> Result<Favour, StoreError> {
        self.one(sql!(
            "SELECT s.importe - u.importe AS importe, s.pesos - u.pesos AS pesos
             FROM (
                 SELECT coalesce(sum(importe), 0) AS importe,
                        coalesce(sum(coalesce(pesos, round(importe * :tipo_cambio, 2))), 0) AS pesos
                 FROM saldos_a_favor
                 WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda AND NOT cancelado
             ) s
             CROSS JOIN (
                 -- A payment without an entry was imported, and its balance was not.
                 SELECT coalesce(sum(u.importe) FILTER (
                            WHERE NOT u.cancelado AND (u.pago IS NULL OR e.pesos IS NOT NULL)), 0) AS importe,
                        coalesce(sum(e.pesos), 0) AS pesos
                 FROM (
                     SELECT clave AS pago, NULL::bigint AS reembolso, importe, cancelado
                     FROM cxc_pagos
                     WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda AND origen = :origen
                     UNION ALL
                     SELECT NULL, clave, importe, cancelado
                     FROM reembolsos
                     WHERE empresa = :empresa AND cliente = :cliente AND moneda = :moneda AND anticipo IS NULL
                 ) u
                 CROSS JOIN LATERAL (
                     SELECT sum(r.cargo - r.abono) AS pesos
                     FROM polizas p
                     JOIN polizas_renglones r ON r.empresa = :empresa AND r.poliza = p.clave
                     WHERE p.empresa = :empresa AND (p.pago = u.pago OR p.reembolso = u.reembolso)
                       AND r.codigo = :anticipos
                 ) e
             ) u",
            empresa: self.empresa,
            cliente,
            moneda,
            tipo_cambio,
            origen: PaymentOrigin::SaldoAFavor,
            anticipos: Account::Anticipos,
        ))
        .await
    }

    async fn insert_payment(&mut self, row: &NewPayment<'_>) -> Result<Option<i64>, StoreError> {
        let NewPayment { receivable, instalment, .. } = row;
        // An imported sale's balance may be lower than its receivable's.
        self.optional_value(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES (:empresa, 'cxc_pagos', 1)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             ), cuenta AS (
                 UPDATE cxc
                 SET estatus = :estatus, pagado = :pagado, saldo = saldo - :importe, parcialidades = :parcialidades,
                     modificado = :aplicado
                 WHERE empresa = :empresa AND clave = :cxc AND saldo >= :importe
                 RETURNING clave AS cxc
             ), venta AS (
                 UPDATE ventas
                 SET saldo = greatest(saldo - :importe, 0), modificado = :aplicado
                 WHERE empresa = :empresa AND clave = :venta
             )
             INSERT INTO cxc_pagos (
                 empresa, clave, cxc, cliente, venta, fecha, aplicado, origen, importe, moneda, tipo_cambio,
                 forma_pago_sat, cuenta_bancaria, deposito, referencia, parcialidad, saldo_anterior,
                 saldo_insoluto, complemento, factura, anticipo, monto, moneda_pago,
                 tipo_cambio_pago
             )
             SELECT :empresa, valor, cxc, :cliente, :venta, :fecha, :aplicado, :origen, :importe, :moneda, :tipo_cambio,
                    :forma_pago_sat, :cuenta_bancaria, :deposito, :referencia, :parcialidad, :saldo_anterior,
                    :saldo_insoluto, :complemento, :factura, :anticipo, :monto, :moneda_pago,
                    :tipo_cambio_pago
             FROM numero, cuenta
             RETURNING clave",
            empresa: self.empresa,
            cxc: receivable.clave,
            cliente: receivable.cliente,
            venta: receivable.venta,
            importe: instalment.importe,
            moneda: receivable.moneda,
            parcialidad: instalment.parcialidad,
            saldo_anterior: instalment.saldo_anterior,
            saldo_insoluto: instalment.saldo_insoluto,
            complemento: row.complemento(),
            monto: row.cambio.map(|cambio| cambio.monto),
            moneda_pago: row.cambio.map(|cambio| &cambio.moneda),
            tipo_cambio_pago: row.cambio.map(|cambio| cambio.tipo_cambio),
            pagado: instalment.pagado,
            parcialidades: instalment.parcialidades,
            estatus: instalment.estatus();
            from row {
                fecha, aplicado, origen, tipo_cambio, forma_pago_sat, cuenta_bancaria, deposito, referencia,
                factura, anticipo
            }
        ))
        .await
    }

    async fn lock_payment(&mut self, pago: i64) -> Result<Option<AppliedPayment>, StoreError> {
        self.optional(sql!(
            "SELECT cxc, cancelado, origen, importe, coalesce(monto, importe) AS monto, cuenta_bancaria, deposito, factura,
                    (SELECT min(n.factura) FROM notas_credito n WHERE n.empresa = :empresa AND n.pago = :pago) AS nota,
                    EXISTS (SELECT FROM devoluciones d WHERE d.empresa = :empresa AND d.pago = :pago) AS de_devolucion
             FROM cxc_pagos
             WHERE empresa = :empresa AND clave = :pago
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            pago,
        ))
        .await
    }

    async fn cancel_payment(
        &mut self,
        pago: i64,
        payment: &AppliedPayment,
        estatus: Option<ReceivableStatus>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc_pagos
             SET cancelado = true
             WHERE empresa = :empresa AND clave = :pago",
            empresa: self.empresa,
            pago,
        ))
        .await?;
        // An imported payment may never have been counted in `pagado`, and an imported receivable
        // may have been cancelled with its payments.
        let restored = self
            .optional(sql!(
                "WITH antes AS (
                     SELECT least(pagado, :importe) AS importe
                     FROM cxc
                     WHERE empresa = :empresa AND clave = :cxc
                 )
                 UPDATE cxc
                 SET estatus = coalesce(:estatus, estatus), pagado = pagado - antes.importe,
                     saldo = CASE WHEN estatus = :cancelado THEN saldo ELSE saldo + antes.importe END,
                     parcialidades = greatest(parcialidades - :parcialidades, 0), modificado = :ahora
                 FROM antes
                 WHERE empresa = :empresa AND clave = :cxc
                 RETURNING antes.importe, CASE WHEN estatus <> :cancelado THEN venta END AS venta",
                empresa: self.empresa,
                cxc: payment.cxc,
                importe: payment.importe,
                ahora: now,
                estatus,
                cancelado: ReceivableStatus::Cancelado,
                parcialidades: i64::from(payment.nota.is_none() && !payment.de_devolucion),
            ))
            .await?;
        let Some(Restored { importe, venta: Some(venta) }) = restored else { return Ok(()) };
        self.run(sql!(
            "UPDATE ventas
             SET saldo = least(saldo + :importe, greatest(total, saldo)), modificado = :ahora
             WHERE empresa = :empresa AND clave = :venta",
            empresa: self.empresa,
            venta,
            importe,
            ahora: now,
        ))
        .await
    }

    async fn move_payments(&mut self, pagos: &[i64], factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc_pagos
             SET factura = :factura
             WHERE empresa = :empresa AND clave = ANY(:pagos)",
            empresa: self.empresa,
            pagos,
            factura,
        ))
        .await
    }

    async fn take_over_payments(&mut self, sustituida: i64, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc_pagos
             SET factura = :factura
             WHERE empresa = :empresa AND factura = :sustituida AND NOT cancelado",
            empresa: self.empresa,
            factura,
            sustituida,
        ))
        .await
    }

    async fn withdraw_complement(&mut self, factura: i64, pago: i64, now: Timestamp) -> Result<Withdrawal, StoreError> {
        let stamped: Option<bool> = self
            .optional_value(sql!(
                "SELECT uuid IS NOT NULL
                 FROM facturas
                 WHERE empresa = :empresa AND clave = :factura AND tipo = :tipo AND estatus <> :cancelada
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                factura,
                tipo: InvoiceKind::Pago,
                cancelada: InvoiceStatus::Cancelada,
            ))
            .await?;
        let Some(stamped) = stamped else { return Ok(Withdrawal::Done) };
        if self.is_being_stamped(factura).await? {
            return Ok(Withdrawal::Underway);
        }
        let shared: bool = self
            .value(sql!(
                "SELECT EXISTS (
                     SELECT FROM cxc_pagos
                     WHERE empresa = :empresa AND factura = :factura AND NOT cancelado
                 )",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        if !stamped {
            // A shared complement is stamped without this payment.
            self.run(sql!(
                "UPDATE cxc_pagos
                 SET complemento = :no_aplica, factura = CASE WHEN :compartido THEN NULL ELSE factura END
                 WHERE empresa = :empresa AND clave = :pago",
                empresa: self.empresa,
                pago,
                compartido: shared,
                no_aplica: Complement::NoAplica,
            ))
            .await?;
        }
        if shared {
            return if stamped { self.replacement(factura).await } else { Ok(Withdrawal::Waiting(factura)) };
        }
        // Issued with errors and not replaced; what was never stamped needs no reason.
        self.cancel_complement(factura, stamped.then_some(CancellationReason::Wrong), now).await
    }
}

impl PostgresTx {
    /// Locks a locked receivable's sale. A separate statement sees what the previous holder of the
    /// lock has written.
    async fn lock_paid_sale(&mut self, receivable: &LockedReceivable) -> Result<Paid, StoreError> {
        self.one(sql!(
            "WITH venta AS MATERIALIZED (
                 SELECT tipo, cancelada, desglose, metodo_pago_sat, total, factura,
                        impuestos - (SELECT coalesce(sum(locales_trasladados), 0)
                                     FROM ventas_renglones
                                     WHERE empresa = :empresa AND venta = :venta) AS impuestos,
                        (SELECT coalesce(sum(ieps), 0)
                         FROM ventas_renglones
                         WHERE empresa = :empresa AND venta = :venta) AS ieps
                 FROM ventas
                 WHERE empresa = :empresa AND clave = :venta
                 FOR NO KEY UPDATE
             )
             SELECT v.tipo, v.cancelada, v.desglose, v.metodo_pago_sat, v.total, v.impuestos, v.ieps, p.parcialidad,
                    p.acreditado, p.acreditado_iva, p.acreditado_ieps, p.con_notas,
                    f.clave AS factura,
                    f.cancelacion_solicitada IS NOT NULL
                        OR EXISTS (
                            SELECT FROM facturas s
                            WHERE s.empresa = :empresa AND s.sustituye = f.clave AND s.estatus IN (:en_espera, :error)
                        ) AS en_cancelacion
             FROM (
                 SELECT coalesce(max(p.parcialidad) FILTER (WHERE v.vale AND n.factura IS NULL AND d.clave IS NULL), 0)
                            AS parcialidad,
                        coalesce(sum(p.importe) FILTER (WHERE v.vale AND c.total > 0), 0) AS acreditado,
                        coalesce(sum(round(c.iva * p.importe / nullif(c.total, 0), 2)) FILTER (WHERE v.vale), 0)
                            AS acreditado_iva,
                        coalesce(sum(round(c.ieps * p.importe / nullif(c.total, 0), 2)) FILTER (WHERE v.vale), 0)
                            AS acreditado_ieps,
                        coalesce(bool_or(c.total > 0), false) AS con_notas
                 FROM cxc_pagos p
                 CROSS JOIN LATERAL (SELECT NOT p.cancelado AS vale) v
                 LEFT JOIN notas_credito n ON n.empresa = :empresa AND n.pago = p.clave
                 LEFT JOIN devoluciones d ON d.empresa = :empresa AND d.pago = p.clave
                 LEFT JOIN LATERAL (
                     SELECT n.impuestos - n.ieps - n.locales_trasladados AS iva, n.ieps, n.total
                     WHERE n.anticipo IS NULL AND n.factura IS NOT NULL
                     UNION ALL
                     SELECT sum(round(v.iva * q.parte, 2)), sum(round(v.ieps * q.parte, 2)), d.total
                     FROM devoluciones_renglones r
                     JOIN ventas_renglones v ON v.empresa = :empresa AND v.venta = d.venta AND v.renglon = r.renglon
                     CROSS JOIN LATERAL (
                         SELECT coalesce(r.base / nullif(v.subtotal - v.descuento, 0), 0) AS parte
                     ) q
                     WHERE r.empresa = :empresa AND r.devolucion = d.clave
                     HAVING count(*) > 0
                 ) c ON true
                 WHERE p.empresa = :empresa AND p.cxc = :cxc
             ) p
             LEFT JOIN venta v ON true
             LEFT JOIN facturas f ON f.empresa = :empresa AND f.clave = coalesce(:factura, v.factura)",
            empresa: self.empresa,
            venta: receivable.venta,
            cxc: receivable.clave,
            factura: receivable.factura,
            en_espera: InvoiceStatus::EnEspera,
            error: InvoiceStatus::Error,
        ))
        .await
    }

    /// Whether a worker holds its lease, or has sent it and got no answer yet. If not, no worker
    /// takes it before the end of this transaction.
    async fn is_being_stamped(&mut self, factura: i64) -> Result<bool, StoreError> {
        let underway: Option<bool> = self
            .optional_value(sql!(
                "SELECT coalesce(arrendado > now(), false)
                        OR EXISTS (
                            SELECT FROM facturas_xml x
                            WHERE x.empresa = :empresa AND x.factura = :factura AND NOT x.timbrado
                        )
                 FROM timbrados
                 WHERE empresa = :empresa AND factura = :factura
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        Ok(underway.unwrap_or(false))
    }

    /// What a stamped complement of several payments becomes when one of them is cancelled.
    async fn replacement(&mut self, factura: i64) -> Result<Withdrawal, StoreError> {
        let waiting: Option<i64> = self
            .optional_value(sql!(
                "SELECT clave
                 FROM facturas
                 WHERE empresa = :empresa AND sustituye = :factura AND estatus = :en_espera",
                empresa: self.empresa,
                factura,
                en_espera: InvoiceStatus::EnEspera,
            ))
            .await?;
        Ok(match waiting {
            None => Withdrawal::Stamped,
            Some(substitute) if self.is_being_stamped(substitute).await? => Withdrawal::Underway,
            Some(substitute) => Withdrawal::Waiting(substitute),
        })
    }

    async fn cancel_complement(
        &mut self,
        factura: i64,
        motivo: Option<CancellationReason>,
        now: Timestamp,
    ) -> Result<Withdrawal, StoreError> {
        self.run(sql!(
            "DELETE FROM timbrados
             WHERE empresa = :empresa AND factura = :factura",
            empresa: self.empresa,
            factura,
        ))
        .await?;
        self.run(sql!(
            "UPDATE facturas
             SET estatus = :cancelada, fecha_cancelacion = :ahora,
                 motivo_cancelacion = coalesce(motivo_cancelacion, :motivo), cancelacion_solicitada = NULL,
                 modificado = :ahora
             WHERE empresa = :empresa AND clave = :factura",
            empresa: self.empresa,
            factura,
            motivo,
            ahora: now,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await?;
        Ok(Withdrawal::Done)
    }
}
