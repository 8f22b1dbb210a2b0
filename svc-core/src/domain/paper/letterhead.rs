//! What a company's documents bear besides their contents.

use super::colour::{Colour, DEFAULT};
use super::logo::Logo;

/// A company's name, colour, logo, address and contact, as its printed documents show them.
#[derive(Debug, Clone, Default)]
pub struct Letterhead {
    /// The company's name, with its legal form.
    pub nombre: Option<String>,
    /// Its tax id (RFC).
    pub rfc: Option<String>,
    /// Its colour; `None` for the default.
    pub color: Option<Colour>,
    /// Its address; lines are separated by line feeds.
    pub direccion: Option<String>,
    /// Its telephone number, printed as it is.
    pub telefono: Option<String>,
    /// Its e-mail address.
    pub correo: Option<String>,
    /// Its website, printed as it is.
    pub web: Option<String>,
    /// Its logo; `None` if it has none, or the stored one cannot be read.
    pub logo: Option<Logo>,
    /// Whether the company is a test company.
    pub prueba: bool,
}

impl Letterhead {
    pub(crate) fn colour(&self) -> Colour {
        self.color.unwrap_or(DEFAULT)
    }

    /// Telephone, e-mail and website.
    pub(crate) fn contacts(&self) -> Vec<&str> {
        [&self.telefono, &self.correo, &self.web].into_iter().flatten().map(String::as_str).collect()
    }

    /// The lines of the address, without blank ones.
    pub(crate) fn address(&self) -> impl Iterator<Item = &str> {
        self.direccion.as_deref().unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty())
    }
}
