//! Tax documents, deflated: an XML takes a third of its bytes or less, and is read alone.

use async_trait::async_trait;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use sqlx::postgres::PgRow;
use svc_core::domain::cfdi::TipoRelacion;
use svc_core::domain::time::Timestamp;
use svc_core::store::{DocumentTx, Related, StoreError, StoredDocument};

use crate::database::Single;
use crate::error::store_error;
use crate::row::{FromRow, ReadColumn as _, from_row};
use crate::run::Run as _;
use crate::sql::sql;
use crate::transaction::PostgresTx;

from_row!(Related { relacion: "tipo_relacion", factura: "clave", estatus, uuid });

impl FromRow for StoredDocument {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let xml: Option<Vec<u8>> = row.read("xml")?;
        Ok(Self { estatus: row.read("estatus")?, xml: xml.as_deref().map(inflated).transpose()? })
    }
}

/// How hard deflating tries, from 0 to 10; the usual.
const LEVEL: u8 = 6;

/// A text as it is stored.
pub(crate) fn deflated(text: &str) -> Vec<u8> {
    compress_to_vec_zlib(text.as_bytes(), LEVEL)
}

/// The text that was stored.
pub(crate) fn inflated(bytes: &[u8]) -> Result<String, sqlx::Error> {
    let bytes = decompress_to_vec_zlib(bytes).map_err(|error| sqlx::Error::Decode(error.to_string().into()))?;
    String::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.utf8_error().into()))
}

/// Reads a record of the registry and its stamped document.
pub(crate) async fn read_document(
    mut database: Single<'_>,
    empresa: i64,
    factura: i64,
) -> Result<Option<StoredDocument>, StoreError> {
    database
        .optional(sql!(
            "SELECT f.estatus, x.xml
             FROM facturas f
             LEFT JOIN facturas_xml x ON x.empresa = f.empresa AND x.factura = f.clave AND x.timbrado
             WHERE f.empresa = :empresa AND f.clave = :factura",
            empresa,
            factura,
        ))
        .await
}

impl PostgresTx {
    async fn keep(&mut self, factura: i64, timbrado: bool, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO facturas_xml AS x (empresa, factura, timbrado, xml, guardado)
             VALUES (:empresa, :factura, :timbrado, :xml, :guardado)
             ON CONFLICT (empresa, factura) DO UPDATE
             SET timbrado = excluded.timbrado, xml = excluded.xml, guardado = excluded.guardado
             WHERE NOT x.timbrado",
            empresa: self.empresa,
            factura,
            timbrado,
            xml: deflated(xml),
            guardado: now,
        ))
        .await
    }
}

#[async_trait]
impl DocumentTx for PostgresTx {
    async fn sealed_document(&mut self, factura: i64) -> Result<Option<String>, StoreError> {
        let xml: Option<Vec<u8>> = self
            .optional_value(sql!(
                "SELECT xml
                 FROM facturas_xml
                 WHERE empresa = :empresa AND factura = :factura AND NOT timbrado",
                empresa: self.empresa,
                factura,
            ))
            .await?;
        xml.as_deref().map(inflated).transpose().map_err(store_error)
    }

    async fn keep_sealed(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.keep(factura, false, xml, now).await
    }

    async fn keep_stamped(&mut self, factura: i64, xml: &str, now: Timestamp) -> Result<(), StoreError> {
        self.keep(factura, true, xml, now).await
    }

    async fn drop_sealed(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "DELETE FROM facturas_xml
             WHERE empresa = :empresa AND factura = :factura AND NOT timbrado",
            empresa: self.empresa,
            factura,
        ))
        .await
    }

    async fn relate(&mut self, factura: i64, relacion: TipoRelacion, relacionada: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "INSERT INTO facturas_relaciones (empresa, factura, relacionada, tipo_relacion)
             VALUES (:empresa, :factura, :relacionada, :relacion)",
            empresa: self.empresa,
            factura,
            relacionada,
            relacion,
        ))
        .await
    }

    async fn related(&mut self, factura: i64) -> Result<Vec<Related>, StoreError> {
        self.many(sql!(
            "SELECT r.tipo_relacion, f.clave, f.estatus, f.uuid
             FROM facturas_relaciones r
             JOIN facturas f ON f.empresa = r.empresa AND f.clave = r.relacionada
             WHERE r.empresa = :empresa AND r.factura = :factura
             UNION ALL
             SELECT :sustitucion, r.clave, r.estatus, r.uuid
             FROM facturas f
             JOIN facturas r ON r.empresa = f.empresa AND r.clave = f.sustituye
             WHERE f.empresa = :empresa AND f.clave = :factura
             ORDER BY tipo_relacion, clave",
            empresa: self.empresa,
            factura,
            sustitucion: TipoRelacion::Sustitucion,
        ))
        .await
    }

    async fn hurry_related(&mut self, factura: i64) -> Result<(), StoreError> {
        self.run(sql!(
            "UPDATE timbrados t
             SET proximo = t.creado
             FROM facturas_relaciones r
             WHERE r.empresa = :empresa AND r.relacionada = :factura AND t.empresa = :empresa AND t.factura = r.factura
               AND (t.arrendado IS NULL OR t.arrendado <= now())",
            empresa: self.empresa,
            factura,
        ))
        .await
    }
}
