//! The rules of contacts with customers (spec, "POST /clientes/{clave}/interacciones").

use chrono::NaiveDate;

use super::time::Timestamp;
use super::words::words;
use crate::error::{Code, Error};
use crate::json::Within;

words! {
    /// How someone was contacted.
    pub enum Channel {
        /// By telephone.
        Llamada = "llamada",
        /// By a message of `WhatsApp`.
        Whatsapp = "whatsapp",
        /// By e-mail.
        Correo = "correo",
        /// At their place.
        Visita = "visita",
        /// In a meeting.
        Reunion = "reunion",
        /// In some other way.
        Otro = "otro",
    }
}

words! {
    /// The outcome of a contact.
    pub enum ContactOutcome {
        /// They were spoken to.
        Contactado = "contactado",
        /// They did not answer.
        NoContesto = "no_contesto",
        /// They were given a quote.
        Cotizo = "cotizo",
        /// They ordered.
        Pidio = "pidio",
        /// They refused.
        Rechazo = "rechazo",
        /// They put it off.
        Reagendo = "reagendo",
    }
}

words! {
    /// Which side made the contact.
    #[derive(Default)]
    pub enum Initiative {
        /// We contacted them.
        #[default]
        Saliente = "saliente",
        /// They contacted us.
        Entrante = "entrante",
    }
}

/// The length of a contact, in minutes: at most a day.
pub type Minutes = Within<1, 1440>;

/// The time of a contact: `fecha`, which may not be in the future, otherwise `now`.
pub(crate) fn moment(fecha: Option<Timestamp>, now: Timestamp) -> Result<Timestamp, Error> {
    match fecha {
        Some(fecha) if fecha > now => Err(Error::field(Code::DatoInvalido, "fecha", "no puede estar en el futuro")),
        Some(fecha) => Ok(fecha),
        None => Ok(now),
    }
}

/// The next step after a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// The customer will be contacted again.
    Commitment {
        /// The day, not before today in Mexico's central time (contract §1).
        fecha: NaiveDate,
        /// What it is about: the request's `proximo_texto`.
        texto: Option<String>,
    },
    /// The customer will not be followed up any further.
    Closing {
        /// Why not: the request's `cierre`.
        motivo: String,
    },
}

impl NextStep {
    /// Reads the step from the body's three fields: either `proximo_fecha`, not before `today`,
    /// with or without `proximo_texto`, or `cierre`.
    pub(crate) fn validate(
        proximo_fecha: Option<NaiveDate>,
        proximo_texto: Option<String>,
        cierre: Option<String>,
        today: NaiveDate,
    ) -> Result<Self, Error> {
        let invalid = |field, text| Err(Error::field(Code::DatoInvalido, field, text));
        match (proximo_fecha, cierre) {
            (None, None) => Err(Code::FaltaSiguientePaso.into()),
            (Some(_), Some(_)) => invalid("cierre", "no va junto con proximo_fecha"),
            (None, Some(_)) if proximo_texto.is_some() => invalid("proximo_texto", "solo va junto con proximo_fecha"),
            (Some(fecha), None) if fecha < today => invalid("proximo_fecha", "no puede estar en el pasado"),
            (Some(fecha), None) => Ok(Self::Commitment { fecha, texto: proximo_texto }),
            (None, Some(motivo)) => Ok(Self::Closing { motivo }),
        }
    }

    /// The day and the text of a commitment.
    pub fn commitment(&self) -> Option<(NaiveDate, Option<&str>)> {
        match self {
            Self::Commitment { fecha, texto } => Some((*fecha, texto.as_deref())),
            Self::Closing { .. } => None,
        }
    }

    /// The reason why there is no further step.
    pub fn closing(&self) -> Option<&str> {
        match self {
            Self::Commitment { .. } => None,
            Self::Closing { motivo } => Some(motivo),
        }
    }
}

/// The customer of a contact.
#[derive(Debug, Clone, Default)]
pub struct ContactedCustomer {
    /// Whether they belong to a sales platform.
    pub de_plataforma: bool,
    /// E-mail addresses, separated by commas.
    pub correo: Option<String>,
    /// The telephone number; a blank one counts as missing.
    pub telefono: Option<String>,
    /// The mobile number; a blank one counts as missing.
    pub movil: Option<String>,
    /// The salesperson they are assigned to.
    pub vendedor: Option<i64>,
}

impl ContactedCustomer {
    /// Refuses customers of a sales platform, and those without contact data.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.de_plataforma {
            return Err(Code::ClienteDePlataforma.into());
        }
        if [&self.correo, &self.telefono, &self.movil].into_iter().flatten().all(|datum| datum.trim().is_empty()) {
            return Err(Code::ClienteSinContacto.into());
        }
        Ok(())
    }

    /// Whether the account is assigned to a salesperson other than `author`, who may then only
    /// leave a note. Anyone may plan for an unassigned account.
    pub(crate) fn is_assigned_to_another_than(&self, author: i64) -> bool {
        self.vendedor.is_some_and(|vendedor| vendedor != author)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_contact_took_place_now_or_before() {
        let now = at("2026-10-12T18:00:00Z");
        assert_eq!(moment(None, now).unwrap(), now);
        assert_eq!(moment(Some(now), now).unwrap(), now);
        // The wire counts whole seconds.
        assert_eq!(moment(Some(at("2026-10-12T18:00:00.999Z")), now).unwrap(), now);
        assert_eq!(moment(Some(at("0001-01-01T00:00:00Z")), now).unwrap(), at("0001-01-01T00:00:00Z"));
        let error = moment(Some(at("2026-10-12T18:00:01Z")), now).unwrap_err();
        assert_eq!(error.to_string(), "dato_invalido: fecha: no puede estar en el futuro");
    }

    #[test]
    fn the_next_step_is_a_commitment_or_a_closing() {
        let today = day("2026-10-12");
        let validate = |fecha: Option<&str>, texto: Option<&str>, cierre: Option<&str>| {
            NextStep::validate(fecha.map(day), texto.map(str::to_owned), cierre.map(str::to_owned), today)
        };
        let step = validate(Some("2026-10-12"), Some("Llamar"), None).unwrap();
        assert_eq!((step.commitment(), step.closing()), (Some((today, Some("Llamar"))), None));
        let step = validate(Some("9999-12-31"), None, None).unwrap();
        assert_eq!((step.commitment(), step.closing()), (Some((day("9999-12-31"), None)), None));
        let step = validate(None, None, Some("vendido")).unwrap();
        assert_eq!((step.commitment(), step.closing()), (None, Some("vendido")));

        for (fecha, texto, cierre, code, field) in [
            (None, None, None, Code::FaltaSiguientePaso, ""),
            (None, Some("Llamar"), None, Code::FaltaSiguientePaso, ""),
            (Some("2026-10-13"), None, Some("vendido"), Code::DatoInvalido, "cierre: "),
            (Some("2026-10-11"), Some("Llamar"), Some("vendido"), Code::DatoInvalido, "cierre: "),
            (None, Some("Llamar"), Some("vendido"), Code::DatoInvalido, "proximo_texto: "),
            (Some("2026-10-11"), Some("Llamar"), None, Code::DatoInvalido, "proximo_fecha: "),
        ] {
            let error = validate(fecha, texto, cierre).unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            assert!(error.mensaje().starts_with(field), "{error}");
        }
    }

    #[test]
    fn minutes_are_a_day_at_most() {
        let read = |literal: &str| {
            let json = Json::parse_object(format!(r#"{{"minutos":{literal}}}"#).as_bytes()).unwrap();
            json.take_optional::<Minutes>("minutos").map(|(minutes, _)| minutes.map(Minutes::get))
        };
        assert_eq!(read("1"), Ok(Some(1)));
        assert_eq!(read("1440"), Ok(Some(1440)));
        for wrong in ["0", "-1", "1441", "4294967297", "9223372036854775808", "1.5"] {
            assert_eq!(read(wrong).unwrap_err().to_string(), "minutos: debe ser un entero de 1 a 1440", "{wrong}");
        }
    }

    #[test]
    fn who_cannot_be_contacted_here_is_refused() {
        let code = |account: &ContactedCustomer| account.validate().map_err(|error| error.code());
        let some = || Some("1".to_owned());
        assert_eq!(code(&ContactedCustomer::default()), Err(Code::ClienteSinContacto));
        let blank =
            ContactedCustomer { correo: Some(String::new()), movil: Some(" ".into()), ..ContactedCustomer::default() };
        assert_eq!(code(&blank), Err(Code::ClienteSinContacto));
        for account in [
            ContactedCustomer { correo: some(), ..ContactedCustomer::default() },
            ContactedCustomer { telefono: some(), ..ContactedCustomer::default() },
            ContactedCustomer { movil: some(), ..ContactedCustomer::default() },
        ] {
            assert_eq!(code(&account), Ok(()));
            assert_eq!(code(&ContactedCustomer { de_plataforma: true, ..account }), Err(Code::ClienteDePlataforma));
        }
        assert_eq!(
            code(&ContactedCustomer { de_plataforma: true, ..ContactedCustomer::default() }),
            Err(Code::ClienteDePlataforma)
        );
    }

    #[test]
    fn an_account_is_its_salespersons_or_anybodys() {
        let account = |vendedor| ContactedCustomer { vendedor, ..ContactedCustomer::default() };
        assert!(!account(None).is_assigned_to_another_than(3));
        assert!(!account(Some(3)).is_assigned_to_another_than(3));
        assert!(account(Some(4)).is_assigned_to_another_than(3));
    }
}
