//! The stamp that a provider adds to a sealed document: the complement `TimbreFiscalDigital` 1.1.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDateTime, TimeZone as _, Utc};
use chrono_tz::America::Mexico_City;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::element::{Element, NoXml};
use super::node::Node;
use super::parts::others;
use super::read::NoCfdi;
use super::seal::SigningKey;
use super::{Cfdi, SealFault, as_text, cadena, read, xml};

const VERSION: &str = "1.1";

/// The RFC in the sandbox's stamps, which no provider has.
pub(crate) const SANDBOX_RFC: &str = "AAA010101AAA";
/// The number of the sandbox's certificate, which is nobody's.
pub(crate) const SANDBOX_CERTIFICATE: &str = "30001000000500009999";

/// The stamp (node `TimbreFiscalDigital`), with its fields in the order of its cadena original.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TimbreFiscalDigital {
    /// Always `1.1`.
    pub version: Cow<'static, str>,
    /// The document's fiscal folio.
    #[serde(rename = "UUID", with = "as_text")]
    pub uuid: Uuid,
    /// The time of stamping, in Mexico's central time.
    pub fecha_timbrado: NaiveDateTime,
    /// The RFC of the provider (PAC).
    pub rfc_prov_certif: String,
    /// A note by the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leyenda: Option<String>,
    /// The `Sello` of the stamped document; with any other one the stamp is refused.
    #[serde(rename = "SelloCFD")]
    pub sello_cfd: String,
    /// The number of the provider's certificate.
    #[serde(rename = "NoCertificadoSAT")]
    pub no_certificado_sat: String,
    /// The provider's signature over the fields above.
    #[serde(rename = "SelloSAT")]
    pub sello_sat: String,
}

/// A stamped document. Its constructors accept only the document that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StampedXml {
    /// The document as the provider returned it.
    pub xml: String,
    /// The stamp that `xml` contains.
    pub timbre: TimbreFiscalDigital,
}

/// Why a provider's answer is not the sent document with a stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitStamp {
    /// The answer is not a document.
    #[error("it is no CFDI")]
    NoDocument,
    /// It is larger than any document.
    #[error("it is larger than any document")]
    TooLarge,
    /// The stamp is missing or incomplete.
    #[error("it has no whole stamp")]
    NotStamped,
    /// The document or its stamp belongs to another document.
    #[error("it is of another document")]
    Other,
}

impl StampedXml {
    /// Accepts `xml` if it is the document `sealed` with a stamp: all that the issuer signed must
    /// be unchanged, and so must the signature.
    pub fn read(xml: String, sealed: &str) -> Result<Self, UnfitStamp> {
        let ours = Element::read(sealed).map_err(|_| UnfitStamp::Other)?;
        let (stamped, document) = Self::of_any(xml)?;
        let expected = Cfdi::of(&ours).map_err(|_: NoCfdi| UnfitStamp::NoDocument)?;
        let root = Element::read(&stamped.xml).map_err(|_| UnfitStamp::NoDocument)?;
        let (theirs, own): (Vec<_>, Vec<_>) = (others(&root).collect(), others(&ours).collect());
        let same = document == expected && are_same(&theirs, &own);
        if !same || Some(stamped.timbre.sello_cfd.as_str()) != ours.get("Sello") {
            return Err(UnfitStamp::Other);
        }
        Ok(stamped)
    }

    /// Adds an addenda, which no signature covers.
    pub(crate) fn with_addenda(xml: &str, addenda: &str) -> Result<String, SealFault> {
        xml::with_addenda(xml, addenda).map_err(|_| SealFault::Document)
    }

    /// Accepts `xml` if it is a document with its own stamp; returns the parsed document too.
    pub fn of_any(xml: String) -> Result<(Self, Cfdi), UnfitStamp> {
        let root = Element::read(&xml).map_err(|error| match error {
            NoXml::Garbled => UnfitStamp::NoDocument,
            NoXml::TooLarge => UnfitStamp::TooLarge,
        })?;
        let document = Cfdi::of(&root).map_err(|_: NoCfdi| UnfitStamp::NoDocument)?;
        let stamp = root.at(&["Complemento", "TimbreFiscalDigital"]).ok_or(UnfitStamp::NotStamped)?;
        let timbre: TimbreFiscalDigital = read::of(stamp).map_err(|_| UnfitStamp::NotStamped)?;
        let is_whole = timbre.version == VERSION && !timbre.uuid.is_nil() && stamp.text("UUID").len() == 36;
        if !is_whole || timbre.sello_sat.is_empty() {
            return Err(UnfitStamp::NotStamped);
        }
        if root.get("Sello") != Some(timbre.sello_cfd.as_str()) {
            return Err(UnfitStamp::Other);
        }
        Ok((Self { xml, timbre }, document))
    }

    /// Adds the stamp to the document `sealed`: providers return either the stamp's node alone or
    /// the whole document.
    #[cfg(feature = "client")]
    pub(crate) fn with(sealed: &str, stamp: &str) -> Result<Self, UnfitStamp> {
        let begin = stamp.find("<tfd:TimbreFiscalDigital").ok_or(UnfitStamp::NotStamped)?;
        let end = stamp.rfind("/>").filter(|end| *end > begin).ok_or(UnfitStamp::NotStamped)? + "/>".len();
        let xml = xml::with_complement_text(sealed, &stamp[begin..end]).map_err(|_| UnfitStamp::NoDocument)?;
        Self::read(xml, sealed)
    }

    /// The last eight characters of a stamped document's signature, and the RFC of its provider.
    pub(crate) fn marks(xml: &str) -> Option<(String, String)> {
        let root = Element::read(xml).ok()?;
        let seal = root.get("Sello")?;
        // Base64 is ASCII: the last eight bytes are the last eight characters.
        let end = seal.get(seal.len().checked_sub(8)?..)?;
        let stamp = root.at(&["Complemento", "TimbreFiscalDigital"])?;
        Some((end.to_owned(), stamp.text("RfcProvCertif").to_owned()))
    }

    /// The time of stamping in UTC; `None` if Mexico's central time has no such time.
    pub fn at(&self) -> Option<DateTime<Utc>> {
        Mexico_City.from_local_datetime(&self.timbre.fecha_timbrado).earliest().map(|at| at.with_timezone(&Utc))
    }
}

/// The nodes within an element.
fn inner(element: &Element) -> Vec<&Element> {
    element.children().iter().collect()
}

/// Whether elements say the same, in whatever order they have their attributes.
fn are_same(some: &[&Element], others: &[&Element]) -> bool {
    let data = |element: &Element| {
        let is_data = |name: &str| !name.starts_with("xmlns") && name != "xsi:schemaLocation";
        let attributes = element.attributes().filter(|(name, _)| is_data(name));
        let mut data: Vec<_> = attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        data.sort();
        data
    };
    some.len() == others.len()
        && some.iter().zip(others).all(|(one, other)| {
            one.name() == other.name() && data(one) == data(other) && are_same(&inner(one), &inner(other))
        })
}

/// The provider that stamps.
pub(crate) struct StampSigner<'a> {
    pub(crate) rfc: &'a str,
    pub(crate) certificado: &'a str,
    pub(crate) key: &'a SigningKey,
}

/// Stamps the sealed document `xml` with the fiscal folio `uuid`, at a time truncated to seconds.
/// The same input yields the same stamp.
pub(crate) fn stamp(xml: &str, uuid: Uuid, at: DateTime<Utc>, by: &StampSigner<'_>) -> Result<String, SealFault> {
    let root = Element::read(xml).map_err(|_| SealFault::Document)?;
    let at = DateTime::from_timestamp(at.timestamp(), 0).unwrap_or(at);
    let mut timbre = TimbreFiscalDigital {
        version: VERSION.into(),
        uuid,
        fecha_timbrado: at.with_timezone(&Mexico_City).naive_local(),
        rfc_prov_certif: by.rfc.to_owned(),
        leyenda: None,
        sello_cfd: root.get("Sello").ok_or(SealFault::Document)?.to_owned(),
        no_certificado_sat: by.certificado.to_owned(),
        sello_sat: String::new(),
    };
    let node = |timbre: &TimbreFiscalDigital| Node::of(timbre).map_err(|_| SealFault::Document);
    timbre.sello_sat = by.key.sign(&cadena::of(&node(&timbre)?))?;
    xml::with_stamp(xml, &node(&timbre)?).map_err(|_| SealFault::Document)
}

#[cfg(test)]
mod tests;
