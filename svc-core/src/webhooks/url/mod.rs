use ::url::{Host, Url};

use crate::error::{Code, Error};

/// The maximum length of a webhook's URL, in characters.
const LONGEST: usize = 500;

/// Domains that name no host of the public internet (contract §4).
const LOCAL: [&str; 3] = ["local", "internal", "localhost"];

/// A webhook's URL, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether the scheme is https; http is for development.
    pub(crate) https: bool,
    /// The host's name, in lower case.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The path and the query.
    pub(crate) path: String,
}

/// Why notices cannot be sent to a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UrlFault {
    /// More than 500 characters.
    #[error("debe tener hasta {LONGEST} caracteres")]
    Length,
    /// Not `https://…`.
    #[error("debe comenzar con https://")]
    Scheme,
    /// A character that must be percent-encoded.
    #[error("solo lleva los caracteres ASCII de una URL; lo demás se codifica (dominios: xn--; rutas: %XX)")]
    Character,
    /// A user name or password.
    #[error("no lleva usuario ni contraseña")]
    UserInfo,
    /// A fragment, which is never sent.
    #[error("no lleva fragmento (#)")]
    Fragment,
    /// A port other than 443.
    #[error("no lleva otro puerto que 443")]
    Port,
    /// No domain name with a dot.
    #[error("debe llevar un nombre de dominio, no una dirección IP")]
    Host,
    /// A domain of the local network.
    #[error("es un dominio de red local")]
    Local,
    /// Not written in its normal form.
    #[error("no está escrita en su forma normal")]
    Form,
}

impl From<UrlFault> for Error {
    fn from(fault: UrlFault) -> Self {
        Self::field(Code::UrlInvalida, "url", fault)
    }
}

/// Checks the text of a webhook's URL (contract §4); each attempt checks the addresses of its host.
///
/// The text is parsed strictly here, and by the browsers' rules (WHATWG), which accept many
/// spellings of one URL; if the two differ, it is refused. `development` also allows http, any port
/// and names of the local network, but no IP address.
pub(crate) fn validate_url(text: &str, development: bool) -> Result<Target, UrlFault> {
    if text.chars().count() > LONGEST {
        return Err(UrlFault::Length);
    }
    let (https, rest) = scheme(text, development).ok_or(UrlFault::Scheme)?;
    if !has_only_url_characters(text) {
        return Err(UrlFault::Character);
    }
    if text.contains('#') {
        return Err(UrlFault::Fragment);
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(UrlFault::UserInfo);
    }
    // The colon may be within brackets, but brackets are refused anyway.
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let host = host.to_ascii_lowercase();
    validate_name(&host, development)?;
    let standard = if https { 443 } else { 80 };
    let port = port.map_or(Some(standard), read_port).ok_or(UrlFault::Port)?;
    if !development && port != standard {
        return Err(UrlFault::Port);
    }
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let target = Target { https, host, port, path };
    if target.is_what_browsers_read(text) { Ok(target) } else { Err(UrlFault::Form) }
}

impl Target {
    fn is_what_browsers_read(&self, text: &str) -> bool {
        let Ok(url) = Url::parse(text) else { return false };
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        url.host() == Some(Host::Domain(self.host.as_str()))
            && url.port_or_known_default() == Some(self.port)
            && url.scheme() == if self.https { "https" } else { "http" }
            && path == self.path
    }
}

/// Whether the scheme is https, and the rest of the URL.
fn scheme(text: &str, development: bool) -> Option<(bool, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    match scheme.to_ascii_lowercase().as_str() {
        "https" => Some((true, rest)),
        "http" if development => Some((false, rest)),
        _ => None,
    }
}

/// Whether all characters are those of RFC 3986 §2, with two digits after each percent sign.
/// Brackets are left out, because they enclose IP addresses.
fn has_only_url_characters(text: &str) -> bool {
    const MARKS: &[u8] = b"-._~:/?#@!$&'()*+,;=%";
    let digits = |two: &[u8]| two.len() == 2 && two.iter().all(u8::is_ascii_hexdigit);
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || MARKS.contains(&byte))
        && text.split('%').skip(1).all(|after| after.as_bytes().get(..2).is_some_and(digits))
}

/// Parses a port in its only spelling.
fn read_port(text: &str) -> Option<u16> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    canonical.then(|| text.parse().ok()).flatten()
}

/// Checks a lower-case host: labels of letters, digits and hyphens, the last one not numeric (RFC
/// 1123 §2.1).
fn validate_name(host: &str, development: bool) -> Result<(), UrlFault> {
    let labels: Vec<_> = host.split('.').collect();
    let is_label = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = labels.last().copied().unwrap_or_default();
    let is_top = last.bytes().all(|byte| byte.is_ascii_alphabetic()) || last.starts_with("xn--");
    if host.len() > 253 || !labels.iter().all(is_label) || !is_top {
        return Err(UrlFault::Host);
    }
    if development {
        return Ok(());
    }
    match labels.len() {
        _ if LOCAL.contains(&last) => Err(UrlFault::Local),
        1 => Err(UrlFault::Host),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
