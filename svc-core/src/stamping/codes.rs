//! Maps the codes of providers and of the authority to what they mean for a request (providers'
//! pages, the authority's matrices).

use chrono::TimeDelta;

use super::{CancelReceipt, CancelRequest, StampFailure, rejected};

/// The document was already stamped.
pub(super) const BEFORE: &str = "307";

/// How long the authority's cancellation service may not know a document that was just stamped.
const UNKNOWN_FOR: TimeDelta = TimeDelta::days(1);

/// The issuer, its certificate, or the account with the provider is refused: 303 another RFC's
/// certificate, 304 revoked, 306 an e.firma, 308 not the authority's, 402 not in the list of valid
/// ones; of Finkok 300 and 501 credentials, 702 an unregistered issuer, 703 suspended, 704 the
/// key's password, 711 the certificate, 718 no stamps left; of SW `AU…` credentials.
const ACCOUNT: [&str; 12] = ["303", "304", "306", "308", "402", "300", "501", "702", "703", "704", "711", "718"];

/// To be retried later: of Finkok 708 and 709 the authority cannot be reached, 603 right after a
/// stamp, 798 and 799 too many requests for one cancellation; of SW `CO1000` an internal error.
const LATER: [&str; 6] = ["708", "709", "603", "798", "799", "CO1000"];

/// Maps a provider's refusal of a document to its failure.
pub(super) fn refusal(codigo: &str, mensaje: &str) -> StampFailure {
    let unclear = || StampFailure::Unreachable(format!("the provider gave no verdict: {codigo} {mensaje}"));
    let account = ACCOUNT.contains(&codigo) || codigo.starts_with("AU");
    match codigo {
        _ if account || is_out_of_credit(mensaje) => StampFailure::Misconfigured(format!("{codigo}: {mensaje}")),
        _ if LATER.contains(&codigo) => StampFailure::Unreachable(format!("{codigo}: {mensaje}")),
        _ if is_code(codigo) => rejected(codigo, mensaje).unwrap_or_else(unclear),
        _ => unclear(),
    }
}

/// Maps the answer about a folio whose cancellation was requested (`EstatusUUID`), or about the
/// request itself.
pub(super) fn cancellation(
    codigo: &str,
    mensaje: &str,
    acuse: Option<String>,
    request: &CancelRequest,
) -> Result<CancelReceipt, StampFailure> {
    let codigo = codigo.trim();
    match codigo {
        // Received now or before.
        "201" | "202" => Ok(CancelReceipt { acuse }),
        // The authority learns of a stamp later than the provider returns it.
        "205" if request.at - request.asked < UNKNOWN_FOR => Err(StampFailure::Unreachable(format!("205: {mensaje}"))),
        // The request's date was wrong; the next request has a new one.
        "208" => Err(StampFailure::Unreachable(format!("208: {mensaje}"))),
        "203" | "301" | "302" | "305" | "310" => Err(StampFailure::Misconfigured(format!("{codigo}: {mensaje}"))),
        "no_cancelable" => Err(StampFailure::Rejected {
            codigo: codigo.to_owned(),
            mensaje: "El comprobante no es cancelable: otros que lo relacionan están vigentes.".to_owned(),
        }),
        _ => Err(refusal(codigo, if mensaje.trim().is_empty() { "No se puede cancelar." } else { mensaje })),
    }
}

/// Whether this is a code rather than a word of a message: `307`, `CFDI40145`, `no_cancelable`.
fn is_code(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a message says that the account has no stamps left; no code does.
fn is_out_of_credit(mensaje: &str) -> bool {
    let mensaje = mensaje.to_lowercase();
    mensaje.contains("saldo insuficiente") || mensaje.contains("timbres disponibles")
}

/// Splits a message into its leading code and the rest: `307. El…`, `401 - El…`,
/// `CFDI3307 - Timbre…`.
pub(super) fn at_head(message: &str) -> (&str, &str) {
    let message = message.trim();
    let end = message.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(message.len());
    let (code, text) = message.split_at(end);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    if is_code(code) { (code, if text.is_empty() { code } else { text }) } else { ("", message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_at_the_head_of_messages() {
        for (message, expected) in [
            ("307. El comprobante contiene un timbre previo.", ("307", "El comprobante contiene un timbre previo.")),
            ("401 - El rango", ("401", "El rango")),
            ("CFDI3307 - Timbre duplicado. El customid", ("CFDI3307", "Timbre duplicado. El customid")),
            ("CFDI40145", ("CFDI40145", "CFDI40145")),
            ("Error interno", ("", "Error interno")),
            ("", ("", "")),
        ] {
            assert_eq!(at_head(message), expected);
        }
    }

    #[test]
    fn every_code_has_its_class() {
        for codigo in
            ["301", "302", "305", "401", "403", "CFDI40145", "CRP20217", "CFDI33105", "CO1001", "CC100", "705", "707"]
        {
            assert!(matches!(refusal(codigo, "No"), StampFailure::Rejected { .. }), "{codigo}");
        }
        for codigo in ["303", "304", "306", "308", "402", "AU2000", "AU4101", "300", "501", "702", "703", "704", "718"]
        {
            assert!(matches!(refusal(codigo, "No"), StampFailure::Misconfigured(_)), "{codigo}");
        }
        assert!(matches!(refusal("", "Saldo insuficiente"), StampFailure::Misconfigured(_)));
        for codigo in ["708", "709", "603", "CO1000", "", "Error"] {
            assert!(matches!(refusal(codigo, "No"), StampFailure::Unreachable(_)), "{codigo}");
        }
    }
}
