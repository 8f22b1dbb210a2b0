use async_trait::async_trait;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Postgres, Row};
use svc_core::api::clientes::{Customer, CustomerFilter, Customers};
use svc_core::backoffice::import::CustomerRecord;
use svc_core::domain::customer::{CustomerData, DEFAULT_COUNTRY};
use svc_core::domain::text::{clean_phone, normalise_email, tidy_emails};
use svc_core::domain::time::Timestamp;
use svc_core::domain::words::Platform;
use svc_core::operation::Query;
use svc_core::store::{Buyer, CustomerTx, ListReader, NewCustomerRow, StoreError};

use crate::columns::{instant_or_null, money};
use crate::copy::Copy;
use crate::error::store_error;
use crate::page::Page;
use crate::reader::PostgresReader;
use crate::transaction::PostgresTx;

const SELECT: &str = "SELECT clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a, \
                      id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado \
                      FROM clientes";

fn customer(row: &PgRow) -> Result<Customer, sqlx::Error> {
    Ok(Customer {
        clave: row.try_get(0)?,
        folio: row.try_get(1)?,
        nombre: row.try_get(2)?,
        razon_social: row.try_get(3)?,
        rfc: row.try_get(4)?,
        correo: row.try_get(5)?,
        telefono: row.try_get(6)?,
        movil: row.try_get(7)?,
        prospecto: row.try_get(8)?,
        id_platform_a: row.try_get(9)?,
        id_platform_b: row.try_get(10)?,
        id_platform_c: row.try_get(11)?,
        id_platform_d: row.try_get(12)?,
        id_platform_e: row.try_get(13)?,
        publico: row.try_get(14)?,
        proximo_contacto: row.try_get(15)?,
        modificado: instant_or_null(row, 16)?,
    })
}

#[async_trait]
impl ListReader<Customers> for PostgresReader<'_> {
    async fn page(&self, query: &Query<CustomerFilter>) -> Result<Vec<Customer>, StoreError> {
        use CustomerFilter as F;
        let mut page = Page::new(SELECT, "", self.empresa);
        for filter in &query.filters {
            match filter {
                F::Clave(clave) => page.compare("clave = ", clave),
                F::Folio(folio) => page.compare("folio = ", folio),
                F::Correo(correo) => page.compare("correo_comparable = ", correo),
                F::Telefono(telefono) => page.compare("telefono_comparable = ", telefono),
                F::Movil(movil) => page.compare("movil_comparable = ", movil),
                F::Rfc(rfc) => page.compare("rfc = ", rfc),
                F::Prospecto(prospecto) => page.compare("prospecto = ", prospecto),
                F::Publico(publico) => page.compare("publico = ", publico),
                F::IdPlatformA(id) => page.compare("id_platform_a = ", id),
                F::IdPlatformB(id) => page.compare("id_platform_b = ", id),
                F::IdPlatformC(id) => page.compare("id_platform_c = ", id),
                F::IdPlatformD(id) => page.compare("id_platform_d = ", id),
                F::IdPlatformE(id) => page.compare("id_platform_e = ", id),
                F::UsoCfdi(uso) => page.compare("uso_cfdi = ", uso),
                F::ModificadoDesde(from) => page.compare("modificado >= ", from),
                F::ProximoContactoDesde(from) => page.compare("proximo_contacto >= ", from),
                F::ProximoContactoHasta(until) => page.compare("proximo_contacto <= ", until),
            }
        }
        page.fetch(self, query, customer).await
    }
}

#[async_trait]
impl CustomerTx for PostgresTx {
    async fn insert_customer(&mut self, row: &NewCustomerRow<'_>) -> Result<i64, StoreError> {
        let clave = self.next("clientes", 1).await?;
        let statement = "INSERT INTO clientes (empresa, clave, folio, nombre, razon_social, rfc, regimen, uso_cfdi, cp, correo, telefono,
                                   movil, calle, colonia, pais, modificado, correo_comparable, telefono_comparable,
                                   movil_comparable, prospecto, vendedor, mensaje)
             VALUES ($1, $2::bigint, $2::bigint::text, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                     $19, $20, $21)";
        written(statement, self.empresa, clave, row.data, row.creado)
            .bind(row.prospecto)
            .bind(row.vendedor)
            .bind(row.mensaje)
            .execute(self.connection())
            .await
            .map_err(store_error)?;
        Ok(clave)
    }

    async fn customer(&mut self, clave: i64) -> Result<Option<CustomerData>, StoreError> {
        let row = sqlx::query(
            "SELECT nombre, razon_social, rfc, regimen, uso_cfdi, cp, correo, telefono, movil, calle, colonia, pais
             FROM clientes WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE",
        )
        .bind(self.empresa)
        .bind(clave)
        .fetch_optional(self.connection())
        .await
        .map_err(store_error)?;
        row.as_ref().map(customer_data).transpose().map_err(store_error)
    }

    async fn buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        let statement = "SELECT rfc, regimen, uso_cfdi, cp, lista, dias_credito::bigint, limite_credito
             FROM clientes WHERE empresa = $1 AND clave = $2";
        self.read_buyer(statement, clave).await
    }

    async fn lock_buyer(&mut self, clave: i64) -> Result<Option<Buyer>, StoreError> {
        let statement = "SELECT rfc, regimen, uso_cfdi, cp, lista, dias_credito::bigint, limite_credito
             FROM clientes WHERE empresa = $1 AND clave = $2 FOR NO KEY UPDATE";
        self.read_buyer(statement, clave).await
    }

    async fn update_customer(
        &mut self,
        clave: i64,
        data: &CustomerData,
        modificado: Timestamp,
    ) -> Result<(), StoreError> {
        let statement = "UPDATE clientes SET nombre = $3, razon_social = $4, rfc = $5, regimen = $6, uso_cfdi = $7, cp = $8, correo = $9,
                 telefono = $10, movil = $11, calle = $12, colonia = $13, pais = $14, modificado = $15,
                 correo_comparable = $16, telefono_comparable = $17, movil_comparable = $18
             WHERE empresa = $1 AND clave = $2";
        written(statement, self.empresa, clave, data, modificado)
            .execute(self.connection())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn import_customers(&mut self, rows: &[CustomerRecord], now: Timestamp) -> Result<(), StoreError> {
        let claves = self.claves("clientes", rows.iter().map(|row| row.clave)).await?;
        let mut copy = Copy::default();
        for (row, clave) in rows.iter().zip(claves) {
            copy.value(self.empresa).value(clave);
            copy.value(row.folio.as_deref().map_or_else(|| clave.to_string(), str::to_owned));
            copy.optional(row.nombre.as_deref()).optional(row.razon_social.as_deref()).optional(row.rfc.as_deref());
            copy.optional(row.correo.as_deref().map(tidy_emails));
            copy.optional(row.telefono.as_deref()).optional(row.movil.as_deref());
            copy.value(row.prospecto.unwrap_or(false));
            for id in
                [&row.id_platform_a, &row.id_platform_b, &row.id_platform_c, &row.id_platform_d, &row.id_platform_e]
            {
                copy.optional(id.as_deref());
            }
            copy.value(row.publico.unwrap_or(false)).optional(row.proximo_contacto.map(|date| date.0));
            copy.value(row.modificado.unwrap_or(now)).optional(row.regimen).optional(row.uso_cfdi.as_deref());
            copy.optional(row.cp.as_deref()).optional(row.calle.as_deref()).optional(row.colonia.as_deref());
            copy.value(row.pais.unwrap_or(DEFAULT_COUNTRY)).optional(row.vendedor);
            copy.value(row.limite_credito.unwrap_or_default()).value(row.dias_credito.unwrap_or(0));
            copy.optional(row.lista).optional(row.plataforma.map(Platform::word));
            copy.optional(row.correo.as_deref().map(normalise_email));
            copy.optional(row.telefono.as_deref().map(clean_phone))
                .optional(row.movil.as_deref().map(clean_phone))
                .end();
        }
        copy.send(
            self.connection(),
            "COPY clientes (empresa, clave, folio, nombre, razon_social, rfc, correo, telefono, movil, prospecto, id_platform_a, \
             id_platform_b, id_platform_c, id_platform_d, id_platform_e, publico, proximo_contacto, modificado, regimen, uso_cfdi, \
             cp, calle, colonia, pais, vendedor, limite_credito, dias_credito, lista, plataforma, \
             correo_comparable, telefono_comparable, movil_comparable) FROM STDIN",
        )
        .await
    }
}

impl PostgresTx {
    async fn read_buyer(&mut self, statement: &'static str, clave: i64) -> Result<Option<Buyer>, StoreError> {
        let row = sqlx::query(statement)
            .bind(self.empresa)
            .bind(clave)
            .fetch_optional(self.connection())
            .await
            .map_err(store_error)?;
        row.as_ref().map(buyer).transpose().map_err(store_error)
    }
}

/// A statement that writes a customer: company, clave, its data, when, and the forms that filters compare.
fn written<'q>(
    statement: &'static str,
    empresa: i64,
    clave: i64,
    data: &'q CustomerData,
    when: Timestamp,
) -> sqlx::query::Query<'q, Postgres, PgArguments> {
    sqlx::query(statement)
        .bind(empresa)
        .bind(clave)
        .bind(&data.nombre)
        .bind(&data.razon_social)
        .bind(&data.rfc)
        .bind(data.regimen)
        .bind(&data.uso_cfdi)
        .bind(&data.cp)
        .bind(&data.correo)
        .bind(&data.telefono)
        .bind(&data.movil)
        .bind(&data.calle)
        .bind(&data.colonia)
        .bind(data.pais)
        .bind(when.get())
        .bind(data.correo.as_deref().map(normalise_email))
        .bind(data.telefono.as_deref().map(clean_phone))
        .bind(data.movil.as_deref().map(clean_phone))
}

fn buyer(row: &PgRow) -> Result<Buyer, sqlx::Error> {
    Ok(Buyer {
        rfc: row.try_get(0)?,
        regimen: row.try_get(1)?,
        uso_cfdi: row.try_get(2)?,
        cp: row.try_get(3)?,
        lista: row.try_get(4)?,
        dias_credito: row.try_get(5)?,
        limite_credito: money(row, 6)?,
    })
}

fn customer_data(row: &PgRow) -> Result<CustomerData, sqlx::Error> {
    Ok(CustomerData {
        nombre: row.try_get("nombre")?,
        razon_social: row.try_get("razon_social")?,
        rfc: row.try_get("rfc")?,
        regimen: row.try_get("regimen")?,
        uso_cfdi: row.try_get("uso_cfdi")?,
        cp: row.try_get("cp")?,
        correo: row.try_get("correo")?,
        telefono: row.try_get("telefono")?,
        movil: row.try_get("movil")?,
        calle: row.try_get("calle")?,
        colonia: row.try_get("colonia")?,
        pais: row.try_get("pais")?,
    })
}
