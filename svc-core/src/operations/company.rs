//! Creating and editing companies.

use std::fmt;

use serde::Serialize;

use super::letterhead;
use super::user::email;
use crate::context::Context;
use crate::domain::clock::random_bytes;
use crate::domain::company::{Company, CompanyId};
use crate::domain::rfc::{Person, Rfc};
use crate::domain::sat;
use crate::error::{Code, Error};
use crate::operation::{Cx, Operation, Spec};
use crate::store::{CompanyChange, LetterheadChange, NewUser, TransactionBody, Tx};

/// The company that was created.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct CompanyCreated {
    /// Number of the new company, the part of its key ids before `_`.
    pub empresa: CompanyId,
    /// The clave of its owner, a user.
    pub usuario: i64,
}

impl Context {
    /// Creates a company with its head office (branch 0), main warehouse `001`, units, price list 1
    /// and owner.
    ///
    /// Settings that are left out default to: plan Pro, 3 licences, API on, no franchise, invoicing
    /// on, no minimum advance, selling below stock allowed, no documents by e-mail, and an owner
    /// without an e-mail address.
    pub async fn create_company(&self, settings: CompanyChange) -> Result<CompanyCreated, Error> {
        self.create(settings, false).await
    }

    /// Creates a test company, as [`Self::create_company`] creates a company: only the sandbox
    /// stamps its documents. It stays a test company.
    pub async fn create_test_company(&self, settings: CompanyChange) -> Result<CompanyCreated, Error> {
        self.create(settings, true).await
    }

    async fn create(&self, settings: CompanyChange, prueba: bool) -> Result<CompanyCreated, Error> {
        let settings = normalize(settings, None)?;
        let Some(nombre) = settings.nombre.clone() else {
            return Err(Error::field(Code::DatoRequerido, "nombre", "es obligatorio"));
        };
        let id = self.store().next_company().await?;
        let mut company = Company { prueba, ..Company::new(id, nombre, random_bytes(self.random())) };
        let correo = settings.correo.clone().filter(|correo| !correo.is_empty());
        let letterhead = settings.letterhead.clone();
        settings.apply(&mut company);
        self.transact(id, &mut Create { context: self, company, correo, letterhead }).await
    }
}

struct Create<'a> {
    context: &'a Context,
    company: Company,
    /// The owner's e-mail address.
    correo: Option<String>,
    letterhead: LetterheadChange,
}

impl TransactionBody for Create<'_> {
    type Output = CompanyCreated;

    async fn run(&mut self, tx: &mut dyn Tx) -> Result<CompanyCreated, Error> {
        tx.insert_company(&self.company, self.context.now()).await?;
        if self.letterhead != LetterheadChange::default() {
            let letterhead = self.letterhead.clone();
            tx.update_company(&CompanyChange { letterhead, ..CompanyChange::default() }).await?;
        }
        let owner = NewUser { nombre: "Titular".to_owned(), correo: self.correo.clone(), vendedor: true };
        let usuario = tx.insert_user(&owner).await?;
        Ok(CompanyCreated { empresa: self.company.id, usuario })
    }
}

/// Changes a company's settings; `None` keeps a setting.
#[derive(Debug, Clone)]
pub struct EditCompany(pub CompanyChange);

/// The answer of [`EditCompany`].
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct CompanyEdited {
    /// The company's number.
    pub empresa: CompanyId,
}

impl Operation for EditCompany {
    const SPEC: Spec = Spec::new().changes_access();
    type Output = CompanyEdited;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<CompanyEdited, Error> {
        cx.tx.update_company(&normalize(self.0.clone(), Some(cx.company))?).await?;
        Ok(CompanyEdited { empresa: cx.company.id })
    }
}

/// Validates the settings that are given, RFC and regime together with what is `stored`, and puts
/// them into their stored form.
pub(super) fn normalize(mut settings: CompanyChange, stored: Option<&Company>) -> Result<CompanyChange, Error> {
    let invalid = |field, text| Err(Error::field(Code::DatoInvalido, field, text));
    if settings.nombre.as_ref().is_some_and(|nombre| nombre.trim().is_empty() || nombre.contains('\0')) {
        return invalid("nombre", "no puede estar vacío");
    }
    if settings.licencias.is_some_and(|licencias| licencias < 0) {
        return invalid("licencias", "no puede ser negativo");
    }
    if let Some(correo) = &mut settings.correo {
        *correo = email(correo)?;
    }
    letterhead::normalize(&mut settings.letterhead)?;
    let percent = rust_decimal::Decimal::ZERO..=rust_decimal::Decimal::ONE_HUNDRED;
    if settings.anticipo_minimo.is_some_and(|minimum| !percent.contains(&minimum) || minimum.normalize().scale() > 2) {
        return invalid("anticipo_minimo", "debe ser un porcentaje de 0 a 100 con a lo más dos decimales");
    }
    if settings.cp.as_deref().is_some_and(|cp| sat::postal_code(cp).is_none()) {
        return Err(Code::CpInvalido.into());
    }
    if settings.rfc.is_some() || settings.regimen.is_some() {
        let rfc = settings.rfc.take().map(|rfc| issuer_rfc(&rfc)).transpose()?;
        let stored_rfc = || stored.and_then(|company| Rfc::parse(company.rfc.as_deref()?).ok());
        let regimen = settings.regimen.or(stored.and_then(|company| company.regimen));
        validate_regime(rfc.clone().or_else(stored_rfc).as_ref(), regimen)?;
        settings.rfc = rfc.map(|rfc| rfc.as_str().to_owned());
    }
    Ok(settings)
}

/// The RFC of a company, which issues documents under it.
fn issuer_rfc(text: &str) -> Result<Rfc, Error> {
    let rfc = Rfc::parse(text).map_err(|fault| Error::field(Code::RfcInvalido, "rfc", fault))?;
    if rfc.is_generic() {
        let text = "es un RFC genérico, con el que no se emiten comprobantes; dé el de la empresa";
        return Err(Error::field(Code::RfcInvalido, "rfc", text));
    }
    Ok(rfc)
}

/// Refuses a regime that cannot issue documents, or that is not for the RFC's type of person.
fn validate_regime(rfc: Option<&Rfc>, regimen: Option<i64>) -> Result<(), Error> {
    let Some(regimen) = regimen else { return Ok(()) };
    let regime = sat::regime(regimen).ok_or(Code::RegimenInvalido)?;
    let incompatible = |text: fmt::Arguments<'_>| Err(Error::field(Code::RegimenIncompatible, "regimen", text));
    if regimen == sat::GENERIC_REGIME {
        return incompatible(format_args!(
            "{regimen} es de quien no tiene obligaciones fiscales y no emite comprobantes"
        ));
    }
    match rfc.map(Rfc::person).filter(|person| !regime.allows(*person)) {
        Some(Person::Fisica) => incompatible(format_args!("{regimen} no es de personas físicas, y el RFC lo es")),
        Some(Person::Moral) => incompatible(format_args!("{regimen} no es de personas morales, y el RFC lo es")),
        None => Ok(()),
    }
}
