//! Customers and prospects: `/clientes`.

use super::filter::{boolean, email, exact, from, from_day, integer, phone, sized, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::scope::Scope;
use crate::domain::time::{Date, Timestamp};
use crate::domain::words::Platform;
use crate::json::{Digits, Text, Within};

/// The country of a customer without one: Mexico (spec, "POST /clientes").
pub(crate) const DEFAULT_COUNTRY: i64 = 172;

// Widths of lists and imports are from the spec's "Customer", those of bodies from its "POST
// /clientes".
record! {
    /// A customer or prospect as a list shows it (spec, "Customer").
    pub struct Customer in "clientes" {
        /// Key.
        clave: i64 { list, import: Option<i64> },
        /// Folio.
        folio: Option<String> { list, import: Option<Text<50>> },
        /// Name.
        nombre: Option<String> {
            list,
            /// Name or legal name.
            required: Text<100>,
            import: Option<Text<100>>,
        },
        /// Legal name.
        razon_social: Option<String> {
            list,
            /// Legal name; `nombre` alone changes it too, where there is one.
            office: Text<255>,
            import: Option<Text<255>>,
        },
        /// Tax id.
        rfc: Option<String> {
            list,
            /// Tax id; a generic one may repeat, any other is unique in the company.
            optional: Text<255>,
            import: Option<Text<13>>,
        },
        /// Tax regime, a key of the SAT's catalogue.
        regimen: Option<i64> { optional: i64, import: Option<i64> },
        /// CFDI use, a key of the SAT's catalogue.
        uso_cfdi: Option<String> { optional: Text<255>, import: Option<Text<4>> },
        /// Postal code.
        cp: Option<String> { optional: Digits<5>, import: Option<Digits<5>> },
        /// E-mail addresses, separated by commas.
        correo: Option<String> { list, optional: Text<50>, import: Option<Text<255>> },
        /// Telephone.
        telefono: Option<String> { list, optional: Text<30>, import: Option<Text<30>> },
        /// Mobile.
        movil: Option<String> { list, optional: Text<14>, import: Option<Text<30>> },
        /// Street and number.
        calle: Option<String> { optional: Text<200>, import: Option<Text<200>> },
        /// Neighbourhood.
        colonia: Option<String> { optional: Text<50>, import: Option<Text<50>> },
        /// Country, by its internal key; Mexico when left out or cleared.
        pais: i64 { optional: i64 = DEFAULT_COUNTRY, import: Option<i64> },
        /// Credit limit, in pesos; cleared, none is given.
        limite_credito: Money { office: Money = Money::default(), import: Option<Money> },
        /// Days of credit; 0 when cleared.
        dias_credito: i64 { office: Within<0, 365> = 0, import: Option<i64> },
        /// The price list, by its clave; the company's when cleared.
        lista: Option<i64> { office: i64, import: Option<i64> },
        /// The salesperson whose account it is; nobody's when cleared.
        vendedor: Option<i64> { office: i64, import: Option<i64> },
        /// Whether it is a prospect of the CRM.
        prospecto: bool {
            list,
            /// Whether they are a prospect of the CRM.
            office: bool,
            import: Option<bool>,
        },
        /// Identifier on sales platform a.
        id_platform_a: Option<String> { list, import: Option<Text<100>> },
        /// Identifier on sales platform b.
        id_platform_b: Option<String> { list, import: Option<Text<100>> },
        /// Identifier on sales platform c.
        id_platform_c: Option<String> { list, import: Option<Text<100>> },
        /// Identifier on sales platform d.
        id_platform_d: Option<String> { list, import: Option<Text<100>> },
        /// Identifier on sales platform e.
        id_platform_e: Option<String> { list, import: Option<Text<100>> },
        /// Whether it stands for the general public.
        publico: bool { list, import: Option<bool> },
        /// When it is to be contacted next.
        proximo_contacto: Option<Date> { list, import: Option<Date> },
        /// When it was changed last.
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        plataforma { import: Option<Platform> },
        /// A foreigner's tax id at home, which their tax documents bear.
        num_reg_id_trib: Option<String> { office: Text<40>, import: Option<Text<40>> },
    }
    import CustomerImport;
    /// What can be written of a customer.
    stored CustomerData;
    /// Creates a customer and emits `cliente.creado` (spec, "POST /clientes").
    create CreateCustomer;
    /// Edits a customer in part and emits `cliente.actualizado`, unless nothing changes (spec, "PUT
    /// /clientes/{clave}").
    edit EditCustomer;
    /// What of a customer only the back office edits.
    office CustomerTerms;
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
