//! The entries of stock movements without a sale or a purchase.

use chrono::NaiveDate;
use rust_decimal::Decimal;

use super::{Account, EntryError, EntryLine, LedgerEntry};
use crate::domain::money::Money;
use crate::domain::words::MovementKind;

impl MovementKind {
    /// The account on the other side of a movement captured by hand. `None` for a transfer, which
    /// changes no value, and for a shipment, whose goods an earlier movement took out.
    const fn contra(self) -> Option<Account> {
        match self {
            Self::Venta
            | Self::CancelacionVenta
            | Self::Devolucion
            | Self::DevolucionNotaCredito
            | Self::CancelacionNotaCredito
            | Self::OrdenServicio => Some(Account::CostoDeVenta),
            Self::Compra | Self::CancelacionCompra => Some(Account::Compras),
            Self::AjusteEntrada | Self::AjusteSalida | Self::Merma | Self::Produccion => {
                Some(Account::AjustesDeInventario)
            }
            Self::Registro | Self::SaldoInicial => Some(Account::Apertura),
            Self::TraspasoEntrada | Self::TraspasoSalida | Self::SalidaEmbarque => None,
        }
    }
}

/// The entry of a movement captured by hand, or of a count; `valor` is the change of the stock's
/// value, in pesos.
pub(crate) fn moved_entry(
    tipo: MovementKind,
    fecha: NaiveDate,
    valor: Decimal,
) -> Result<Option<LedgerEntry>, EntryError> {
    let Some(contra) = tipo.contra() else { return Ok(None) };
    let lines = [EntryLine::of(Account::Inventario, valor), EntryLine::of(contra, -valor)];
    LedgerEntry::new(format!("Inventario: {}", tipo.word()), fecha, lines)
}

/// The entry of goods that were sold below zero, once their cost is known: they cost `importe` less
/// than they left at, or more if it is negative.
pub(crate) fn cost_entry(fecha: NaiveDate, importe: Decimal) -> Result<Option<LedgerEntry>, EntryError> {
    let lines = [EntryLine::of(Account::Inventario, importe), EntryLine::of(Account::CostoDeVenta, -importe)];
    LedgerEntry::new("Ajuste del costo de lo vendido", fecha, lines)
}

/// The entry of delivered goods of an order: they become a cost once the order is owed.
pub(crate) fn handover_entry(venta: i64, fecha: NaiveDate, costo: Money) -> Result<Option<LedgerEntry>, EntryError> {
    let lines = [EntryLine::cargo(Account::Entregado, costo), EntryLine::abono(Account::Inventario, costo)];
    LedgerEntry::new(format!("Surtido del pedido {venta}"), fecha, lines)
}
