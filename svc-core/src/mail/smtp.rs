//! E-mails over SMTP, such as the one about a webhook that was disabled.

use std::net::IpAddr;
use std::time::Duration;

use ::url::Url;
use async_trait::async_trait;
use lettre::message::header::ContentType;
use lettre::message::{Attachment, Mailbox, Message, MultiPart, SinglePart};
#[cfg(feature = "settings")]
use lettre::transport::smtp::{SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use tokio::time::timeout;

use super::{AttachedFile, Notice, Notifier, NotifyFailure};

/// How long the server may take for one e-mail; a [`Notifier`] has half a minute.
const TIMEOUT: Duration = Duration::from_secs(25);

/// Sends e-mails through an SMTP server, one connection each.
pub struct SmtpNotifier {
    server: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Why there is no [`SmtpNotifier`]. It does not show the URL, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SmtpError {
    /// The URL is not one of an SMTP server.
    #[error("no address like smtps://user:password@host")]
    Url,
    /// The URL has a password that would go to another machine without TLS.
    #[error("a URL whose password would be sent in clear: use smtps://, or add ?tls=required to smtp://")]
    ClearPassword,
    /// The sender's address is not one.
    #[error("no e-mail address")]
    From,
}

impl SmtpNotifier {
    /// Sends through the server at `url` (`smtps://user:password@host`,
    /// `smtp://user:password@host?tls=required` for STARTTLS, or `smtp://host:25`), connecting when
    /// there is something to send. `from` is the sender's address; by default it is the URL's user
    /// if that is an address, else `svc@` and the server's name.
    ///
    /// # Errors
    /// [`SmtpError::Url`] or [`SmtpError::From`] if one of them cannot be read, and
    /// [`SmtpError::ClearPassword`] if the URL has a password and does not require TLS, unless its
    /// host is this machine (`localhost`, 127.0.0.0/8 or `::1`).
    pub fn new(url: &str, from: Option<&str>) -> Result<Self, SmtpError> {
        let parsed = Url::parse(url).map_err(|_| SmtpError::Url)?;
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| SmtpError::Url)?;
        if parsed.password().is_some() && !requires_tls(&parsed) && !is_this_machine(&parsed) {
            return Err(SmtpError::ClearPassword);
        }
        let from = match from {
            Some(from) => from.parse().map_err(|_| SmtpError::From)?,
            None => default_sender(&parsed).ok_or(SmtpError::Url)?,
        };
        Ok(Self { server: server.build(), from })
    }
}

/// The host and the port of the server at `url`; `None` if that is no address of one.
#[cfg(feature = "settings")]
pub(crate) fn server_address(url: &str) -> Option<(String, u16)> {
    let url = Url::parse(url).ok()?;
    let has_tls = url.query_pairs().any(|(name, _)| name == "tls");
    let usual = match url.scheme() {
        "smtps" => SUBMISSIONS_PORT,
        "smtp" if has_tls => SUBMISSION_PORT,
        "smtp" => SMTP_PORT,
        _ => return None,
    };
    let host = url.host_str().filter(|host| !host.is_empty())?.trim_matches(['[', ']']);
    Some((host.to_owned(), url.port().unwrap_or(usual)))
}

/// `?tls=opportunistic` is not enough: it goes on in clear if the server seems to offer no TLS.
fn requires_tls(url: &Url) -> bool {
    let tls = url.query_pairs().find(|(name, _)| name == "tls");
    url.scheme() == "smtps" || tls.is_some_and(|(_, value)| value == "required")
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn default_sender(url: &Url) -> Option<Mailbox> {
    let user = url.username().replace("%40", "@");
    let from_host = || format!("svc@{}", url.host_str().unwrap_or_default()).parse().ok();
    user.parse().ok().filter(|_: &Mailbox| user.contains('@')).or_else(from_host)
}

#[async_trait]
impl Notifier for SmtpNotifier {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyFailure> {
        let failed = |error: &dyn std::fmt::Display| NotifyFailure(error.to_string());
        let to = notice.to.parse().map_err(|_| NotifyFailure("the receiver has no e-mail address".to_owned()))?;
        // A server that took the e-mail before, when the answer was lost, recognises it by this id.
        let id = format!("<{}@{}>", notice.id, self.from.email.domain());
        let message = Message::builder().from(self.from.clone()).to(to).subject(&notice.subject).message_id(Some(id));
        let message = match notice.files.as_slice() {
            [] => message.header(ContentType::TEXT_PLAIN).body(notice.text.clone()),
            files => message.multipart(with_files(&notice.text, files)?),
        };
        let message = message.map_err(|error| failed(&error))?;
        // The transport's own limit is one of the connection's opening alone.
        match timeout(TIMEOUT, self.server.send(message)).await {
            Ok(sent) => sent.map(|_| ()).map_err(|error| failed(&error)),
            Err(_) => Err(NotifyFailure(format!("the server did not take the e-mail within {} s", TIMEOUT.as_secs()))),
        }
    }
}

/// The text, then the files.
fn with_files(text: &str, files: &[AttachedFile]) -> Result<MultiPart, NotifyFailure> {
    let mut parts = MultiPart::mixed().singlepart(SinglePart::plain(text.to_owned()));
    for file in files {
        let kind = ContentType::parse(file.content_type).map_err(|error| NotifyFailure(error.to_string()))?;
        parts = parts.singlepart(Attachment::new(file.name.clone()).body(file.content.to_vec(), kind));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that takes one e-mail, or refuses it; returns every line that it received.
    async fn serve(listener: TcpListener, taken: bool) -> String {
        let mut stream = BufReader::new(listener.accept().await.unwrap().0);
        stream.write_all(b"220 hola\r\n").await.unwrap();
        let (mut received, mut data) = (String::new(), false);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap() == 0 {
                return received;
            }
            received.push_str(&line);
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

    const ID: &str = "0123456789abcdef0123456789abcdef";

    fn notice(to: &str) -> Notice {
        let (subject, text) = ("Webhook desactivado".to_owned(), "El webhook 3 falló.".to_owned());
        Notice { id: ID.to_owned(), to: to.to_owned(), subject, text, files: Vec::new() }
    }

    async fn sent(notice: &Notice, taken: bool) -> (Result<(), NotifyFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mail =
            SmtpNotifier::new(&format!("smtp://{}", listener.local_addr().unwrap()), Some("svc@example.com")).unwrap();
        let serving = tokio::spawn(serve(listener, taken));
        let outcome = mail.notify(notice).await;
        drop(mail);
        (outcome, serving.await.unwrap())
    }

    #[tokio::test]
    async fn an_e_mail_is_handed_to_the_server() {
        let (outcome, received) = sent(&notice("ana@example.com"), true).await;
        assert_eq!(outcome, Ok(()));
        for part in ["MAIL FROM:<svc@example.com>", "RCPT TO:<ana@example.com>", "Subject: Webhook desactivado", "QUIT"]
        {
            assert!(received.contains(part), "{part}: {received}");
        }
    }

    #[tokio::test]
    async fn files_go_with_it_and_a_name_adds_no_header() {
        let mut notice = notice("ana@example.com");
        notice.subject = "Factura A1 de Acero\r\nBcc: otra@example.com".to_owned();
        // A PDF has bytes of any value, and lines of its own.
        let pdf: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        let file = |name: &str, content_type, content| AttachedFile { name: name.to_owned(), content_type, content };
        notice.files = vec![
            file("A1.xml", "application/xml", "<x>ñ</x>".into()),
            file("A1.pdf", "application/pdf", pdf.clone().into()),
        ];
        let (outcome, received) = sent(&notice, true).await;
        assert_eq!(outcome, Ok(()));
        for part in ["multipart/mixed", "filename=\"A1.xml\"", "filename=\"A1.pdf\"", "application/pdf"] {
            assert!(received.contains(part), "{part}: {received}");
        }
        assert!(!received.lines().any(|line| line.starts_with("Bcc")), "{received}");
        assert_eq!(attached(&received, "A1.pdf"), pdf);
        assert_eq!(received.matches("RCPT TO").count(), 1);
    }

    /// The content of a file that came with an e-mail.
    fn attached(received: &str, name: &str) -> Vec<u8> {
        let part = received.split_once(&format!("filename=\"{name}\"")).expect("a file").1;
        let (head, content) = part.split_once("\r\n\r\n").expect("a content");
        assert!(head.contains("Content-Transfer-Encoding: base64"), "{head}");
        let lines: String = content.lines().take_while(|line| !line.starts_with("--")).collect();
        STANDARD.decode(lines).expect("base64")
    }

    #[tokio::test]
    async fn an_e_mail_that_is_sent_again_has_the_same_message_id() {
        let header = format!("Message-ID: <{ID}@example.com>");
        for again in [false, true] {
            let (_, received) = sent(&notice("ana@example.com"), true).await;
            let ids: Vec<&str> = received.lines().filter(|line| line.starts_with("Message-ID")).collect();
            assert_eq!(ids, [&header], "{again}");
        }
    }

    #[tokio::test]
    async fn one_that_is_refused_is_not_sent() {
        let (outcome, received) = sent(&notice("nadie@example.com"), false).await;
        assert!(outcome.is_err() && !received.contains("DATA"), "{outcome:?} {received}");
        let mail = SmtpNotifier::new("smtp://127.0.0.1:1", None).unwrap();
        assert!(mail.notify(&notice("ana@example.com")).await.is_err(), "nobody listens there");
        assert!(mail.notify(&notice("no es correo")).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let mail = SmtpNotifier::new(&url, Some("svc@example.com")).unwrap();
        let outcome = mail.notify(&notice("ana@example.com")).await;
        assert!(outcome.as_ref().is_err_and(|failure| failure.0.contains("within 25 s")), "{outcome:?}");
    }

    #[test]
    fn the_default_sender_follows_from_the_url_and_a_wrong_url_is_not_shown() {
        for (url, from) in [
            ("smtps://ana%40example.com:hunter2@smtp.example.com", "ana@example.com"),
            ("smtps://ana:hunter2@smtp.example.com", "svc@smtp.example.com"),
            ("smtp://localhost:25", "svc@localhost"),
        ] {
            assert_eq!(SmtpNotifier::new(url, None).unwrap().from.to_string(), from, "{url}");
        }
        for wrong in ["", "hunter2", "http://user:hunter2@host", "smtp//hunter2"] {
            let said = SmtpNotifier::new(wrong, None).err().unwrap().to_string();
            assert!(said.starts_with("no address like") && !said.contains("hunter2"), "{said}");
        }
    }

    #[cfg(feature = "settings")]
    #[test]
    fn the_address_of_a_server_is_the_one_that_e_mails_go_to() {
        for (url, address) in [
            ("smtps://ana:hunter2@smtp.example.com", Some(("smtp.example.com", 465))),
            ("smtp://smtp.example.com", Some(("smtp.example.com", 25))),
            ("smtp://smtp.example.com?tls=required", Some(("smtp.example.com", 587))),
            ("smtp://smtp.example.com?tls=opportunistic", Some(("smtp.example.com", 587))),
            ("smtp://smtp.example.com:2525/svc?tls=required", Some(("smtp.example.com", 2525))),
            ("smtp://[::1]:25", Some(("::1", 25))),
            ("https://smtp.example.com", None),
            ("smtp.example.com", None),
        ] {
            assert_eq!(server_address(url), address.map(|(host, port)| (host.to_owned(), port)), "{url}");
        }
    }

    #[test]
    fn a_password_goes_only_through_tls_or_to_this_machine() {
        for (url, outcome) in [
            ("smtps://ana:hunter2@smtp.example.com", Ok(())),
            ("smtp://ana:hunter2@smtp.example.com?tls=required", Ok(())),
            ("smtp://ana:hunter2@smtp.example.com:2525/svc?tls=required", Ok(())),
            ("smtp://localhost", Ok(())),
            ("smtp://smtp.example.com", Ok(())),
            ("smtp://ana@smtp.example.com?tls=opportunistic", Ok(())),
            ("smtp://ana:hunter2@LOCALHOST:25", Ok(())),
            ("smtp://ana:hunter2@127.0.0.2:25", Ok(())),
            ("smtp://ana:hunter2@[::1]:25?tls=opportunistic", Ok(())),
            ("smtp://ana:hunter2@smtp.example.com", Err(SmtpError::ClearPassword)),
            ("smtp://ana:hunter2@smtp.example.com?tls=opportunistic", Err(SmtpError::ClearPassword)),
            ("smtp://ana:hunter2@smtp.example.com?tls=opportunistic&tls=required", Err(SmtpError::ClearPassword)),
            ("smtp://ana:hunter2@10.0.0.1", Err(SmtpError::ClearPassword)),
            ("smtp://ana:hunter2@localhost.example.com", Err(SmtpError::ClearPassword)),
        ] {
            assert_eq!(SmtpNotifier::new(url, Some("svc@example.com")).map(|_| ()), outcome, "{url}");
        }
    }
}
