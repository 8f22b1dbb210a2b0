//! Receivables, bank accounts and deposits.

use async_trait::async_trait;
use chrono::NaiveDate;
use svc_core::domain::accounting::OpenedDebt;
use svc_core::domain::deposit::{Deposit, Legacy, NamedDeposit, PaidAccount};
use svc_core::domain::money::Money;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{PaymentOrigin, ReceivableStatus, Status};
use svc_core::store::{
    BankReceipt, Charged, CustomerBalance, DepositOrigin, HowPaid, NewReceivable, OpenedBankAccount, ReceivableTx,
    ReleasedDeposit, StoreError,
};

use crate::fragment::posted_payments;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(CustomerBalance { adeudo, vencido });

from_row!(Charged { total, antes, en_otra_moneda });

from_row!(PaidAccount { clave, activa, moneda, saldo });

from_row!(NamedDeposit { clave, cuenta_bancaria, fecha, importe, aplicado, referencia, cancelado });

from_row! {
    /// Whether there is a payment with the same data, and a deposit with it.
    struct Registered { pagado: bool, clave: Option<i64>, importe: Option<Money>, aplicado: Option<Money> }
}

impl Registered {
    fn deposit(&self) -> Option<Deposit> {
        Some(Deposit { clave: self.clave?, importe: self.importe?, aplicado: self.aplicado? })
    }
}

from_row!(OpenedDebt { saldo, iva, ieps });

from_row! {
    /// Whether a released deposit is cancelled, and whether more is posted of it than its payments.
    struct Released { cancelado: bool, contabilizado: bool }
}

impl From<Released> for ReleasedDeposit {
    fn from(released: Released) -> Self {
        match released {
            Released { cancelado: true, .. } => Self::Gone,
            Released { contabilizado: true, .. } => Self::Waits,
            Released { .. } => Self::Unposted,
        }
    }
}

#[async_trait]
impl ReceivableTx for PostgresTx {
    async fn insert_receivable(&mut self, row: &NewReceivable<'_>) -> Result<i64, StoreError> {
        self.value(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES (:empresa, 'cxc', 1)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             )
             INSERT INTO cxc (
                 empresa, clave, folio, estatus, cliente, venta, tipo_venta, factura, metodo_pago_sat, fecha,
                 vencimiento, moneda, tipo_cambio, total, pagado, saldo, sucursal, modificado
             )
             SELECT :empresa, valor, :folio, :estatus, :cliente, :venta, :tipo_venta, :factura, :metodo_pago_sat, :fecha,
                    :vencimiento, :moneda, :tipo_cambio, :total, :total::numeric - :saldo::numeric, :saldo, :sucursal, :modificado
             FROM numero
             RETURNING clave",
            empresa: self.empresa,
            estatus: row.estatus();
            from row {
                folio, cliente, venta, tipo_venta, factura, metodo_pago_sat, fecha, vencimiento, moneda,
                tipo_cambio, total, saldo, sucursal, modificado
            }
        ))
        .await
    }

    async fn lock_receivables(&mut self, venta: i64) -> Result<HowPaid, StoreError> {
        let paid: Vec<bool> = self
            .values(sql!(
                "SELECT pagado > 0
                 FROM cxc
                 WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado
                 ORDER BY clave
                 FOR NO KEY UPDATE",
                empresa: self.empresa,
                venta,
                cancelado: ReceivableStatus::Cancelado,
            ))
            .await?;
        if !paid.contains(&true) {
            return Ok(HowPaid::Not);
        }
        // A separate statement sees the payments of those who held the locks.
        let by_payments: bool = self
            .value(sql!(
                "SELECT EXISTS (
                     SELECT
                     FROM cxc c
                     JOIN cxc_pagos p ON p.empresa = c.empresa AND p.cxc = c.clave
                     WHERE c.empresa = :empresa AND c.venta = :venta AND c.estatus <> :cancelado AND NOT p.cancelado
                 )",
                empresa: self.empresa,
                venta,
                cancelado: ReceivableStatus::Cancelado,
            ))
            .await?;
        Ok(if by_payments { HowPaid::ByPayments } else { HowPaid::BeforeTheBooks })
    }

    async fn cancel_receivables(&mut self, venta: i64, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc
             SET estatus = :cancelado, saldo = 0, modificado = :ahora
             WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado",
            empresa: self.empresa,
            venta,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }

    async fn take_opening(&mut self, venta: i64) -> Result<OpenedDebt, StoreError> {
        self.one(sql!(
            "WITH abiertas AS (
                 SELECT clave, apertura, apertura_iva, apertura_ieps
                 FROM cxc
                 WHERE empresa = :empresa AND venta = :venta AND apertura <> 0
                 FOR NO KEY UPDATE
             ), cerradas AS (
                 UPDATE cxc c
                 SET apertura = 0, apertura_iva = 0, apertura_ieps = 0
                 FROM abiertas a
                 WHERE c.empresa = :empresa AND c.clave = a.clave
             )
             SELECT coalesce(sum(apertura), 0) AS saldo, coalesce(sum(apertura_iva), 0) AS iva,
                    coalesce(sum(apertura_ieps), 0) AS ieps
             FROM abiertas",
            empresa: self.empresa,
            venta,
        ))
        .await
    }

    async fn add_opening(&mut self, cxc: i64, opened: OpenedDebt) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cxc
             SET apertura = apertura + :saldo, apertura_iva = apertura_iva + :iva, apertura_ieps = apertura_ieps + :ieps
             WHERE empresa = :empresa AND clave = :cxc",
            empresa: self.empresa,
            cxc,
            saldo: opened.saldo,
            iva: opened.iva,
            ieps: opened.ieps,
        ))
        .await
    }

    async fn charged(&mut self, venta: i64) -> Result<Charged, StoreError> {
        // Imported payments have no entries, and imported sales may have no receivable.
        self.one(sql!(
            concat!("SELECT coalesce(sum(c.total), 0) AS total,
                    coalesce(sum(CASE WHEN c.clave IS NULL THEN v.total - v.saldo
                                      ELSE greatest(c.pagado - p.importe, 0) END), 0) AS antes,
                    coalesce(bool_or(c.moneda <> v.moneda), false) AS en_otra_moneda
             FROM ventas v
             LEFT JOIN cxc c ON c.empresa = v.empresa AND c.venta = v.clave AND c.estatus <> :cancelado
             CROSS JOIN LATERAL (SELECT ", posted_payments!(), " AS importe) p
             WHERE v.empresa = :empresa AND v.clave = :venta"),
            empresa: self.empresa,
            venta,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }

    async fn customer_balance(&mut self, cliente: i64, today: NaiveDate) -> Result<CustomerBalance, StoreError> {
        // Imported receivables may add up to more than a decimal holds; no credit limit is that
        // high.
        self.one(sql!(
            "SELECT least(round(coalesce(sum(saldo * tipo_cambio), 0), 6), 1e20) AS adeudo,
                    coalesce(bool_or(saldo > 0 AND vencimiento < :hoy), false) AS vencido
             FROM cxc
             WHERE empresa = :empresa AND estatus = :pendiente AND cliente = :cliente",
            empresa: self.empresa,
            cliente,
            hoy: today,
            pendiente: ReceivableStatus::Pendiente,
        ))
        .await
    }

    async fn lock_bank_account(&mut self, cuenta: i64) -> Result<Option<PaidAccount>, StoreError> {
        self.optional(sql!(
            "SELECT clave, estatus = :activo AS activa, moneda, saldo
             FROM cuentas_bancarias
             WHERE empresa = :empresa AND clave = :cuenta
             FOR NO KEY UPDATE",
            empresa: self.empresa,
            cuenta,
            activo: Status::Activo,
        ))
        .await
    }

    async fn open_bank_accounts(&mut self, opened: &[OpenedBankAccount], dia: NaiveDate) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE cuentas_bancarias c
             SET saldo = c.saldo + o.saldo, apertura = o.saldo, apertura_pesos = o.pesos, apertura_dia = :dia
             FROM unnest(:clave::bigint[], :saldo::numeric[], :pesos::numeric[]) AS o (clave, saldo, pesos)
             WHERE c.empresa = :empresa AND c.clave = o.clave",
            empresa: self.empresa,
            dia;
            for bank in opened { clave, saldo, pesos }
        ))
        .await
    }

    async fn earlier(&mut self, receipt: &BankReceipt<'_>) -> Result<Legacy, StoreError> {
        // One row for each deposit, or one without a deposit.
        let rows: Vec<Registered> = self
            .many(sql!(
                "SELECT p.pagado, d.clave, d.importe, d.aplicado
                 FROM (
                     SELECT EXISTS (
                         SELECT FROM cxc_pagos
                         WHERE empresa = :empresa AND cuenta_bancaria = :cuenta_bancaria AND fecha = :fecha
                           AND coalesce(monto, importe) = :importe AND referencia = :referencia AND NOT cancelado
                           AND origen = :origen
                     ) AS pagado
                 ) p
                 LEFT JOIN depositos d ON d.empresa = :empresa AND d.cuenta_bancaria = :cuenta_bancaria
                   AND d.fecha = :fecha AND (d.importe = :importe OR d.importe - d.aplicado = :importe)
                   AND d.referencia = :referencia AND NOT d.cancelado
                 ORDER BY d.clave",
                empresa: self.empresa,
                origen: PaymentOrigin::Deposito;
                from receipt { cuenta_bancaria, fecha, importe, referencia }
            ))
            .await?;
        Ok(Legacy {
            deposits: rows.iter().filter_map(Registered::deposit).collect(),
            payment: rows.iter().any(|row| row.pagado),
        })
    }

    async fn insert_deposit(
        &mut self,
        receipt: &BankReceipt<'_>,
        origen: DepositOrigin,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        self.value(sql!(
            "WITH numero AS (
                 INSERT INTO contadores AS c (empresa, serie, valor)
                 VALUES (:empresa, 'depositos', 1)
                 ON CONFLICT (empresa, serie) DO UPDATE SET valor = c.valor + excluded.valor
                 RETURNING valor
             ), cuenta AS (
                 UPDATE cuentas_bancarias
                 SET saldo = saldo + :importe
                 WHERE empresa = :empresa AND clave = :cuenta_bancaria
             )
             INSERT INTO depositos (
                 empresa, clave, cuenta_bancaria, fecha, importe, aplicado, referencia, creado, origen
             )
             SELECT :empresa, valor, :cuenta_bancaria, :fecha, :importe, :aplicado, :referencia, :ahora, :origen
             FROM numero
             RETURNING clave",
            empresa: self.empresa,
            aplicado: origen.applied(receipt.importe),
            ahora: now,
            origen: origen.word();
            from receipt { cuenta_bancaria, fecha, importe, referencia }
        ))
        .await
    }

    async fn deposit(&mut self, deposito: i64) -> Result<Option<NamedDeposit>, StoreError> {
        self.optional(sql!(
            "SELECT clave, cuenta_bancaria, fecha, importe, aplicado, referencia, cancelado
             FROM depositos
             WHERE empresa = :empresa AND clave = :deposito",
            empresa: self.empresa,
            deposito,
        ))
        .await
    }

    async fn cancel_deposit(&mut self, deposito: i64) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "WITH cancelado AS (
                 UPDATE depositos
                 SET cancelado = true
                 WHERE empresa = :empresa AND clave = :deposito AND NOT cancelado AND aplicado = 0
                 RETURNING cuenta_bancaria, importe
             )
             UPDATE cuentas_bancarias c
             SET saldo = c.saldo - d.importe
             FROM cancelado d
             WHERE c.empresa = :empresa AND c.clave = d.cuenta_bancaria",
            empresa: self.empresa,
            deposito,
        ))
        .await
    }

    async fn apply_deposit(&mut self, deposito: i64, importe: Money) -> Result<bool, StoreError> {
        self.changed_one(sql!(
            "UPDATE depositos
             SET aplicado = aplicado + :importe
             WHERE empresa = :empresa AND clave = :deposito AND NOT cancelado AND importe - aplicado >= :importe",
            empresa: self.empresa,
            deposito,
            importe,
        ))
        .await
    }

    async fn release_deposit(
        &mut self,
        deposito: i64,
        cuenta: i64,
        importe: Money,
    ) -> Result<Option<ReleasedDeposit>, StoreError> {
        // An imported payment may name a deposit of another account.
        let released: Option<Released> = self
            .optional(sql!(
                "WITH liberado AS (
                     UPDATE depositos
                     SET aplicado = greatest(aplicado - :importe, 0),
                         cancelado = origen = :pago AND aplicado <= :importe
                     WHERE empresa = :empresa AND clave = :deposito AND cuenta_bancaria = :cuenta AND NOT cancelado
                     RETURNING importe, cancelado, origen
                 ), cuenta AS (
                     UPDATE cuentas_bancarias c
                     SET saldo = c.saldo - l.importe
                     FROM liberado l
                     WHERE c.empresa = :empresa AND c.clave = :cuenta AND l.cancelado
                 )
                 SELECT cancelado,
                        origen = :pago OR EXISTS (
                            SELECT FROM polizas WHERE empresa = :empresa AND deposito = :deposito AND pago IS NULL
                        ) AS contabilizado
                 FROM liberado",
                empresa: self.empresa,
                deposito,
                cuenta,
                importe,
                pago: DepositOrigin::Pago.word(),
            ))
            .await?;
        Ok(released.map(Into::into))
    }
}
