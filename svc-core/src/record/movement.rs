//! The ledger of stock (kardex): `/movimientos-inventario`.

use serde::Serialize;

use super::filter::{choice, exact, integer};
use super::{FromValue, Kind, List, ListSpec, PageSizes, Value, record};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::scope::Scope;
use crate::domain::time::Timestamp;
use crate::domain::words::{Direction, MovementKind};
use crate::json::Text;
use crate::schema::field_schema;

/// Shown for a stored word that is no kind.
const UNKNOWN: &str = "desconocido";

/// The kind of a movement as it was stored: `None` for a word that is no kind, which is shown as
/// `desconocido` (spec, "Inventory movement").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenKind(pub Option<MovementKind>);

impl FromValue for WrittenKind {
    const KIND: Kind = Kind::Text;
    type Shown<'r> = Self;

    fn shown(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self(MovementKind::parse(&text))),
            _ => None,
        }
    }

    fn of(shown: Self) -> Self {
        shown
    }
}

impl Serialize for WrittenKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.map_or(UNKNOWN, MovementKind::word))
    }
}

/// The words that lists show.
fn words() -> Vec<&'static str> {
    [MovementKind::WORDS, &[UNKNOWN]].concat()
}

field_schema!(WrittenKind, "WrittenKind", {
    "type": "string", "enum": words()
});

record! {
    /// A movement of stock (spec, "Inventory movement"; contract §3).
    pub struct Movement in "movimientos_inventario" {
        clave: i64 { list, import: Option<i64> },
        fecha: Timestamp { list, import: Option<Timestamp> },
        tipo: WrittenKind { list, import: Text<50> },
        sentido { list: Option<Direction> = tipo.0.and_then(MovementKind::direction), unstored: Option<Direction> },
        producto: Option<i64> { list, import: Option<i64> },
        sku: Option<String> { list, import: Option<Text<100>> },
        cantidad: Quantity { list, import: Quantity },
        existencia_anterior: Quantity { list, import: Option<Quantity> },
        existencia_actual: Quantity { list, import: Option<Quantity> },
        almacen: String { list, import: Text<100> },
        almacen_destino: Option<String> { list, import: Option<Text<100>> },
        venta: Option<i64> { list, import: Option<i64> },
        compra: Option<i64> { list, import: Option<i64> },
        costo_unitario: Option<Money> { list, import: Option<Money> },
        importe: Option<Money> { list, import: Option<Money> },
        referencia: Option<String> { list, import: Option<Text<100>> },
    }
    import MovementImport;
}

impl List for Movement {
    const LIST: ListSpec = ListSpec::new::<Self>("/movimientos-inventario", Scope::KardexRead, PageSizes::Legacy)
        .filters(&[integer("clave"), exact("sku"), integer("venta"), choice("tipo", MovementKind::WORDS)])
        .requires(&["sku", "venta", "clave"]);
}
