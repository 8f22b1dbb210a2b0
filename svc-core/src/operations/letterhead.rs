//! What a company's printed documents bear: its logo, colour, address and contact.

use serde::Serialize;

use super::user::email;
use crate::domain::company::CompanyId;
use crate::domain::paper::{Colour, Logo};
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::LetterheadChange;

/// The most characters of an address, and its most lines.
const MAX_ADDRESS: usize = 300;
const MAX_LINES: usize = 5;
/// The most characters of a telephone number and of a website.
const MAX_CONTACT: usize = 100;

/// Sets or removes the logo of a company's printed documents.
#[derive(Debug, Clone)]
pub struct SetLogo(pub Option<Logo>);

/// The answer of [`SetLogo`].
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct LogoChanged {
    /// The company's number.
    pub empresa: CompanyId,
    /// Width and height of the logo as it is stored, in pixels; `None` if there is none now.
    pub pixeles: Option<(u32, u32)>,
}

impl Operation for SetLogo {
    const SPEC: Spec = Spec::new();
    type Output = LogoChanged;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<LogoChanged, Error> {
        cx.tx.set_logo(self.0.as_ref().map(Logo::png)).await?;
        Ok(LogoChanged { empresa: cx.company.id, pixeles: self.0.as_ref().map(Logo::size) })
    }
}

/// Validates what is given of a letterhead and puts it into its stored form; an empty text removes
/// what is stored.
pub(super) fn normalize(change: &mut LetterheadChange) -> Result<(), Error> {
    if let Some(color) = change.color.as_mut().filter(|color| !color.is_empty()) {
        let colour = color.parse::<Colour>().map_err(|_| invalid("color", "debe ser #rrggbb, por ejemplo #1a5fb4"))?;
        *color = colour.to_string();
    }
    if let Some(direccion) = &mut change.direccion {
        let lines: Vec<&str> = direccion.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let (count, joined) = (lines.len(), lines.join("\n"));
        *direccion = joined;
        if count > MAX_LINES || direccion.chars().count() > MAX_ADDRESS {
            return Err(invalid("direccion", "debe tener hasta 5 líneas y 300 caracteres"));
        }
        if direccion.chars().any(|letter| letter.is_control() && letter != '\n') {
            return Err(invalid("direccion", "tiene caracteres de control"));
        }
    }
    for (field, text) in [("telefono", &mut change.telefono), ("web", &mut change.web)] {
        let Some(text) = text else { continue };
        *text = text.trim().to_owned();
        if text.chars().count() > MAX_CONTACT || text.chars().any(char::is_control) {
            return Err(invalid(field, "debe ser una línea de hasta 100 caracteres"));
        }
    }
    if let Some(correo) = &mut change.correo {
        *correo = email(correo)?;
    }
    Ok(())
}

fn invalid(field: &'static str, text: &str) -> Error {
    Error::field(Code::DatoInvalido, field, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letterhead_is_normalized_or_refused() {
        let normalized =
            |mut change: LetterheadChange| normalize(&mut change).map(|()| change).map_err(|error| error.to_string());
        let given = LetterheadChange {
            color: Some("#1A5FB4".to_owned()),
            direccion: Some(" Av. Juárez 1 \n\n Col. Centro, CDMX\r\n".to_owned()),
            telefono: Some(" 55 1234 5678 ".to_owned()),
            correo: Some("ventas@example.com".to_owned()),
            web: Some(String::new()),
        };
        let stored = normalized(given).unwrap();
        assert_eq!(stored.color.as_deref(), Some("#1a5fb4"));
        assert_eq!(stored.direccion.as_deref(), Some("Av. Juárez 1\nCol. Centro, CDMX"));
        assert_eq!((stored.telefono.as_deref(), stored.web.as_deref()), (Some("55 1234 5678"), Some("")));
        let of = LetterheadChange::default;
        let text = |text: &str| Some(text.to_owned());
        for (field, change) in [
            ("color", LetterheadChange { color: text("azul"), ..of() }),
            ("direccion", LetterheadChange { direccion: text("a\nb\nc\nd\ne\nf"), ..of() }),
            ("direccion", LetterheadChange { direccion: Some("x".repeat(301)), ..of() }),
            ("direccion", LetterheadChange { direccion: text("a\u{0}"), ..of() }),
            ("telefono", LetterheadChange { telefono: text("1\n2"), ..of() }),
            ("web", LetterheadChange { web: Some("w".repeat(101)), ..of() }),
            ("correo", LetterheadChange { correo: text("nadie"), ..of() }),
        ] {
            let refusal = normalized(change).unwrap_err();
            assert!(refusal.contains(field), "{field}: {refusal}");
        }
        assert_eq!(normalized(LetterheadChange { color: text(""), ..of() }).unwrap().color.as_deref(), Some(""));
    }
}
