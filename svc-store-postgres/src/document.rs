//! Tax documents, deflated: an XML takes a third of its bytes or less, and is read alone.

use async_trait::async_trait;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use sqlx::postgres::PgRow;
use sqlx::{Row as _, query};
use svc_core::domain::cfdi::TipoRelacion;
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::InvoiceStatus;
use svc_core::store::{DocumentTx, Related, StoreError, StoredDocument};

use crate::columns::word;
use crate::error::store_error;
use crate::transaction::PostgresTx;

/// How hard deflating tries, from 0 to 10; the usual.
const LEVEL: u8 = 6;

/// A record of the registry and its stamped document.
pub(crate) const OF_RECORD: &str = "SELECT f.estatus, x.xml FROM facturas f
     LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
     WHERE f.empresa = $1 AND f.clave = $2";

/// A text as it is stored.
pub(crate) fn deflated(text: &str) -> Vec<u8> {
    compress_to_vec_zlib(text.as_bytes(), LEVEL)
}

/// The text that was stored.
pub(crate) fn inflated(bytes: &[u8]) -> Result<String, sqlx::Error> {
    let bytes = decompress_to_vec_zlib(bytes).map_err(|error| sqlx::Error::Decode(error.to_string().into()))?;
    String::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.utf8_error().into()))
}

impl PostgresTx {
    async fn keep(&mut self, factura: i64, timbrado: bool, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        let query = query(
            "INSERT INTO facturas_xml (empresa, factura, timbrado, xml, guardado) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (empresa, factura) DO UPDATE SET
                 timbrado = excluded.timbrado, xml = excluded.xml, guardado = excluded.guardado
             WHERE NOT facturas_xml.timbrado",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(timbrado)
        .bind(deflated(xml))
        .bind(now.get());
        self.run(query).await
    }
}

#[async_trait]
impl DocumentTx for PostgresTx {
    async fn sealed_document(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let row = query("SELECT xml FROM facturas_xml WHERE empresa = $1 AND factura = $2 AND NOT timbrado")
            .bind(self.empresa)
            .bind(factura)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        row.map(|row: PgRow| inflated(row.try_get(0)?)).transpose().map_err(store_error)
    }

    async fn keep_sealed(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.keep(factura, false, xml, now).await
    }

    async fn keep_stamped(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.keep(factura, true, xml, now).await
    }

    async fn drop_sealed(&mut self, factura: i64) -> Result<(), StoreError> {
        let query = query("DELETE FROM facturas_xml WHERE empresa = $1 AND factura = $2 AND NOT timbrado")
            .bind(self.empresa)
            .bind(factura);
        self.run(query).await
    }

    async fn relate(&mut self, factura: i64, relacion: TipoRelacion, relacionada: i64) -> Result<(), StoreError> {
        let query = query(
            "INSERT INTO facturas_relaciones (empresa, factura, relacionada, tipo_relacion) VALUES ($1, $2, $3, $4)",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(relacionada)
        .bind(relacion.word());
        self.run(query).await
    }

    async fn related(&mut self, factura: i64) -> Result<Vec<Related>, StoreError> {
        let rows = query(
            "SELECT r.tipo_relacion, f.clave, f.estatus, f.uuid FROM facturas_relaciones r
             JOIN facturas f ON f.empresa = r.empresa AND f.clave = r.relacionada
             WHERE r.empresa = $1 AND r.factura = $2
             UNION ALL
             SELECT $3, r.clave, r.estatus, r.uuid FROM facturas f
             JOIN facturas r ON r.empresa = f.empresa AND r.clave = f.sustituye
             WHERE f.empresa = $1 AND f.clave = $2
             ORDER BY 1, 2",
        )
        .bind(self.empresa)
        .bind(factura)
        .bind(TipoRelacion::Sustitucion.word())
        .fetch_all(self.connection())
        .await
        .map_err(store_error)?;
        let read = |row: &PgRow| {
            Ok(Related {
                relacion: word(row, 0, TipoRelacion::of)?,
                factura: row.try_get(1)?,
                estatus: word(row, 2, InvoiceStatus::of)?,
                uuid: row.try_get(3)?,
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(store_error)
    }

    async fn hurry_related(&mut self, factura: i64) -> Result<(), StoreError> {
        let query = query(
            "UPDATE timbrados t SET proximo = t.creado FROM facturas_relaciones r
             WHERE r.empresa = $1 AND r.relacionada = $2 AND t.empresa = $1 AND t.factura = r.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now())",
        )
        .bind(self.empresa)
        .bind(factura);
        self.run(query).await
    }
}

/// A row of [`OF_RECORD`].
pub(crate) fn stored(row: &PgRow) -> Result<StoredDocument, sqlx::Error> {
    let xml: Option<&[u8]> = row.try_get(1)?;
    Ok(StoredDocument { estatus: word(row, 0, InvoiceStatus::of)?, xml: xml.map(inflated).transpose()? })
}
