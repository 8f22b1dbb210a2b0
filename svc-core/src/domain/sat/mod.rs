//! The SAT's CFDI 4.0 catalogues: which keys exist and what they imply.
//!
//! The data is in `catalogos/` (its README names the sources); `build.rs` compiles it into the
//! library, so a look-up is an index or a binary search over constant data. Keys are compared
//! exactly: the caller trims.

mod fiscal;
mod key;
mod rates;
mod tables;

pub(crate) use fiscal::{FiscalFault, GENERIC_REGIME, GENERIC_USE, validate};
pub use key::{
    Catalogue, CfdiUses, Countries, Currencies, PaidForms, PaymentForms, PaymentMethods, ProductServices, Regimes,
    Rfcs, SatKey, TaxObjects, Units, Vats,
};
pub(crate) use rates::{Factor, Levied};

use chrono_tz::{America, Tz};
use rust_decimal::Decimal;

use super::rfc::Person;
use tables::{
    CFDI_USES, COUNTRIES, CURRENCIES, DESCRIPTIONS, GROUPING_CODES, PAYMENT_FORMS, PAYMENT_METHODS, POSTAL_CODES,
    PRODUCT_SERVICES, REGIMES, TAX_ID_DIGITS, TAX_OBJECTS, TAX_RATES, UNITS, VAT,
};

/// The time zones of `c_CodigoPostal`, in the order of `build.rs`: "Centro", "Centro en Frontera"
/// (with the summer time of the United States), "Pacífico", "Noroeste" (the same), "Sureste".
const TIME_ZONES: [Tz; 5] =
    [America::Mexico_City, America::Matamoros, America::Mazatlan, America::Tijuana, America::Cancun];

/// The border stimulus of a postal code (`c_CodigoPostal`, "Estímulo Franja Fronteriza"), without
/// which a company may not charge 8 % IVA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Border {
    None,
    /// Mark 1, the northern border region.
    North,
    /// Mark 2, the southern border region.
    South,
}

/// A tax regime (`c_RegimenFiscal`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TaxRegime {
    /// The SAT key, such as 601.
    pub(crate) clave: i64,
    /// A natural person may be in it.
    pub(crate) fisica: bool,
    /// A legal person may be in it.
    pub(crate) moral: bool,
}

impl TaxRegime {
    /// Whether a person of this type may be in the regime.
    pub(crate) const fn allows(&self, person: Person) -> bool {
        match person {
            Person::Fisica => self.fisica,
            Person::Moral => self.moral,
        }
    }
}

/// A CFDI use (`c_UsoCFDI`) with its row of the compatibility matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CfdiUse {
    /// The SAT key, such as `G03`.
    pub(crate) clave: &'static str,
    /// A natural person may take it.
    pub(crate) fisica: bool,
    /// A legal person may take it.
    pub(crate) moral: bool,
    /// The keys of the regimes that may take it, ascending.
    pub(crate) regimes: &'static [i64],
}

impl CfdiUse {
    /// Whether a person of this type may take the use.
    pub(crate) const fn allows(&self, person: Person) -> bool {
        match person {
            Person::Fisica => self.fisica,
            Person::Moral => self.moral,
        }
    }

    /// Whether the compatibility matrix lets a receiver in this regime take the use.
    pub(crate) fn allows_regime(&self, regime: i64) -> bool {
        self.regimes.binary_search(&regime).is_ok()
    }
}

/// The meaning of one of this API's IVA keys on an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Vat {
    /// "Tasa": a rate, in millionths (160,000 = 16 %; the CFDI writes rates with six decimals).
    Rate {
        /// The rate times 1,000,000.
        millionths: u32,
    },
    /// "Exento": neither rate nor amount is written.
    Exempt,
}

/// Whether documents issued at a postal code may charge the IVA of the border regions.
pub(crate) fn has_border_rate(cp: &str) -> bool {
    postal_code(cp).is_some_and(|border| border != Border::None)
}

/// The border mark of a postal code; `None` unless it is five digits and in `c_CodigoPostal`.
///
/// The catalogue includes the placeholder `00000`.
pub(crate) fn postal_code(cp: &str) -> Option<Border> {
    match place(cp)? % 3 {
        0 => Some(Border::None),
        1 => Some(Border::North),
        _ => Some(Border::South),
    }
}

/// The time zone of a postal code in `c_CodigoPostal` ("huso"), in which the authority reads the
/// time of a document issued there. `None` as in [`postal_code`].
pub(crate) fn time_zone(cp: &str) -> Option<Tz> {
    TIME_ZONES.get(usize::from(place(cp)? / 3)).copied()
}

/// The time zone of a postal code; Mexico City's without one, or if it is unknown.
pub(crate) fn zone_at(cp: Option<&str>) -> Tz {
    cp.and_then(time_zone).unwrap_or(America::Mexico_City)
}

/// The name of a grouping code of accounts (`c_CodAgrup` of electronic accounting).
pub(crate) fn grouping_name(code: &str) -> Option<&'static str> {
    let index = GROUPING_CODES.binary_search_by_key(&code, |(code, _)| *code).ok()?;
    GROUPING_CODES.get(index).map(|(_, name)| *name)
}

/// The ISO 3166 alpha-3 key of a country in `c_Pais`, by its internal key (172 is Mexico, the
/// default of `POST /clientes`).
pub(crate) fn country(clave: i64) -> Option<&'static str> {
    let index = COUNTRIES.binary_search_by_key(&clave, |(clave, _)| *clave).ok()?;
    COUNTRIES.get(index).map(|(_, iso)| *iso)
}

/// The internal key of a country of `c_Pais`: the inverse of [`country`].
pub(crate) fn country_key(iso: &str) -> Option<i64> {
    COUNTRIES.iter().find(|(_, known)| *known == iso).map(|(clave, _)| *clave)
}

/// How many digits the tax ids of a country have (`c_Pais`), by its internal key; `None` where the
/// catalogue does not say.
pub(crate) fn tax_id_digits(clave: i64) -> Option<usize> {
    let iso = country(clave)?;
    TAX_ID_DIGITS.iter().find(|(known, _)| *known == iso).map(|(_, count)| *count)
}

/// Whether a tax id has the form that `c_Pais` gives those of a country (CFDI40155).
pub(crate) fn tax_id_fits(clave: i64, id: &str) -> bool {
    tax_id_digits(clave).is_none_or(|count| id.len() == count && id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether `c_ClaveProdServ` has this eight-digit code of a product or service.
pub(crate) fn product_service_exists(clave: &str) -> bool {
    digits::<8>(clave).is_some_and(|code| has_number(PRODUCT_SERVICES, code))
}

/// Whether `c_ClaveUnidad` has this unit of measure. Case counts: `Gd` is a key, `GD` is not.
pub(crate) fn unit_exists(clave: &str) -> bool {
    let mut packed = [0; 4];
    // A NUL could pass for the padding of a shorter key.
    if clave.is_empty() || !clave.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let Some(prefix) = packed.get_mut(..clave.len()) else { return false };
    prefix.copy_from_slice(clave.as_bytes());
    has_number(UNITS, u32::from_be_bytes(packed))
}

/// `c_FormaPago`: "por definir", the form of what is paid later or in parts.
pub(crate) const FORM_TO_BE_DEFINED: &str = "99";

/// A payment form, unless it is to be defined.
pub(crate) fn known_payment_form(form: Option<&str>) -> Option<&str> {
    form.filter(|form| *form != FORM_TO_BE_DEFINED)
}

/// Whether `c_FormaPago` has this payment form (`01` cash … `99` to be defined).
pub(crate) fn payment_form_exists(clave: &str) -> bool {
    PAYMENT_FORMS.binary_search(&clave).is_ok()
}

/// Whether `c_MetodoPago` has this payment method (`PUE` or `PPD`).
pub(crate) fn payment_method_exists(clave: &str) -> bool {
    PAYMENT_METHODS.binary_search(&clave).is_ok()
}

/// Whether `c_ObjetoImp` has this tax object (`01` to `08`).
pub(crate) fn tax_object_exists(clave: &str) -> bool {
    TAX_OBJECTS.binary_search(&clave).is_ok()
}

/// The number of decimals of a currency's amounts, by its key in `c_Moneda`, such as `MXN`.
pub(crate) fn currency(clave: &str) -> Option<u8> {
    let index = CURRENCIES.binary_search_by_key(&clave, |(clave, _)| clave).ok()?;
    CURRENCIES.get(index).map(|(_, decimals)| *decimals)
}

/// The regime of a key of `c_RegimenFiscal`, such as 601.
pub(crate) fn regime(clave: i64) -> Option<TaxRegime> {
    let index = REGIMES.binary_search_by_key(&clave, |regime| regime.clave).ok()?;
    REGIMES.get(index).copied()
}

/// The use of a key of `c_UsoCFDI`, such as `G03`.
pub(crate) fn cfdi_use(clave: &str) -> Option<CfdiUse> {
    let index = CFDI_USES.binary_search_by_key(&clave, |cfdi_use| cfdi_use.clave).ok()?;
    CFDI_USES.get(index).copied()
}

/// The authority's description of a catalogue's key; the catalogue is named like its file, without
/// `.csv`.
pub(crate) fn describe(catalogue: &str, clave: &str) -> Option<&'static str> {
    let index = DESCRIPTIONS.binary_search_by_key(&(catalogue, clave), |(key, _)| *key).ok()?;
    DESCRIPTIONS.get(index).map(|(_, text)| *text)
}

/// The meaning of one of this API's IVA keys (`16`, `8`, `0`, `EX`; contract of `POST /productos`).
pub(crate) fn vat(clave: &str) -> Option<Vat> {
    let index = VAT.binary_search_by_key(&clave, |(clave, _)| clave).ok()?;
    VAT.get(index).map(|(_, vat)| *vat)
}

/// The table's entry for a postal code in the catalogue: border mark + 3 × time zone.
fn place(cp: &str) -> Option<u8> {
    let index: usize = digits::<5>(cp)?.try_into().ok()?;
    POSTAL_CODES.get(index)?.checked_sub(1)
}

/// `text` as a number if it is exactly `LENGTH` ASCII digits.
fn digits<const LENGTH: usize>(text: &str) -> Option<u32> {
    if text.len() != LENGTH || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Whether a table of sorted little-endian numbers holds `number`.
fn has_number(table: &[u8], number: u32) -> bool {
    let (numbers, _) = table.as_chunks::<4>();
    numbers.binary_search_by_key(&number, |bytes| u32::from_le_bytes(*bytes)).is_ok()
}

/// Whether `c_TasaOCuota` has this rate of a tax (`c_Impuesto`).
pub(crate) fn tax_rate_exists(impuesto: &str, factor: Factor, levied: Levied, rate: Decimal) -> bool {
    TAX_RATES.iter().any(|rates| {
        let applies = match levied {
            Levied::Charged => rates.charged,
            Levied::Withheld => rates.withheld,
        };
        let range = Decimal::new(rates.least.into(), 6)..=Decimal::new(rates.max.into(), 6);
        applies && rates.impuesto == impuesto && rates.factor == factor && range.contains(&rate)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The first column of a catalogue file with unquoted keys, without the header.
    fn keys(csv: &'static str) -> impl Iterator<Item = &'static str> {
        csv.lines().skip(1).filter_map(|line| line.split(',').next())
    }

    #[test]
    fn postal_codes_carry_their_border_mark() {
        for (cp, expected) in [
            ("01000", Some(Border::None)),
            ("00000", Some(Border::None)),
            ("21000", Some(Border::North)),
            ("88000", Some(Border::North)),
            ("30700", Some(Border::South)),
            ("99999", Some(Border::None)),
            ("95669", None),
            ("00001", None),
            ("", None),
            ("1000", None),
            ("010000", None),
            ("0100a", None),
            ("+1000", None),
            (" 1000", None),
            ("٠١٠٠٠", None),
        ] {
            assert_eq!(postal_code(cp), expected, "{cp:?}");
        }
    }

    #[test]
    fn postal_codes_carry_their_time_zone() {
        for (cp, expected) in [
            ("01000", Some(America::Mexico_City)),
            ("00000", Some(America::Mexico_City)),
            ("88000", Some(America::Matamoros)),
            ("85000", Some(America::Mazatlan)),
            ("21000", Some(America::Tijuana)),
            ("77500", Some(America::Cancun)),
            ("95669", None),
            ("7750", None),
        ] {
            assert_eq!(time_zone(cp), expected, "{cp:?}");
        }
    }

    #[test]
    fn every_postal_code_of_the_file_is_found_and_no_other() {
        let mut listed = 0;
        for line in include_str!("../../../catalogos/codigo_postal.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let expected = match cells[4] {
                "0" => Border::None,
                "1" => Border::North,
                _ => Border::South,
            };
            assert_eq!(postal_code(cells[0]), Some(expected), "{line}");
            listed += 1;
        }
        let found = (0..100_000).filter(|n| postal_code(&format!("{n:05}")).is_some()).count();
        assert_eq!((found, listed), (95_749, 95_749));
    }

    #[test]
    fn products_services_and_units_are_those_of_the_files() {
        let fits = |schema: &Value, key: &str| jsonschema::is_valid(schema, &key.into());
        for key in keys(include_str!("../../../catalogos/clave_prod_serv.csv")) {
            assert!(product_service_exists(key), "{key}");
        }
        for key in keys(include_str!("../../../catalogos/clave_prod_serv.csv")).step_by(500) {
            assert!(fits(&ProductServices::schema(), key), "{key}");
        }
        for key in keys(include_str!("../../../catalogos/clave_unidad.csv")) {
            assert!(unit_exists(key) && fits(&Units::schema(), key), "{key}");
        }
        assert_eq!((PRODUCT_SERVICES.len(), UNITS.len()), (4 * 52_514, 4 * 2_418));
        for key in ["", "1010101", "001010101", "01010100", "0101010١", "+1010101", "99999999"] {
            assert!(!product_service_exists(key), "{key:?}");
        }
        for key in ["", "h87", "H8", "H87 ", "H87\0", "05\0", "GD", "H87H", "H87HH", "ñ"] {
            assert!(!unit_exists(key), "{key:?}");
        }
    }

    #[test]
    fn countries_run_from_30_and_mexico_is_172() {
        for (clave, expected) in [
            (172, Some("MEX")),
            (30, Some("ABW")),
            (279, Some("ZZZ")),
            (29, None),
            (280, None),
            (0, None),
            (i64::MIN, None),
            (i64::MAX, None),
        ] {
            assert_eq!(country(clave), expected, "{clave}");
        }
        assert_eq!((30..=279).filter_map(country).count(), 250);
    }

    #[test]
    fn small_catalogues_hold_their_keys_only() {
        for (exists, key, expected) in [
            (payment_form_exists as fn(&str) -> bool, "01", true),
            (payment_form_exists, "99", true),
            (payment_form_exists, "31", true),
            (payment_form_exists, "07", false),
            (payment_form_exists, "1", false),
            (payment_form_exists, "", false),
            (payment_method_exists, "PUE", true),
            (payment_method_exists, "PPD", true),
            (payment_method_exists, "pue", false),
            (payment_method_exists, "PIP", false),
            (tax_object_exists, "01", true),
            (tax_object_exists, "08", true),
            (tax_object_exists, "09", false),
            (tax_object_exists, "2", false),
        ] {
            assert_eq!(exists(key), expected, "{key:?}");
        }
    }

    #[test]
    fn currencies_know_their_decimals() {
        for (key, expected) in [
            ("MXN", Some(2)),
            ("USD", Some(2)),
            ("JPY", Some(0)),
            ("KWD", Some(3)),
            ("CLF", Some(4)),
            ("XXX", Some(0)),
            ("mxn", None),
            ("MX", None),
            ("", None),
        ] {
            assert_eq!(currency(key), expected, "{key:?}");
        }
    }

    #[test]
    fn keys_are_put_into_words() {
        for (catalogue, key, expected) in [
            ("regimen", "601", Some("General de Ley Personas Morales")),
            ("uso_cfdi", "G03", Some("Gastos en general")),
            ("forma_pago", "03", Some("Transferencia electrónica de fondos")),
            ("meses", "18", Some("Noviembre-Diciembre")),
            ("regimen", "600", None),
            ("regimenes", "601", None),
        ] {
            assert_eq!(describe(catalogue, key), expected, "{catalogue} {key}");
        }
    }

    #[test]
    fn vat_keys_are_the_four_of_the_api() {
        for (key, expected) in [
            ("16", Some(Vat::Rate { millionths: 160_000 })),
            ("8", Some(Vat::Rate { millionths: 80_000 })),
            ("0", Some(Vat::Rate { millionths: 0 })),
            ("EX", Some(Vat::Exempt)),
            ("08", None),
            ("ex", None),
            ("", None),
        ] {
            assert_eq!(vat(key), expected, "{key:?}");
        }
    }

    #[test]
    fn arrays_are_sorted_so_that_binary_search_holds() {
        assert!(REGIMES.is_sorted_by_key(|regime| regime.clave));
        assert!(CFDI_USES.is_sorted_by_key(|cfdi_use| cfdi_use.clave));
        assert!(CFDI_USES.iter().all(|cfdi_use| cfdi_use.regimes.is_sorted()));
        assert!(COUNTRIES.is_sorted() && CURRENCIES.is_sorted() && VAT.is_sorted_by_key(|(key, _)| *key));
        assert!(DESCRIPTIONS.is_sorted());
        assert!(PAYMENT_FORMS.is_sorted() && PAYMENT_METHODS.is_sorted() && TAX_OBJECTS.is_sorted());
    }
}
