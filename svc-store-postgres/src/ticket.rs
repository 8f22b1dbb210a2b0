//! Tickets in global invoices, and goods that came back.

use async_trait::async_trait;
use svc_core::domain::credit_note::{CreditLine, Credited};
use svc_core::domain::money::Money;
use svc_core::domain::quantity::Quantity;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::{InvoiceKind, InvoiceStatus, MovementKind, ReceivableStatus};
use svc_core::store::{NewReturn, StoreError, TicketTx};

use crate::fragment::has_imported_note;
use crate::row::from_row;
use crate::run::Run as _;
use crate::sale::SaleNumber;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row! {
    struct ReturnedOf { venta: i64, renglon: i64, cantidad: Quantity, base: Money }
}

from_row! {
    struct UndecidedNote { clave: i64, estatus: InvoiceStatus }
}

/// A line of a return as it is stored.
struct ReturnedLine {
    renglon: i64,
    cantidad: Quantity,
    base: Money,
}

impl ReturnedLine {
    fn of(line: &CreditLine) -> Self {
        let base = line.amounts.subtotal.get() - line.amounts.descuento.get();
        Self { renglon: line.renglon, cantidad: line.acreditada, base: Money::new(base) }
    }
}

#[async_trait]
impl TicketTx for PostgresTx {
    async fn ticket_folio(&mut self, clave: i64) -> Result<Option<String>, StoreError> {
        let number: Option<SaleNumber> = self
            .optional(sql!(
                "SELECT serie, coalesce(folio, clave) AS numero
                 FROM ventas
                 WHERE empresa = :empresa AND clave = :clave",
                empresa: self.empresa,
                clave,
            ))
            .await?;
        Ok(number.map(|number| number.printed()))
    }

    async fn next_return(&mut self) -> Result<i64, StoreError> {
        self.next("devoluciones", 1).await
    }

    async fn insert_return(&mut self, row: &NewReturn<'_>, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO devoluciones (empresa, clave, venta, total, pago, poliza, creado)
             VALUES (:empresa, :clave, :venta, :total, :pago, :poliza, :creado)",
            empresa: self.empresa,
            creado: now;
            from row { clave, venta, total, pago, poliza }
        ))
        .await?;
        let lines: Vec<ReturnedLine> = row.lines.iter().map(ReturnedLine::of).collect();
        self.run(sql!(
            "INSERT INTO devoluciones_renglones (empresa, devolucion, renglon, cantidad, base)
             SELECT :empresa, :devolucion, renglon, cantidad, base
             FROM unnest(:renglon::bigint[], :cantidad::numeric[], :base::numeric[]) AS r (renglon, cantidad, base)",
            empresa: self.empresa,
            devolucion: row.clave;
            for line in lines { renglon, cantidad, base }
        ))
        .await
    }

    async fn returned(&mut self, ventas: &[i64]) -> Result<Vec<(i64, i64, Credited)>, StoreError> {
        let lines = self.many(sql!(
            "SELECT venta, renglon, sum(cantidad) AS cantidad, sum(base) AS base
             FROM (
                 SELECT n.venta, r.renglon, r.acreditada AS cantidad, r.subtotal - r.descuento AS base
                 FROM notas_credito n
                 JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
                 JOIN facturas_relaciones x ON x.empresa = n.empresa AND x.factura = n.factura
                 JOIN facturas_globales g ON g.empresa = x.empresa AND g.factura = x.relacionada
                 JOIN notas_credito_renglones r ON r.empresa = n.empresa AND r.factura = n.factura
                 WHERE n.empresa = :empresa AND n.venta = ANY (:ventas) AND n.anticipo IS NULL AND n.ticket IS NULL
                   AND f.estatus <> :cancelada
                 UNION ALL
                 SELECT d.venta, r.renglon, r.cantidad, r.base
                 FROM devoluciones d
                 JOIN devoluciones_renglones r ON r.empresa = d.empresa AND r.devolucion = d.clave
                 WHERE d.empresa = :empresa AND d.venta = ANY (:ventas)
             ) c
             GROUP BY venta, renglon",
            empresa: self.empresa,
            ventas,
            cancelada: InvoiceStatus::Cancelada,
        ));
        let of = |line: ReturnedOf| (line.venta, line.renglon, Credited { cantidad: line.cantidad, base: line.base });
        Ok(lines.await?.into_iter().map(of).collect())
    }

    async fn imported_returns(&mut self, ventas: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.values(sql!(
            concat!("SELECT v.clave
             FROM unnest(:ventas::bigint[]) AS v (clave)
             WHERE 0 < (
                     SELECT coalesce(sum(CASE WHEN m.tipo = :deshecha THEN -m.cantidad ELSE m.cantidad END), 0)
                     FROM movimientos_inventario m
                     WHERE m.empresa = :empresa AND m.venta = v.clave AND m.tipo IN (:devolucion, :de_nota, :deshecha)
                       AND m.valor IS NULL
                 )
                OR ", has_imported_note!(), "
             ORDER BY v.clave"),
            empresa: self.empresa,
            ventas,
            deshecha: MovementKind::CancelacionNotaCredito,
            devolucion: MovementKind::Devolucion,
            de_nota: MovementKind::DevolucionNotaCredito,
            nota_credito: InvoiceKind::NotaCredito,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn has_notes_about(&mut self, factura: i64) -> Result<bool, StoreError> {
        self.value(sql!(
            "SELECT EXISTS (
                 SELECT FROM facturas_relaciones r
                 JOIN facturas f ON f.empresa = r.empresa AND f.clave = r.factura
                 WHERE r.empresa = :empresa AND r.relacionada = :factura AND f.tipo = :nota_credito
                   AND f.estatus <> :cancelada
             )",
            empresa: self.empresa,
            factura,
            nota_credito: InvoiceKind::NotaCredito,
            cancelada: InvoiceStatus::Cancelada,
        ))
        .await
    }

    async fn undecided_note(
        &mut self,
        factura: i64,
        venta: Option<i64>,
    ) -> Result<Option<(i64, InvoiceStatus)>, StoreError> {
        let note = self.optional(sql!(
            "SELECT f.clave, f.estatus
             FROM facturas_relaciones r
             JOIN notas_credito n ON n.empresa = r.empresa AND n.factura = r.factura
             JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
             WHERE r.empresa = :empresa AND r.relacionada = :factura AND n.venta = coalesce(:venta, n.venta)
               AND (f.estatus IN (:en_espera, :error)
                    OR f.estatus = :vigente AND f.cancelacion_solicitada IS NOT NULL)
             ORDER BY n.factura
             LIMIT 1",
            empresa: self.empresa,
            factura,
            venta,
            en_espera: InvoiceStatus::EnEspera,
            error: InvoiceStatus::Error,
            vigente: InvoiceStatus::Vigente,
        ));
        Ok(note.await?.map(|UndecidedNote { clave, estatus }| (clave, estatus)))
    }

    async fn unstamped_ticket_note(&mut self, venta: i64) -> Result<Option<i64>, StoreError> {
        self.optional_value(sql!(
            "SELECT n.factura
             FROM notas_credito n
             JOIN facturas f ON f.empresa = n.empresa AND f.clave = n.factura
             WHERE n.empresa = :empresa AND n.venta = :venta AND n.ticket IS NOT NULL
               AND f.estatus IN (:en_espera, :error)
             ORDER BY n.factura
             LIMIT 1",
            empresa: self.empresa,
            venta,
            en_espera: InvoiceStatus::EnEspera,
            error: InvoiceStatus::Error,
        ))
        .await
    }

    async fn make_ticket_invoice_due(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados t
             SET proximo = t.creado
             FROM notas_credito n
             JOIN ventas v ON v.empresa = :empresa AND v.clave = n.venta
             WHERE n.empresa = :empresa AND n.factura = :factura AND n.ticket IS NOT NULL
               AND t.empresa = :empresa AND t.factura = v.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now())",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn return_to_global(
        &mut self,
        venta: i64,
        factura: i64,
        uuid: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.run(sql!(
            "WITH cuentas AS (
                 UPDATE cxc
                 SET factura = :factura, uuid = :uuid, modificado = :ahora
                 WHERE empresa = :empresa AND venta = :venta AND estatus <> :cancelado
             )
             UPDATE ventas
             SET factura = :factura, uuid = :uuid, modificado = :ahora
             WHERE empresa = :empresa AND clave = :venta",
            empresa: self.empresa,
            venta,
            factura,
            uuid,
            ahora: now,
            cancelado: ReceivableStatus::Cancelado,
        ))
        .await
    }
}
