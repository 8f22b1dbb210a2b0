//! The legal form in the name of a company ("régimen de capital"), which tax documents leave out
//! (SAT, guide to CFDI 4.0, `Nombre` of `Emisor` and `Receptor`; errors CFDI40139 and CFDI40145).

use crate::domain::rfc::{Person, Rfc};
use crate::domain::text::fold;

/// The forms of the laws of companies, cooperatives, investment, credit, associations and agrarian
/// matters, folded, without dots, commas and blanks.
const FORMS: &[&str] = &[
    "sa",
    "sadecv",
    "sab",
    "sabdecv",
    "sapi",
    "sapidecv",
    "sapib",
    "sapibdecv",
    "sas",
    "sasdecv",
    "sderl",
    "sderldecv",
    "sderlmi",
    "sderldeip",
    "sderldeipdecv",
    "senc",
    "sencs",
    "sencporacciones",
    "sencporadecv",
    "sencpora",
    "sennc",
    "sc",
    "scl",
    "scdecv",
    "scderl",
    "scderldecv",
    "scdeprl",
    "scdeprldecv",
    "scdepderl",
    "scdepderldecv",
    "scdercderl",
    "scdeap",
    "scdeapderl",
    "scdeapderldecv",
    "scdecderl",
    "scdecderldecv",
    "spr",
    "sprderl",
    "sprderldecv",
    "sprderi",
    "sprderidecv",
    "sssderl",
    "sss",
    "sspderl",
    "sadecvsofomenr",
    "sadecvsofomer",
    "sadecvsofom",
    "sasofomenr",
    "sasofomer",
    "sapidecvsofomenr",
    "sapidecvsofomer",
    "sapisofomenr",
    "sderldecvsofomenr",
    "snc",
    "ac",
    "ap",
    "aenp",
    "aric",
    "ibp",
    "iap",
    "iasp",
    "uder",
    "uderderl",
    "udeerl",
    "sociedadanonima",
    "sociedadanonimadecapitalvariable",
    "sociedadanonimapromotoradeinversion",
    "sociedadanonimapromotoradeinversiondecapitalvariable",
    "sociedadanonimabursatil",
    "sociedadanonimabursatildecapitalvariable",
    "sociedadporaccionessimplificada",
    "sociedadporaccionessimplificadadecapitalvariable",
    "sociedadderesponsabilidadlimitada",
    "sociedadderesponsabilidadlimitadadecapitalvariable",
    "sociedadencomanditasimple",
    "sociedadencomanditaporacciones",
    "sociedadennombrecolectivo",
    "sociedadcooperativa",
    "sociedadcooperativaderesponsabilidadlimitada",
    "sociedadcooperativaderesponsabilidadlimitadadecapitalvariable",
    "sociedaddeproduccionrural",
    "sociedaddeproduccionruralderesponsabilidadlimitada",
    "sociedadcivil",
    "asociacioncivil",
    "instituciondeasistenciaprivada",
    "instituciondebeneficenciaprivada",
];

/// The name of a taxpayer without the legal form at its end, if its RFC is a company's. A name that
/// is nothing else stays as it is.
pub(crate) fn without_legal_form<'n>(nombre: &'n str, rfc: Option<&str>) -> &'n str {
    let company = rfc.and_then(|rfc| Rfc::parse(rfc).ok()).is_some_and(|rfc| rfc.person() == Person::Moral);
    if !company {
        return nombre;
    }
    let separates = |c: char| c.is_whitespace() || c == ',';
    let starts = nombre.match_indices(separates).map(|(at, found)| at + found.len());
    let form = |at: &usize| {
        let compact: String = fold(&nombre[*at..]).chars().filter(|c| !separates(*c) && *c != '.').collect();
        FORMS.contains(&compact.as_str())
    };
    let name = starts.into_iter().find(form).map(|at| nombre[..at].trim_end_matches(separates));
    match name.filter(|name| !name.trim_matches(separates).is_empty()) {
        Some(name) => name,
        None => nombre,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_companies_end_before_their_legal_form() {
        let company = Some("EKU9003173C9");
        for (nombre, expected) in [
            ("Escuela Kemper Urgate, S.A. de C.V.", "Escuela Kemper Urgate"),
            ("ESCUELA KEMPER URGATE SA DE CV", "ESCUELA KEMPER URGATE"),
            ("Ferretería Núñez S. de R. L. de C. V.", "Ferretería Núñez"),
            ("Créditos Ya S.A.P.I. de C.V., S.O.F.O.M., E.N.R.", "Créditos Ya"),
            ("Despacho Ruiz Sociedad Civil", "Despacho Ruiz"),
            ("Grupo AC SA de CV", "Grupo AC"),
            ("Muebles Casa", "Muebles Casa"),
            ("Transportes SADE", "Transportes SADE"),
            ("S.A. de C.V.", "S.A. de C.V."),
            ("Sociedad Anónima", "Sociedad Anónima"),
            ("", ""),
        ] {
            assert_eq!(without_legal_form(nombre, company), expected, "{nombre}");
        }
    }

    #[test]
    fn names_of_persons_stay_whole() {
        for rfc in [Some("CACX7605101P8"), Some("XAXX010101000"), Some("no RFC"), None] {
            assert_eq!(without_legal_form("Ana S.A.", rfc), "Ana S.A.");
        }
    }
}
