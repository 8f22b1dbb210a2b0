//! The authority's status service (`ConsultaCFDIService`), which reports the status of a stamped
//! document. It needs no login.

use std::time::Duration;

use super::endpoint::{Endpoint, HttpStamperError};
use super::soap::{self, SoapAnswer};
use super::{CancelRequest, DocumentStatus, StampFailure};

const PUBLIC: &str = "https://consultaqr.facturaelectronica.sat.gob.mx/ConsultaCFDIService.svc";

const ACTION: &str = "http://tempuri.org/IConsultaCFDIService/Consulta";

/// The authority's status service, or the reason why it cannot be queried.
#[derive(Debug, Clone)]
pub struct SatStatus(Result<Endpoint, HttpStamperError>);

impl SatStatus {
    /// The service at `url`, by default the public one; a request without an answer after `timeout`
    /// fails. A machine that trusts no certificate authority can do everything except query the
    /// public one.
    pub fn new(url: Option<&str>, timeout: Duration) -> Result<Self, HttpStamperError> {
        match Endpoint::new(url.unwrap_or(PUBLIC), timeout) {
            Err(error) if url.is_some() => Err(error),
            endpoint => Ok(Self(endpoint)),
        }
    }

    pub(super) async fn ask(&self, request: &CancelRequest) -> Result<DocumentStatus, StampFailure> {
        let expression = request.document.expression()?;
        let body = format!(
            "<Consulta xmlns=\"http://tempuri.org/\"><expresionImpresa><![CDATA[{expression}]]></expresionImpresa></Consulta>"
        );
        let endpoint = self.0.as_ref().map_err(|error| StampFailure::Misconfigured(error.to_string()))?;
        status(&soap::call(endpoint, "", ACTION, &body).await?)
    }
}

/// Reads the service's answer, also as providers relay it.
pub(super) fn status(answer: &SoapAnswer) -> Result<DocumentStatus, StampFailure> {
    let word = |name| answer.get(name).map(words).unwrap_or_default();
    let (code, standing, cancellation) = (word("CodigoEstatus"), word("Estado"), word("EstatusCancelacion"));
    let not_cancellable = word("EsCancelable").starts_with("no cancelable");
    if code.starts_with("n 601") {
        return Err(StampFailure::Misconfigured("the authority cannot read what identifies the document".to_owned()));
    }
    match standing.as_str() {
        "cancelado" => Ok(DocumentStatus::Cancelled),
        "vigente" if cancellation.starts_with("en proceso") => Ok(DocumentStatus::Pending),
        "vigente" if cancellation.starts_with("solicitud rechazada") => Ok(DocumentStatus::Refused),
        "vigente" if cancellation.is_empty() && not_cancellable => Ok(DocumentStatus::NotCancellable),
        "vigente" => Ok(DocumentStatus::Valid),
        "no encontrado" => Ok(DocumentStatus::NotFound),
        _ => Err(StampFailure::Unreachable("the status service gave no status".to_owned())),
    }
}

/// The words of a text, in lower case, without accents and punctuation.
fn words(text: &str) -> String {
    let plain =
        text.to_lowercase().replace('á', "a").replace('é', "e").replace('í', "i").replace('ó', "o").replace('ú', "u");
    plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamping::fake_provider::{UUID, cancellation, provider, reply};
    use crate::stamping::soap::{element, envelope};

    fn answer(code: &str, standing: &str, cancellation: &str) -> Vec<u8> {
        answer_of(code, "Cancelable con aceptación", standing, cancellation)
    }

    fn answer_of(code: &str, cancellable: &str, standing: &str, cancellation: &str) -> Vec<u8> {
        let fields = [
            element("a:CodigoEstatus", code),
            element("a:EsCancelable", cancellable),
            element("a:Estado", standing),
            element("a:EstatusCancelacion", cancellation),
            element("a:ValidacionEFOS", "200"),
        ];
        let result = format!("<ConsultaResult xmlns:a=\"urn:a\">{}</ConsultaResult>", fields.concat());
        reply(200, &envelope(&format!("<ConsultaResponse xmlns=\"http://tempuri.org/\">{result}</ConsultaResponse>")))
    }

    async fn asked(answer: Vec<u8>) -> (Result<DocumentStatus, StampFailure>, String) {
        let (requests, url) = provider([answer]).await;
        let service = SatStatus::new(Some(&format!("{url}/ConsultaCFDIService.svc")), Duration::from_secs(5)).unwrap();
        (service.ask(&cancellation()).await, requests.await.unwrap().remove(0))
    }

    #[tokio::test]
    async fn every_status_is_known() {
        let found = "S - Comprobante obtenido satisfactoriamente.";
        for (standing, cancellation, expected) in [
            ("Vigente", "", DocumentStatus::Valid),
            ("Vigente", "En proceso", DocumentStatus::Pending),
            ("Vigente", "Solicitud rechazada", DocumentStatus::Refused),
            ("Cancelado", "Cancelado sin aceptación", DocumentStatus::Cancelled),
            ("Cancelado", "Cancelado con aceptacion.", DocumentStatus::Cancelled),
            ("Cancelado", "Plazo vencido", DocumentStatus::Cancelled),
        ] {
            assert_eq!(asked(answer(found, standing, cancellation)).await.0, Ok(expected), "{standing} {cancellation}");
        }
        for (standing, cancellation, expected) in [
            ("Vigente", "", DocumentStatus::NotCancellable),
            ("Vigente", "En proceso", DocumentStatus::Pending),
            ("Cancelado", "Cancelado sin aceptación", DocumentStatus::Cancelled),
        ] {
            let answer = answer_of(found, "No Cancelable.", standing, cancellation);
            assert_eq!(asked(answer).await.0, Ok(expected), "not cancellable: {standing} {cancellation}");
        }
        let unknown = answer("N - 602: Comprobante no encontrado.", "No Encontrado", "");
        assert_eq!(asked(unknown).await.0, Ok(DocumentStatus::NotFound));
        let unread = answer("N - 601: La expresión impresa proporcionada no es válida.", "No Encontrado", "");
        assert!(matches!(asked(unread).await.0, Err(StampFailure::Misconfigured(_))));
        for garbled in [reply(200, ""), reply(200, "<a>x</a>"), reply(503, "<a>x</a>"), reply(200, "{}"), Vec::new()] {
            assert!(matches!(asked(garbled).await.0, Err(StampFailure::Unreachable(_))));
        }
        let request = asked(answer(found, "Vigente", "")).await.1;
        assert!(request.contains("soapaction: \"http://tempuri.org/IConsultaCFDIService/Consulta\"\r\n"), "{request}");
        let expression = format!(
            "<![CDATA[?re=A&amp;A010101AAA&rr=URE180429TM6&tt=443.50&id={}&fe=abcdef==]]>",
            UUID.to_uppercase()
        );
        assert!(request.contains(&expression), "{request}");
    }

    #[tokio::test]
    async fn a_document_of_unknown_total_is_held_for_a_person() {
        let mut request = cancellation();
        request.document.total = None;
        let service = SatStatus::new(Some("http://127.0.0.1:9"), Duration::from_secs(1)).unwrap();
        match service.ask(&request).await {
            Err(StampFailure::Unknown(text)) => assert!(text.contains("invoice.cancel-accepted"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}
