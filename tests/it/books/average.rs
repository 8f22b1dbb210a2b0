//! Weighted average cost in other words than the product's: it reads what moved, computes what that
//! costs, and compares.

use std::collections::BTreeMap;

use rust_decimal::{Decimal, RoundingStrategy};
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use svc_tests::Company;

/// What the model knows of a product.
#[derive(Debug, Clone, Default)]
struct Pile {
    /// Below zero if more was sold than there was.
    units: Decimal,
    pesos: Decimal,
    /// What one unit cost after the last that came, once any did.
    last: Option<Decimal>,
}

/// A model of a company's stock.
#[derive(Debug, Default)]
pub(crate) struct Average {
    piles: BTreeMap<i64, Pile>,
    seen: i64,
}

#[derive(Debug)]
struct Moved {
    clave: i64,
    producto: i64,
    tipo: String,
    cantidad: Decimal,
    mas: Decimal,
    costo_unitario: Decimal,
    importe: Decimal,
    costo: Decimal,
    /// What had left of the same sale, product and warehouse and had not come back.
    fuera: Option<Decimal>,
    fuera_importe: Option<Decimal>,
}

const NEW: &str = "
    SELECT m.clave, m.producto, m.tipo, m.cantidad, m.existencia_actual - m.existencia_anterior AS mas,
           m.costo_unitario, m.importe, p.costo, f.cantidad AS fuera, f.importe AS fuera_importe
    FROM movimientos_inventario m
    JOIN productos p ON p.empresa = $1 AND p.clave = m.producto
    LEFT JOIN LATERAL (
        SELECT sum(x.signo * x.cantidad) AS cantidad, sum(x.signo * x.importe) AS importe
        FROM (SELECT CASE WHEN e.tipo IN ('venta', 'cancelacion_nota_credito') THEN 1 ELSE -1 END AS signo, e.*
              FROM movimientos_inventario e
              WHERE e.empresa = $1 AND e.venta = m.venta AND e.producto = m.producto AND e.almacen = m.almacen
                AND e.clave < m.clave) x
    ) f ON m.tipo IN ('devolucion', 'devolucion_nota_credito')
    WHERE m.empresa = $1 AND m.clave > $2
    ORDER BY m.clave";

fn cents(exact: Decimal) -> Decimal {
    exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

impl Moved {
    fn read(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            clave: row.try_get("clave")?,
            producto: row.try_get("producto")?,
            tipo: row.try_get("tipo")?,
            cantidad: row.try_get("cantidad")?,
            mas: row.try_get("mas")?,
            costo_unitario: row.try_get("costo_unitario")?,
            importe: row.try_get("importe")?,
            costo: row.try_get("costo")?,
            fuera: row.try_get("fuera")?,
            fuera_importe: row.try_get("fuera_importe")?,
        })
    }
}

impl Pile {
    /// Remembers what one unit costs now.
    fn remember(&mut self) {
        if self.units > Decimal::ZERO {
            let one = self.pesos / self.units;
            self.last = Some(one.round_dp_with_strategy(6, RoundingStrategy::MidpointAwayFromZero));
        }
    }

    /// Takes units; returns what they cost.
    fn take(&mut self, units: Decimal, own: Decimal) -> Decimal {
        let one = self.last.unwrap_or(own);
        let cost = if self.units <= Decimal::ZERO {
            cents(units * one)
        } else if units < self.units {
            cents(self.pesos * units / self.units)
        } else {
            self.pesos + cents((units - self.units) * one)
        };
        self.units -= units;
        self.pesos -= cost;
        cost
    }

    /// Puts units whose price is known.
    fn put(&mut self, units: Decimal, cost: Decimal, one: Decimal) {
        let owed = -self.units;
        if owed <= Decimal::ZERO {
            self.pesos += cost;
        } else if units < owed {
            self.pesos += cents(-self.pesos * units / owed);
        } else {
            self.pesos = cost - cents(cost * owed / units);
        }
        self.units += units;
        self.last = Some(one);
        self.remember();
    }

    /// Puts units without saying what they cost; returns their cost.
    fn find(&mut self, units: Decimal, own: Decimal) -> Decimal {
        let one = self.last.unwrap_or(own);
        let (before, owed) = (self.pesos, -self.units);
        self.units += units;
        if owed < Decimal::ZERO {
            self.pesos += cents(before * units / -owed);
        } else if units < owed {
            self.pesos += cents(-before * units / owed);
        } else {
            self.pesos = cents((units - owed) * one);
        }
        self.remember();
        self.pesos - before
    }
}

impl Average {
    /// Reads what moved since the last time, and compares the values of all products.
    pub(crate) async fn check(&mut self, company: &Company) {
        let pool = company.world.pool();
        let moved = sqlx::query(NEW).bind(company.id.0).bind(self.seen).fetch_all(pool).await.expect("movements");
        let moved: Vec<Moved> = moved.iter().map(|row| Moved::read(row).expect("a movement")).collect();
        if moved.is_empty() {
            return;
        }
        for movement in &moved {
            self.follow(movement);
        }
        let said: Vec<(i64, Decimal, Decimal)> =
            sqlx::query_as("SELECT producto, existencia, valor FROM costos WHERE empresa = $1 ORDER BY producto")
                .bind(company.id.0)
                .fetch_all(pool)
                .await
                .expect("values");
        for (producto, existencia, valor) in &said {
            let pile = self.piles.get(producto).cloned().unwrap_or_default();
            assert_eq!((pile.units, pile.pesos), (*existencia, *valor), "product {producto} after {moved:?}");
        }
        let booked: Option<Decimal> = sqlx::query_scalar(
            "SELECT sum(cargo - abono) FROM polizas_renglones WHERE empresa = $1 AND coalesce(codigo, cuenta) = '115.01'",
        )
        .bind(company.id.0)
        .fetch_one(pool)
        .await
        .expect("a sum");
        let worth: Decimal = self.piles.values().map(|pile| pile.pesos).sum();
        assert_eq!(booked.unwrap_or_default(), worth, "account 115.01 after {moved:?}");
    }

    fn follow(&mut self, moved: &Moved) {
        self.seen = moved.clave;
        let pile = self.piles.entry(moved.producto).or_default();
        let expected = match &*moved.tipo {
            "traspaso_salida" | "traspaso_entrada" | "salida_embarque" => return,
            "compra" => {
                let cost = cents(moved.cantidad * moved.costo_unitario);
                pile.put(moved.cantidad, cost, moved.costo_unitario);
                cost
            }
            "ajuste_entrada" => pile.find(moved.mas, moved.costo),
            "devolucion" | "devolucion_nota_credito" => {
                let (units, cost) = (moved.fuera.unwrap_or_default(), moved.fuera_importe.unwrap_or_default());
                let cost = cents(cost * moved.cantidad / units);
                pile.put(moved.cantidad, cost, moved.costo_unitario);
                cost
            }
            // That all of a cancelled sale comes back at what it left at is one of the rules.
            "cancelacion_venta" => {
                pile.put(moved.cantidad, moved.importe, moved.costo_unitario);
                moved.importe
            }
            "venta" | "ajuste_salida" | "cancelacion_nota_credito" => pile.take(-moved.mas, moved.costo),
            other => panic!("the random business makes no {other}"),
        };
        assert_eq!(moved.importe, expected, "{moved:?}");
    }
}
