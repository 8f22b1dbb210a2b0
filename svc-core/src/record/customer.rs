//! Customers and prospects: `/clientes`.

use super::filter::{boolean, email, exact, from, from_day, integer, phone, sized, until_day};
use super::{List, ListSpec, PageSizes, record};
use crate::domain::money::Money;
use crate::domain::sat::{CfdiUses, Countries, Regimes, Rfcs, SatKey};
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
        clave: i64 { list, import: Option<i64> },
        folio: Option<String> { list, import: Option<Text<50>> },
        nombre: Option<String> {
            list,
            required: Text<100>,
            import: Option<Text<100>>,
        },
        razon_social: Option<String> {
            list,
            office: Text<255>,
            import: Option<Text<255>>,
        },
        rfc: Option<String> {
            list,
            optional: SatKey<Text<255>, Rfcs>,
            import: Option<Text<13>>,
        },
        regimen: Option<i64> { optional: SatKey<i64, Regimes>, import: Option<i64> },
        uso_cfdi: Option<String> { optional: SatKey<Text<255>, CfdiUses>, import: Option<Text<4>> },
        cp: Option<String> { optional: Digits<5>, import: Option<Digits<5>> },
        correo: Option<String> { list, optional: Text<50>, import: Option<Text<255>> },
        telefono: Option<String> { list, optional: Text<30>, import: Option<Text<30>> },
        movil: Option<String> { list, optional: Text<14>, import: Option<Text<30>> },
        calle: Option<String> { optional: Text<200>, import: Option<Text<200>> },
        colonia: Option<String> { optional: Text<50>, import: Option<Text<50>> },
        pais: i64 { optional: SatKey<i64, Countries> = DEFAULT_COUNTRY, import: Option<i64> },
        limite_credito: Money { office: Money = Money::default(), import: Option<Money> },
        dias_credito: i64 { office: Within<0, 365> = 0, import: Option<i64> },
        lista: Option<i64> { office: i64, import: Option<i64> },
        vendedor: Option<i64> { office: i64, import: Option<i64> },
        prospecto: bool {
            list,
            office: bool,
            import: Option<bool>,
        },
        id_platform_a: Option<String> { list, import: Option<Text<100>> },
        id_platform_b: Option<String> { list, import: Option<Text<100>> },
        id_platform_c: Option<String> { list, import: Option<Text<100>> },
        id_platform_d: Option<String> { list, import: Option<Text<100>> },
        id_platform_e: Option<String> { list, import: Option<Text<100>> },
        publico: bool { list, import: Option<bool> },
        proximo_contacto: Option<Date> { list, import: Option<Date> },
        modificado: Option<Timestamp> { list, import: Option<Timestamp> },
        plataforma { import: Option<Platform> },
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
    const LIST: ListSpec = ListSpec::new::<Self>("/clientes", Scope::ClientesRead, PageSizes::Enforced).filters(&[
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
