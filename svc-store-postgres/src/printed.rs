//! What printed documents show: letterheads, the remarks of sales, and tickets.

use std::str::FromStr;

use rust_decimal::Decimal;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use svc_core::domain::cfdi::printed::SaleRemarks;
use svc_core::domain::money::Money;
use svc_core::domain::paper::ticket::{SaleTicket, TicketLine};
use svc_core::domain::paper::{Letterhead, Logo};
use svc_core::domain::quantity::Quantity;
use svc_core::domain::text::printed_folio;
use svc_core::domain::words::SaleKind;
use svc_core::store::{PrintableDocument, StoreError, StoredDocument};

use crate::database::Single;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::xml::inflated_option;

from_row!(StoredDocument { clave: "factura", estatus, serie, folio, xml: (inflated_option("xml")?) });

from_row!(Letterhead {
    nombre,
    rfc,
    color: (parsed("color")),
    direccion,
    telefono,
    correo,
    web,
    logo: (stored_logo("logo")),
    prueba,
});

fn parsed<T: FromStr>(text: Option<&str>) -> Option<T> {
    text?.parse().ok()
}

fn stored_logo(png: Option<Vec<u8>>) -> Option<Logo> {
    png.and_then(Logo::stored)
}

impl FromRow for PrintableDocument {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let pedido: Option<i64> = row.read("pedido")?;
        let serie: Option<String> = row.read("pedido_serie")?;
        let remarks = SaleRemarks {
            vencimiento: row.read("vencimiento")?,
            pedido: pedido.map(|folio| printed_folio(serie.as_deref().unwrap_or_default(), folio)),
            referencia: row.read("referencia")?,
            comentarios: row.read("comentarios")?,
        };
        Ok(Self { document: FromRow::from_row(row)?, letterhead: FromRow::from_row(row)?, remarks })
    }
}

impl FromRow for SaleTicket {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let (serie, folio): (Option<String>, Option<i64>) = (row.read("serie")?, row.read("folio")?);
        Ok(Self {
            letterhead: FromRow::from_row(row)?,
            tipo: row.read("tipo")?,
            folio: folio.map(|folio| printed_folio(serie.as_deref().unwrap_or_default(), folio)),
            fecha: row.read("fecha")?,
            cp: row.read("cp")?,
            sucursal: row.read("sucursal")?,
            cliente: row.read("cliente")?,
            vendedor: row.read("vendedor")?,
            moneda: row.read("moneda")?,
            subtotal: row.read("subtotal")?,
            descuento: row.read("descuento")?,
            impuestos: row.read("impuestos")?,
            retenciones: row.read("retenciones")?,
            total: row.read("total")?,
            saldo: row.read("saldo")?,
            forma_pago_sat: row.read("forma_pago_sat")?,
            cancelada: row.read("cancelada")?,
            referencia: row.read("referencia")?,
            comentarios: row.read("comentarios")?,
            uuid: row.read("uuid")?,
            renglones: lines(row)?,
        })
    }
}

/// The lines of a sale, which its row has as arrays.
fn lines(row: &PgRow) -> Result<Vec<TicketLine>, sqlx::Error> {
    let texts: Vec<String> = row.read("descripciones")?;
    let [quantities, prices, sums] = ["cantidades", "precios", "subtotales"].map(|name| row.try_get(name));
    let (quantities, prices, sums): (Vec<Decimal>, Vec<Decimal>, Vec<Decimal>) = (quantities?, prices?, sums?);
    let amounts = quantities.into_iter().zip(prices).zip(sums);
    let line = |(descripcion, ((cantidad, precio), subtotal))| TicketLine {
        descripcion,
        cantidad: Quantity::new(cantidad),
        precio_unitario: Money::new(precio),
        subtotal: Money::new(subtotal),
    };
    Ok(texts.into_iter().zip(amounts).map(line).collect())
}

/// A stamped document with its company's letterhead and what its sale says. A due date is shown of
/// the sale's present invoice alone.
pub(crate) async fn document(
    mut database: Single<'_>,
    empresa: i64,
    factura: i64,
) -> Result<Option<PrintableDocument>, StoreError> {
    database
        .optional(sql!(
            "SELECT f.clave AS factura, f.estatus, f.serie, f.folio, x.xml,
                    e.nombre, e.rfc, e.color, e.direccion, e.telefono, e.correo, e.web, e.logo, e.prueba,
                    CASE WHEN v.factura = f.clave AND NOT v.cancelada THEN v.vencimiento END AS vencimiento,
                    v.referencia, v.comentarios, p.folio AS pedido, p.serie AS pedido_serie
             FROM facturas f
             JOIN empresas e ON e.empresa = f.empresa
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             LEFT JOIN ventas v ON v.empresa = f.empresa AND v.clave = f.venta AND f.tipo = 'factura'
             LEFT JOIN ventas_previas p ON p.empresa = f.empresa AND p.factura = f.clave AND p.tipo = :pedido
             WHERE f.empresa = :empresa AND f.clave = :factura",
            empresa,
            factura,
            pedido: SaleKind::Pedido,
        ))
        .await
}

/// A sales document as its ticket shows it.
pub(crate) async fn ticket(
    mut database: Single<'_>,
    empresa: i64,
    venta: i64,
) -> Result<Option<SaleTicket>, StoreError> {
    database
        .optional(sql!(
            "SELECT v.tipo, v.serie, v.folio, v.fecha, coalesce(s.cp, e.cp) AS cp, s.nombre AS sucursal,
                    c.nombre AS cliente, u.nombre AS vendedor, v.moneda, v.subtotal, v.descuento, v.impuestos,
                    v.retenciones, v.total, v.saldo, v.forma_pago_sat, v.cancelada, v.referencia, v.comentarios,
                    v.uuid, r.descripciones, r.cantidades, r.precios, r.subtotales,
                    e.nombre, e.rfc, e.color, e.direccion, e.telefono, e.correo, e.web, e.logo, e.prueba
             FROM ventas v
             JOIN empresas e ON e.empresa = v.empresa
             JOIN sucursales s ON s.empresa = v.empresa AND s.clave = v.sucursal
             LEFT JOIN clientes c ON c.empresa = v.empresa AND c.clave = v.cliente
             LEFT JOIN usuarios u ON u.empresa = v.empresa AND u.clave = v.vendedor
             CROSS JOIN LATERAL (
                 SELECT coalesce(
                            array_agg(coalesce(l.descripcion, l.sku, '') ORDER BY l.renglon),
                            '{}'
                        ) AS descripciones,
                        coalesce(array_agg(l.cantidad ORDER BY l.renglon), '{}') AS cantidades,
                        coalesce(array_agg(l.precio_unitario ORDER BY l.renglon), '{}') AS precios,
                        coalesce(array_agg(l.subtotal ORDER BY l.renglon), '{}') AS subtotales
                 FROM ventas_renglones l
                 WHERE l.empresa = v.empresa AND l.venta = v.clave
             ) r
             WHERE v.empresa = :empresa AND v.clave = :venta",
            empresa,
            venta,
        ))
        .await
}
