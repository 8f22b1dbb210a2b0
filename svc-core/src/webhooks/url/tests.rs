use proptest::prelude::*;

use super::UrlFault::{Character, Form, Fragment, Host as Name, Local, Port, Scheme, UserInfo};
use super::*;

fn target(text: &str) -> Result<(String, u16, String), UrlFault> {
    validate_url(text, false).map(|target| (target.host, target.port, target.path))
}

#[test]
fn what_is_taken_leads_where_it_says() {
    for (text, host, path) in [
        ("https://example.com", "example.com", "/"),
        ("https://example.com/", "example.com", "/"),
        ("https://example.com?a=1", "example.com", "/?a=1"),
        ("https://example.com/?", "example.com", "/?"),
        ("https://example.com:443/avisos", "example.com", "/avisos"),
        ("HTTPS://Avisos.Example.COM/Ruta", "avisos.example.com", "/Ruta"),
        (
            "https://a-b.c--d.example.com/x'y/?t=a:b@c,d;e=(f)*g!h$i",
            "a-b.c--d.example.com",
            "/x'y/?t=a:b@c,d;e=(f)*g!h$i",
        ),
        ("https://example.com/%C3%B1?q=%20%2F", "example.com", "/%C3%B1?q=%20%2F"),
        ("https://example.com//x", "example.com", "//x"),
        ("https://example.com/http://127.0.0.1/", "example.com", "/http://127.0.0.1/"),
        ("https://example.com/?a=b?c/d", "example.com", "/?a=b?c/d"),
        ("https://xn--and-6ma2c.mx/", "xn--and-6ma2c.mx", "/"),
        ("https://example.xn--p1ai/", "example.xn--p1ai", "/"),
        ("https://1.2.3.4.example.com/", "1.2.3.4.example.com", "/"),
        ("https://4you.mx/", "4you.mx", "/"),
        ("https://localhost.example.com/", "localhost.example.com", "/"),
        ("https://internal.example.com/", "internal.example.com", "/"),
        ("https://10.0.0.1.nip.io/", "10.0.0.1.nip.io", "/"),
    ] {
        assert_eq!(target(text), Ok((host.to_owned(), 443, path.to_owned())), "{text}");
    }
}

/// Checks that each URL is refused for its reason.
fn refuses(table: &[(&str, UrlFault)]) {
    for (text, fault) in table {
        assert_eq!(target(text), Err(*fault), "{text}");
    }
}

#[test]
fn it_is_https() {
    refuses(&[
        ("", Scheme),
        ("example.com", Scheme),
        ("//example.com/", Scheme),
        ("http://example.com/", Scheme),
        ("ftp://example.com/", Scheme),
        ("wss://example.com/", Scheme),
        ("javascript:alert(1)", Scheme),
        ("file:///etc/passwd", Scheme),
        ("https:example.com", Scheme),
        ("https:/example.com", Scheme),
        ("https:\\\\example.com", Scheme),
        (" https://example.com", Scheme),
        ("ht\ntps://example.com", Scheme),
        ("https:///example.com/", Name),
        ("https://", Name),
        ("https:///", Name),
        ("https://?", Name),
        ("https:////example.com", Name),
    ]);
}

#[test]
fn an_address_is_refused_in_all_its_spellings() {
    refuses(&[
        ("https://127.0.0.1/", Name),
        ("https://8.8.8.8/", Name),
        ("https://2130706433/", Name),
        ("https://0x7f000001/", Name),
        ("https://0x7f.0.0.1/", Name),
        ("https://127.0.0.0x1/", Name),
        ("https://0177.0.0.1/", Name),
        ("https://127.1/", Name),
        ("https://127.0.1/", Name),
        ("https://127.0.0.1.:443/", Name),
        ("https://0/", Name),
        ("https://1.2.3.4.5/", Name),
        ("https://256.256.256.256/", Name),
        ("https://example.0/", Name),
        ("https://example.0x1/", Name),
        ("https://example.0x/", Name),
        ("https://127.0.0.1%2f@example.com/", UserInfo),
        ("https://%31%32%37.0.0.1/", Name),
        ("https://127%2e0%2e0%2e1/", Name),
        ("https://１２７.０.０.１/", Character),
        ("https://①②⑦.0.0.1/", Character),
        ("https://127。0。0。1/", Character),
        ("https://[::1]/", Character),
        ("https://[::ffff:127.0.0.1]/", Character),
        ("https://[fe80::1%25eth0]/", Character),
        ("https://::1/", Name),
    ]);
}

#[test]
fn a_name_is_one_of_the_public_internet_and_has_a_dot() {
    refuses(&[
        ("https://localhost/", Local),
        ("https://LOCALHOST/", Local),
        ("https://avisos/", Name),
        ("https://a.localhost/", Local),
        ("https://a.local/", Local),
        ("https://a.LOCAL/", Local),
        ("https://metadata.google.internal/", Local),
        ("https://local/", Local),
        ("https://example.com./", Name),
        ("https://example.com.:443/", Name),
        ("https://localhost./", Name),
        ("https://127.0.0.1./", Name),
        ("https://.example.com/", Name),
        ("https://example..com/", Name),
        ("https://./", Name),
        ("https://../", Name),
        ("https://-a.example.com/", Name),
        ("https://a-.example.com/", Name),
        ("https://a_b.example.com/", Name),
        ("https://a*b.example.com/", Name),
        ("https://example.com%00.mx/", Name),
        ("https://example%2ecom/", Name),
        ("https://ñandú.mx/", Character),
        ("https://еxample.com/", Character),
        ("https://exam\u{ad}ple.com/", Character),
        ("https://example\u{200b}.com/", Character),
        ("https://xn--a/", Name),
        ("https://xn--a.mx/", Form),
        ("https://xn--example-.mx/", Name),
        ("https://xn--0.mx/", Form),
        ("https://ab--c.example.xn--/", Name),
    ]);
}

#[test]
fn neither_port_nor_user_is_in_it() {
    refuses(&[
        ("https://example.com:80/", Port),
        ("https://example.com:8443/", Port),
        ("https://example.com:/", Port),
        ("https://example.com:0443/", Port),
        ("https://example.com:+443/", Port),
        ("https://example.com:443:443/", Port),
        ("https://example.com:65979/", Port),
        ("https://example.com:443x/", Port),
        ("https://example.com:%34%34%33/", Port),
        ("https://ana@example.com/", UserInfo),
        ("https://ana:clave@example.com/", UserInfo),
        ("https://@example.com/", UserInfo),
        ("https://:@example.com/", UserInfo),
        ("https://example.com@127.0.0.1/", UserInfo),
        ("https://example.com:443@127.0.0.1/", UserInfo),
    ]);
}

#[test]
fn what_browsers_read_otherwise_is_refused() {
    refuses(&[
        ("https://example.com\\@127.0.0.1/", Character),
        ("https://example.com\\.mx/", Character),
        ("https://example.com/a b", Character),
        ("https://example.com/\t", Character),
        ("https://exa\tmple.com/", Character),
        ("https://example.com/\r\nX-A: 1", Character),
        ("https://example.com/\u{0}", Character),
        ("https://example.com/\u{7f}", Character),
        ("https://example.com/ñ", Character),
        ("https://example.com/\"x\"", Character),
        ("https://example.com/<x>", Character),
        ("https://example.com/{x}", Character),
        ("https://example.com/x|y", Character),
        ("https://example.com/x^y", Character),
        ("https://example.com/`x`", Character),
        ("https://example.com/[x]", Character),
        ("https://example.com/%", Character),
        ("https://example.com/%2", Character),
        ("https://example.com/%zz", Character),
        ("https://example.com/a/../b", Form),
        ("https://example.com/a/%2e%2E/b", Form),
        ("https://example.com/./b", Form),
        // The one character of RFC 3986 that browsers encode.
        ("https://example.com/?a='", Form),
        ("https://example.com/#x", Fragment),
        ("https://example.com#@127.0.0.1/", Fragment),
        ("https://example.com/#", Fragment),
    ]);
}

#[test]
fn lengths_are_those_of_names_and_of_the_column() {
    let label = "a".repeat(63);
    assert!(target(&format!("https://{label}.mx/")).is_ok());
    assert_eq!(target(&format!("https://{label}a.mx/")), Err(UrlFault::Host));
    let name = [label.as_str(); 3].join(".");
    assert!(target(&format!("https://{name}.{}.mx/", "a".repeat(58))).is_ok());
    assert_eq!(target(&format!("https://{name}.{}.mx/", "a".repeat(59))), Err(UrlFault::Host));
    let url = |length: usize| format!("https://example.com/{}", "x".repeat(length - 20));
    assert!(target(&url(500)).is_ok());
    assert_eq!(target(&url(501)), Err(UrlFault::Length));
}

#[test]
fn development_takes_http_ports_and_local_names_but_no_addresses() {
    for (text, https, host, port) in [
        ("http://localhost:3000/x", false, "localhost", 3000),
        ("http://receptor", false, "receptor", 80),
        ("https://receptor.local:8443/", true, "receptor.local", 8443),
        ("http://example.com/", false, "example.com", 80),
        ("http://example.com:443/", false, "example.com", 443),
        ("https://example.com/", true, "example.com", 443),
    ] {
        let target = validate_url(text, true).unwrap();
        assert_eq!((target.https, target.host.as_str(), target.port), (https, host, port), "{text}");
    }
    for text in [
        "http://127.0.0.1:3000/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]:3000/",
        "http://localhost.:3000/",
        "http://localhost:0/",
        "http://localhost:65536/",
        "http://ana@localhost/",
        "ftp://localhost/",
    ] {
        assert!(validate_url(text, true).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_taken_is_what_browsers_and_http_read(text in "https://[a-zA-Z0-9.:@%\\[\\]xn_/-]{1,24}[!-~]{0,12}") {
        if let Ok(target) = validate_url(&text, false) {
            let url = Url::parse(&text).unwrap();
            prop_assert_eq!(url.host_str(), Some(target.host.as_str()));
            prop_assert!(matches!(url.host(), Some(Host::Domain(name)) if name.contains('.')));
            prop_assert!(url.username().is_empty() && url.password().is_none() && url.fragment().is_none());
            let uri: http::Uri = text.parse().unwrap();
            prop_assert_eq!(uri.host().map(str::to_ascii_lowercase), Some(target.host));
            prop_assert_eq!(target.port, 443);
        }
    }
}
