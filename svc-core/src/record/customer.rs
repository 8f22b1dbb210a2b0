//! Customers and prospects: `/clientes`.

use super::filter::{boolean, email, exact, from, from_day, integer, phone, sized, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Platform;
use crate::json::{Digits, Text};

record! {
    /// A customer or prospect as a list shows it (spec, "Customer").
    pub struct Customer in "clientes" {
        /// Key.
        clave: i64 => Option<i64>,
        /// Folio.
        folio: Option<String> => Option<Text<50>>,
        /// Name.
        nombre: Option<String> => Option<Text<100>>,
        /// Legal name.
        razon_social: Option<String> => Option<Text<255>>,
        /// Tax id.
        rfc: Option<String> => Option<Text<13>>,
        /// E-mail addresses, separated by commas.
        correo: Option<String> => Option<Text<255>>,
        /// Telephone.
        telefono: Option<String> => Option<Text<30>>,
        /// Mobile.
        movil: Option<String> => Option<Text<30>>,
        /// Whether it is a prospect of the CRM.
        prospecto: bool => Option<bool>,
        /// Identifier on sales platform a.
        id_platform_a: Option<String> => Option<Text<100>>,
        /// Identifier on sales platform b.
        id_platform_b: Option<String> => Option<Text<100>>,
        /// Identifier on sales platform c.
        id_platform_c: Option<String> => Option<Text<100>>,
        /// Identifier on sales platform d.
        id_platform_d: Option<String> => Option<Text<100>>,
        /// Identifier on sales platform e.
        id_platform_e: Option<String> => Option<Text<100>>,
        /// Whether it stands for the general public.
        publico: bool => Option<bool>,
        /// When it is to be contacted next.
        proximo_contacto: Option<Date> => Option<Date>,
        /// When it was changed last.
        modificado: Option<Timestamp> => Option<Timestamp>,
    }
    import CustomerImport {
        regimen: Option<i64>,
        uso_cfdi: Option<Text<4>>,
        cp: Option<Digits<5>>,
        calle: Option<Text<200>>,
        colonia: Option<Text<50>>,
        pais: Option<i64>,
        vendedor: Option<i64>,
        limite_credito: Option<Money>,
        dias_credito: Option<i64>,
        lista: Option<i64>,
        plataforma: Option<Platform>,
        num_reg_id_trib: Option<Text<40>>,
    }
}

impl List for Customer {
    const LIST: ListSpec =
        ListSpec::new::<Self>("/clientes", Scope::ClientesRead, PageSizes::Enforced, "List customers").filters(&[
            integer("clave"),
            exact("folio"),
            email("correo", "correo_comparable"),
            phone("telefono", "telefono_comparable"),
            phone("movil", "movil_comparable"),
            exact("rfc"),
            boolean("prospecto"),
            boolean("publico"),
            exact("id_platform_a"),
            exact("id_platform_b"),
            exact("id_platform_c"),
            exact("id_platform_d"),
            exact("id_platform_e"),
            sized("uso_cfdi", 3, 4),
            from("modificado_desde", "modificado"),
            from_day("proximo_contacto_desde", "proximo_contacto"),
            until_day("proximo_contacto_hasta", "proximo_contacto"),
        ]);
}
