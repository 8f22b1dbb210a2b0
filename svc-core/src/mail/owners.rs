//! E-mails to owners of companies: their certificate ends soon, or documents wait for them.

use chrono::{DateTime, Utc};

use super::Context;
use crate::context::Step;
use crate::domain::certificate::RENEWAL_NOTICE;
use crate::domain::company::Company;
use crate::domain::words::{Held, OwnerMatter};
use crate::error::Error;
use crate::observe;
use crate::operation::Cx;
use crate::posting::mailing::one_line;
use crate::store::{Backlog, NAMED_DOCUMENTS, NewMail, StoreError, TOLD_FOR, WaitingDocuments};

/// Queues an e-mail for the owner of each company whose signing certificate ends within 30 days, or
/// whose documents wait for a person: the provider refuses the account or the certificate, nobody
/// can tell what became of them, or, `without_provider`, nobody stamps them. Each matter gets one
/// e-mail: a certificate by its number, documents until others wait. Returns how many e-mails it
/// queued; [`notify_due`](super::notify_due) sends them.
///
/// The owner is the company's first active user; one without an address gets no e-mail. A test
/// company's certificate ends by its own clock.
///
/// Call it on a timer. Several processes may run it at once. A company that fails is logged and
/// counted, and delays no other; the error is that of the search.
pub async fn tell_owners(context: &Context, without_provider: bool) -> Result<u64, StoreError> {
    let context = &context.in_background();
    let mut told = 0;
    for (company, matter) in context.store().owners_to_tell(context.now(), RENEWAL_NOTICE, without_provider).await? {
        match context.run_step(company, &TellOwner(matter)).await {
            Ok(queued) => told += u64::from(queued),
            Err(error) => observe::company_failed(Backlog::Mail.name(), company, &error),
        }
    }
    Ok(told)
}

/// Queues one of these e-mails, if there is still a reason and none was queued meanwhile.
struct TellOwner(OwnerMatter);

impl Step for TellOwner {
    type Output = bool;

    async fn run_step(&self, cx: &mut Cx<'_>) -> Result<bool, Error> {
        let Some(address) = cx.tx.owner_address().await? else { return Ok(false) };
        let held = match self.0 {
            OwnerMatter::Certificate => return about_certificate(cx, &address).await,
            OwnerMatter::Misconfigured => Some(Held::Misconfigured),
            OwnerMatter::Stuck => Some(Held::Stuck),
            OwnerMatter::NoProvider => None,
        };
        let Some(waiting) = cx.tx.waiting_documents(held).await? else { return Ok(false) };
        let silent_since = waiting.desde.min(cx.now.get() - TOLD_FOR);
        if !cx.tx.note_told(self.0, "", silent_since, cx.now).await? {
            return Ok(false);
        }
        let (asunto, texto) = about_documents(held, &waiting, cx.company);
        send(cx, &address, &asunto, &texto).await
    }
}

/// By the earlier of the process's clock and the store's, so that a server that is ahead queues no
/// e-mail too early.
async fn about_certificate(cx: &mut Cx<'_>, address: &str) -> Result<bool, Error> {
    let now = cx.earlier_now().await?;
    let Some(certificate) = cx.tx.signing_certificate().await? else { return Ok(false) };
    let end = certificate.hasta.get();
    // Each number gets one e-mail.
    let ever = DateTime::<Utc>::UNIX_EPOCH;
    if end >= now + RENEWAL_NOTICE
        || !cx.tx.note_told(OwnerMatter::Certificate, &certificate.numero, ever, cx.now).await?
    {
        return Ok(false);
    }
    let (nombre, numero, empresa) = (one_line(&cx.company.nombre), &certificate.numero, cx.company.id.0);
    let ends = if end < now { "venció" } else { "vence" };
    let day = end.with_timezone(&cx.company.zone()).date_naive();
    let asunto = format!("El certificado de sello digital de {nombre} {ends} el {day}");
    let texto = format!(
        "El certificado de sello digital {numero} de {nombre} (RFC {rfc}) {ends} el {day}. Sin un certificado vigente \
         no se timbra ni se cancela ningún comprobante.\n\n\
         Tramite uno nuevo ante el SAT y cárguelo, o pida a quien administra el servicio que lo haga:\n\
         svc certificate load --company {empresa} --cer ARCHIVO.cer --key ARCHIVO.key --password-env VARIABLE\n",
        rfc = certificate.rfc,
    );
    send(cx, address, &asunto, &texto).await
}

/// Subject and text about documents that wait for this reason; `None` means that no provider is
/// set.
fn about_documents(held: Option<Held>, waiting: &WaitingDocuments, company: &Company) -> (String, String) {
    let nombre = one_line(&company.nombre);
    let WaitingDocuments { documentos, facturas, desde, .. } = waiting;
    let count = if *documentos == 1 { "1 comprobante".to_owned() } else { format!("{documentos} comprobantes") };
    let (wait, s) = if *documentos == 1 { ("espera", "") } else { ("esperan", "s") };
    let claves: Vec<String> = facturas.iter().map(i64::to_string).collect();
    let more = if *documentos > NAMED_DOCUMENTS as u64 { "…" } else { "" };
    let since = desde.with_timezone(&company.zone()).format("%Y-%m-%d %H:%M");
    let said = waiting.ultimo_error.as_deref().map(one_line).unwrap_or_default();
    let list = format!("Clave{s} en el registro: {}{more}\nDesde: {since}\n", claves.join(", "));
    match held {
        Some(Held::Stuck) => (
            format!("No se sabe qué fue de {count} de {nombre}"),
            format!(
                "{count} de {nombre} {wait} una decisión: su envío quedó sin respuesta y nadie puede decir si llegó.\n\n\
                 {list}Respuesta: {said}\n\n\
                 Busque en el portal del SAT o del proveedor. Lo que no existe ahí se vuelve a enviar con\n\
                 svc do --company {empresa} invoice.restamp '{{\"factura\": CLAVE, \"forzar\": true}}'\n",
                empresa = company.id.0,
            ),
        ),
        Some(_) => (
            format!("El timbrado de {nombre} se detuvo: el proveedor rechaza la cuenta o el certificado"),
            format!(
                "{count} de {nombre} {wait}: el proveedor de timbrado rechaza las credenciales, el saldo de timbres o el \
                 certificado de la empresa.\n\n{list}Respuesta: {said}\n\n\
                 Cuando se corrija, se envían solos. Revise la cuenta con el proveedor y el certificado cargado, o pida \
                 a quien administra el servicio que lo haga (svc doctor).\n",
            ),
        ),
        None => (
            format!("{count} de {nombre} {wait} un proveedor de timbrado"),
            format!(
                "{count} de {nombre} {wait}: el servicio no tiene proveedor de timbrado.\n\n{list}\n\
                 Cuando quien administra el servicio configure uno (SVC_STAMPER), se envían solos.\n",
            ),
        ),
    }
}

async fn send(cx: &mut Cx<'_>, para: &str, asunto: &str, texto: &str) -> Result<bool, Error> {
    let asunto = if cx.company.prueba { format!("[PRUEBA] {asunto}") } else { asunto.to_owned() };
    cx.tx.append_mail(&NewMail { para, asunto: &asunto, texto, factura: None }, cx.now).await?;
    Ok(true)
}
