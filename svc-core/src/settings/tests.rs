use clap::Parser;

use super::*;
use crate::domain::clock::SystemRandom;
use crate::domain::company::CompanyId;
use crate::secrets::{Place, Sealer, SecretsKey};

#[derive(Debug, Parser)]
struct Server {
    #[command(flatten)]
    api: ApiSettings,
    #[command(flatten)]
    secrets: SecretsSettings,
    #[command(flatten)]
    outside: OutsideSettings,
}

const SECRET: &str = "hunter2";

const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn server(flags: &[&str]) -> Server {
    Server::try_parse_from(["server"].iter().chain(flags)).unwrap()
}

#[test]
fn a_wrong_setting_is_named_and_not_shown() {
    let no_address = "SVC_SMTP_URL is no address like smtps://user:password@host";
    for (flags, expected) in [
        (&["--secrets-key", SECRET][..], "SVC_SECRETS_KEY: a secrets key has 64 hexadecimal digits"),
        (&["--secrets-key", ""], "SVC_SECRETS_KEY is empty: leave it out, or give it a key"),
        (
            &["--secrets-key", KEY, "--secrets-key-old", "hunter2"],
            "SVC_SECRETS_KEY_OLD: a secrets key has 64 hexadecimal digits",
        ),
        (&["--secrets-key-old", KEY], "SVC_SECRETS_KEY_OLD goes with SVC_SECRETS_KEY"),
        (&["--smtp-url", "http://user:hunter2@host"], no_address),
        (&["--smtp-url", SECRET], no_address),
        (
            &["--smtp-url", "smtp://user:hunter2@host"],
            "SVC_SMTP_URL is a URL whose password would be sent in clear: \
             use smtps://, or add ?tls=required to smtp://",
        ),
        (&["--smtp-url", "smtp://host", "--smtp-from", "nobody"], "SVC_SMTP_FROM is no e-mail address"),
        (
            &["--stamper", "https://pac.example/timbrar", "--stamper-token", "hunter2\n"],
            "SVC_STAMPER_TOKEN: the provider's token is empty or has characters that a header cannot hold",
        ),
        (
            &["--stamper", "ftp://user:hunter2@pac.example"],
            "SVC_STAMPER: the provider's URL must be https://host[:port]/path, without credentials",
        ),
        (
            &["--webhook-deny-nets", "10"],
            "SVC_WEBHOOK_DENY_NETS: \"10\" is no network; \
             write 203.0.113.0/24 or 2001:db8::/32, several with commas between them",
        ),
    ] {
        let server = server(flags);
        let sealer = server.secrets.sealer().map(|_| ());
        let error = sealer.and_then(|()| server.outside.open().map(|_| ())).unwrap_err();
        assert_eq!(error.to_string(), expected, "{flags:?}");
        assert!(!format!("{error:?}").contains(SECRET) && !format!("{error:?}").contains(KEY), "{error:?}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let keys = ["--secrets-key", SECRET, "--secrets-key-old", SECRET];
    let server = server(&[&keys[..], &["--stamper-token", SECRET, "--smtp-url", SECRET]].concat());
    let shown = format!("{server:?}");
    assert!(shown.contains("Hidden(..)") && !shown.contains(SECRET), "{shown}");
}

#[test]
fn an_empty_setting_is_none() {
    let server = server(&["--secrets-key-old", "", "--stamper", "", "--smtp-url", ""]);
    assert!(!server.secrets.sealer().unwrap().has_key());
    assert!(server.outside.open().unwrap().notifier.is_none());
}

#[test]
fn old_keys_open_and_the_current_one_seals() {
    let place = Place { company: CompanyId(1), column: "webhooks.secreto", record: "1" };
    let [a, b] = ["0a", "0b"].map(|pair| pair.repeat(32));
    let before = Sealer::new(a.parse::<SecretsKey>().unwrap()).seal(place, b"x", &SystemRandom).unwrap();
    let old = format!("{b}, {a}");
    let sealer = server(&["--secrets-key", KEY, "--secrets-key-old", &old]).secrets.sealer().unwrap();
    assert_eq!(*sealer.open(place, &before).unwrap(), b"x");
    let again = sealer.seal(place, b"x", &SystemRandom).unwrap();
    assert_eq!(*Sealer::new(KEY.parse::<SecretsKey>().unwrap()).open(place, &again).unwrap(), b"x");
}

#[test]
fn this_machine_is_reached_only_where_no_networks_are_set() {
    let loopback = "127.0.0.1".parse().unwrap();
    for (flags, reached) in [(&[][..], true), (&["--webhook-allow-nets", "10.0.0.0/8"], false)] {
        let webhooks = server(flags).outside.webhooks;
        assert!(webhooks.networks().unwrap().is_development() != flags.is_empty());
        assert_eq!(webhooks.or_this_machine().networks().unwrap().allows(loopback), reached, "{flags:?}");
    }
}

#[test]
fn limits_are_within_their_ranges() {
    for wrong in [
        ["--rate-per-minute", "0"],
        ["--in-flight", "0"],
        ["--max-body", "0"],
        ["--max-body", "104857601"],
        ["--stamper-timeout", "601"],
        ["--limits", "none"],
    ] {
        assert!(Server::try_parse_from(["server"].iter().chain(&wrong)).is_err(), "{wrong:?}");
    }
    assert!(format!("{:?}", server(&[]).api).contains("limits: Enforced"));
}
