//! E-mails over SMTP: what the service has to tell a person, such as that their webhook was disabled.

use std::time::Duration;

use async_trait::async_trait;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use svc_core::webhooks::{Notice, Notifier, NotifyFailure};
use url::Url;

use crate::SettingError;

/// How long the server may take for one e-mail; a pass allows half a minute.
const PATIENCE: Duration = Duration::from_secs(25);

/// Sends e-mails through an SMTP server.
pub struct Mail {
    server: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mail {
    /// Through the server at `url` (`smtps://user:password@host`, or `smtp://host:25`); a wrong one is not shown, since it
    /// may hold a password. The sender is `from`, else who the URL says we are, else `svc@` the server's name.
    pub fn new(url: &str, from: Option<&str>) -> Result<Self, SettingError> {
        let wrong = || SettingError("SVC_SMTP_URL is no address like smtps://user:password@host".to_owned());
        let parsed = Url::parse(url).map_err(|_| wrong())?;
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| wrong())?;
        let from = match from {
            Some(from) => from.parse().map_err(|_| SettingError("SVC_SMTP_FROM is no e-mail address".to_owned()))?,
            None => Self::own_address(&parsed).ok_or_else(wrong)?,
        };
        Ok(Self { server: server.timeout(Some(PATIENCE)).build(), from })
    }

    fn own_address(url: &Url) -> Option<Mailbox> {
        let user = url.username().replace("%40", "@");
        let from_host = || format!("svc@{}", url.host_str().unwrap_or_default()).parse().ok();
        user.parse().ok().filter(|_: &Mailbox| user.contains('@')).or_else(from_host)
    }
}

#[async_trait]
impl Notifier for Mail {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure> {
        let failed = |error: &dyn std::fmt::Display| NotifyFailure(error.to_string());
        let to = notice.to.parse().map_err(|_| NotifyFailure("the receiver has no e-mail address".to_owned()))?;
        let message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(&notice.subject)
            .header(ContentType::TEXT_PLAIN)
            .body(notice.text.clone())
            .map_err(|error| failed(&error))?;
        self.server.send(message).await.map(|_| ()).map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that takes one e-mail, or refuses it; gives all that it was told.
    async fn serve(listener: TcpListener, taken: bool) -> String {
        let mut stream = BufReader::new(listener.accept().await.unwrap().0);
        stream.write_all(b"220 hola\r\n").await.unwrap();
        let (mut told, mut data) = (String::new(), false);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap() == 0 {
                return told;
            }
            told.push_str(&line);
            let answer = match line.trim_end() {
                "." => {
                    data = false;
                    "250 en cola"
                }
                _ if data => continue,
                "DATA" => {
                    data = true;
                    "354 adelante"
                }
                "QUIT" => "221 adios",
                line if line.starts_with("RCPT") && !taken => "550 no existe",
                _ => "250 bien",
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).await.unwrap();
        }
    }

    fn notice(to: &str) -> Notice {
        Notice { to: to.to_owned(), subject: "Webhook desactivado".to_owned(), text: "El webhook 3 falló.".to_owned() }
    }

    async fn sent(notice: &Notice, taken: bool) -> (Result<(), NotifyFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mail = Mail::new(&format!("smtp://{}", listener.local_addr().unwrap()), Some("svc@example.com")).unwrap();
        let serving = tokio::spawn(serve(listener, taken));
        let outcome = mail.notify(notice).await;
        drop(mail);
        (outcome, serving.await.unwrap())
    }

    #[tokio::test]
    async fn an_e_mail_is_handed_to_the_server() {
        let (outcome, told) = sent(&notice("ana@example.com"), true).await;
        assert_eq!(outcome, Ok(()));
        for part in ["MAIL FROM:<svc@example.com>", "RCPT TO:<ana@example.com>", "Subject: Webhook desactivado", "QUIT"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[tokio::test]
    async fn one_that_is_refused_is_not_sent() {
        let (outcome, told) = sent(&notice("nadie@example.com"), false).await;
        assert!(outcome.is_err() && !told.contains("DATA"), "{outcome:?} {told}");
        let mail = Mail::new("smtp://127.0.0.1:1", None).unwrap();
        assert!(mail.notify(&notice("ana@example.com")).await.is_err(), "nobody listens there");
        assert!(mail.notify(&notice("no es correo")).await.is_err());
    }

    #[test]
    fn who_sends_follows_from_the_url_and_a_wrong_one_is_not_shown() {
        for (url, from) in [
            ("smtps://ana%40example.com:hunter2@smtp.example.com", "ana@example.com"),
            ("smtps://ana:hunter2@smtp.example.com", "svc@smtp.example.com"),
            ("smtp://localhost:25", "svc@localhost"),
        ] {
            assert_eq!(Mail::new(url, None).unwrap().from.to_string(), from, "{url}");
        }
        for wrong in ["", "hunter2", "http://user:hunter2@host", "smtp//hunter2"] {
            let said = Mail::new(wrong, None).err().unwrap().to_string();
            assert!(said.starts_with("SVC_SMTP_URL is no address") && !said.contains("hunter2"), "{said}");
        }
    }
}
