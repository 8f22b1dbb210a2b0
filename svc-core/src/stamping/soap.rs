//! SOAP 1.1: requests as text, answers by the names of their elements.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, Method, StatusCode};
use quick_xml::escape::{escape, resolve_predefined_entity};
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};

use super::StampFailure;
use super::endpoint::Endpoint;

const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

/// An element with its text.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape(text))
}

/// An envelope around the body of a request.
pub(super) fn envelope(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\">\
         <soap:Body>{body}</soap:Body></soap:Envelope>"
    )
}

/// Sends a request and reads the answer, which may be a fault.
pub(super) async fn call(
    endpoint: &Endpoint,
    path: &str,
    action: &str,
    body: &str,
) -> Result<SoapAnswer, StampFailure> {
    let request = endpoint
        .request(Method::POST, path)
        .header(CONTENT_TYPE, "text/xml; charset=utf-8")
        .header(ACCEPT, "text/xml")
        .header(SOAP_ACTION, format!("\"{action}\""));
    let answer = endpoint.send(request, Bytes::from(envelope(body))).await?;
    let status = answer.status();
    let read = std::str::from_utf8(answer.body()).ok().and_then(SoapAnswer::read);
    match read {
        // A fault comes with status 500, and says more than the status.
        Some(read) if status.is_success() || status == StatusCode::INTERNAL_SERVER_ERROR => Ok(read),
        _ => Err(StampFailure::Unreachable(format!("the service answered {status} and no SOAP"))),
    }
}

/// The content of an answer: its elements with only text, by name without prefix.
#[derive(Debug, Default)]
pub(super) struct SoapAnswer(Vec<(String, String)>);

impl SoapAnswer {
    fn read(xml: &str) -> Option<Self> {
        let mut reader = Reader::from_str(xml);
        let (mut leaves, mut text, mut is_leaf, mut depth) = (Vec::new(), String::new(), false, 0_u32);
        loop {
            match reader.read_event().ok()? {
                Event::Start(_) => {
                    (is_leaf, depth) = (true, depth + 1);
                    text.clear();
                }
                Event::Text(part) => text.push_str(&part.xml_content(XmlVersion::Implicit1_0)),
                Event::CData(part) => text.push_str(&part.xml_content(XmlVersion::Implicit1_0)),
                Event::GeneralRef(part) => match part.resolve_char_ref().ok()? {
                    Some(character) => text.push(character),
                    None => text.push_str(resolve_predefined_entity(&part.into_inner())?),
                },
                Event::End(end) => {
                    depth = depth.checked_sub(1)?;
                    if is_leaf {
                        leaves.push((end.local_name().as_ref().to_owned(), std::mem::take(&mut text)));
                    }
                    is_leaf = false;
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let whole = depth == 0 && !leaves.is_empty();
        whole.then_some(Self(leaves))
    }

    /// The first element of that name, if it has text.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let text = self.0.iter().find(|(other, text)| other == name && !text.trim().is_empty());
        text.map(|(_, text)| text.trim())
    }

    /// The element's text, untrimmed.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, text)| other == name && !text.trim().is_empty()).map(|(_, text)| text.as_str())
    }

    /// The text of a fault.
    pub(super) fn fault(&self) -> Option<&str> {
        self.get("faultstring")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_by_their_names() {
        let inner = "<cfdi:X a=\"&amp;\"/>";
        let answer = envelope(&format!(
            "<r:stampResponse xmlns:r=\"urn:r\"><r:stampResult>{}<s0:vacio/><s0:nada></s0:nada>{}<c><![CDATA[?re=A&rr=B]]></c>\
             </r:stampResult></r:stampResponse>",
            element("s0:xml", inner),
            element("n", " Cancelación &#x27;x&#39; "),
        ));
        let answer = SoapAnswer::read(&answer).unwrap();
        assert_eq!(answer.raw("xml"), Some(inner));
        assert_eq!(answer.get("n"), Some("Cancelación &#x27;x&#39;"), "escaped text is kept as it was");
        assert_eq!([answer.get("nada"), answer.get("vacio"), answer.get("stampResult")], [None; 3]);
        assert_eq!(answer.get("c"), Some("?re=A&rr=B"));
        for garbled in ["", "<a>", "<a><b>x</b>", "{}", "<a>&unknown;</a>", "<html><body>x</p></html>"] {
            assert!(SoapAnswer::read(garbled).is_none(), "{garbled}");
        }
    }
}
