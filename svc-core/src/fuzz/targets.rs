//! The targets: each kind of input with its samples and the properties of accepted input.

use std::sync::Arc;

use bytes::Bytes;
use chrono::DateTime;
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use serde_json::Value;

use crate::context::Context;
use crate::domain::company::{LimitMode, parse_key_id};
use crate::domain::event::EventKinds;
use crate::domain::rfc::Rfc;
use crate::domain::scope::Scopes;
use crate::error::Error;
use crate::json::Json;
use crate::openapi::example;
use crate::operation::page::{Cursors, ListRequest, PageLimits, Position};
use crate::operation::{AnyOperation, Handler, Router};
use crate::registry::OPERATIONS;
use crate::service::Api;
use crate::store::testing::{Empty, SECRET};
use crate::testing::company;
use crate::webhooks::{signature, validate_url, verify};

type Accepts = dyn Fn(&[u8]) -> bool;

pub(super) struct FuzzTarget {
    pub(super) name: &'static str,
    /// Accepted or nearly accepted input, and input that once revealed a fault.
    pub(super) samples: Vec<Vec<u8>>,
    /// Returns whether the input is accepted, and asserts its properties.
    pub(super) accepts: Box<Accepts>,
}

impl FuzzTarget {
    fn new(name: &'static str, samples: Vec<Vec<u8>>, accepts: impl Fn(&[u8]) -> bool + 'static) -> Self {
        Self { name, samples, accepts: Box::new(accepts) }
    }

    /// A target that reads text; invalid UTF-8 becomes replacement characters.
    fn text(name: &'static str, samples: &[&str], accepts: impl Fn(&str) -> bool + 'static) -> Self {
        let samples = samples.iter().map(|sample| sample.as_bytes().to_vec()).collect();
        Self::new(name, samples, move |input| accepts(&String::from_utf8_lossy(input)))
    }
}

pub(super) fn all() -> Vec<FuzzTarget> {
    vec![queries(), cursors(), json(), bodies(), rfcs(), urls(), signatures(), paths(), key_ids(), requests()]
}

/// Values for filters.
const VALUES: [&str; 12] = [
    "1",
    "true",
    "2026-10-12",
    "2026-10-12T18:00:00Z",
    "XAXX010101000",
    "a@example.com",
    "5512345678",
    "clavo grande",
    "A-1",
    "001",
    "G03",
    "5a5f2d3c-8b1e-4c6a-9f0d-1e2f3a4b5c6d",
];

/// Query strings; the first byte selects the list.
fn queries() -> FuzzTarget {
    let lists: Vec<_> = OPERATIONS
        .iter()
        .filter_map(|entry| match entry.handler {
            Handler::List(list) => Some((list, entry)),
            Handler::Open(_) | Handler::Operation(_) | Handler::Download(_) => None,
        })
        .collect();
    let mut samples = Vec::new();
    for (at, (_, entry)) in lists.iter().enumerate() {
        let at = u8::try_from(at).expect("few lists");
        let mut whole = vec![at];
        for filter in entry.filters() {
            for value in VALUES.iter().filter(|value| filter.read(value, &EventKinds::default()).is_ok()) {
                let pair = format!("{}={}", filter.name, value.replace(' ', "+"));
                samples.push([&[at], pair.as_bytes()].concat());
                whole.extend([pair.as_bytes(), b"&"].concat());
            }
        }
        samples.extend([whole, [&[at], b"limite=5".as_slice()].concat()]);
    }
    FuzzTarget::new("queries", samples, move |input| {
        let Some((at, query)) = input.split_first() else { return false };
        let (list, _) = lists[usize::from(*at) % lists.len()];
        let company = company(1);
        let request = ListRequest {
            company: &company,
            path: &["1".to_owned()],
            query: &String::from_utf8_lossy(query),
            scopes: &Scopes::all().into(),
            kinds: &EventKinds::default(),
            limits: PageLimits::of(list.spec().pages, LimitMode::Enforced),
            now: DateTime::UNIX_EPOCH,
        };
        match list.page(&Empty, request).now_or_never().expect("nothing to wait for") {
            Ok(page) => serde_json::from_slice::<Value>(&page).is_ok_and(|page| page["ok"] == true),
            Err(error) => {
                assert!(error.status().is_client_error(), "{error:?}");
                false
            }
        }
    })
}

fn cursors() -> FuzzTarget {
    let company = company(1);
    let sealed = |clave| Cursors::new(&company, "/clientes").seal(clave, "");
    let position = |after, until| Position { after, until };
    let window = position(7, DateTime::from_timestamp(1_791_828_000, 0));
    let samples = [sealed(position(1, None)), sealed(position(i64::MAX, None)), sealed(window)];
    let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
    let owner = company.clone();
    FuzzTarget::text("cursors", &samples, move |text| {
        let cursors = Cursors::new(&owner, "/clientes");
        let opened = cursors.open(text, "");
        if let Ok(position) = opened {
            assert_eq!(cursors.seal(position, ""), text);
        }
        opened.is_ok()
    })
}

/// The examples of operations, and some inputs that fit none.
fn inputs() -> Vec<Vec<u8>> {
    let more = [
        r#"{"tipo":"pedido","cliente":1,"renglones":[{"producto":1,"cantidad":0.000001,"precio_unitario":"999999999999999999.999999"}]}"#,
        "{}",
    ];
    let more = more.into_iter().map(|text| text.as_bytes().to_vec());
    let examples = OPERATIONS.iter().filter_map(example).map(|input| input.to_string().into_bytes());
    examples.chain(more).collect()
}

fn json() -> FuzzTarget {
    FuzzTarget::new("JSON", inputs(), |input| {
        let Ok(ours) = Json::parse_object(input) else { return false };
        assert!(std::str::from_utf8(input).is_ok());
        // Numbers that `serde_json` has no type for are the only input accepted here and refused
        // there.
        if let Err(error) = serde_json::from_slice::<Value>(input) {
            assert!(error.to_string().contains("number out of range"), "{error}");
        }
        let canonical = |json: &Json| {
            let mut text = Vec::new();
            json.canonical(|piece| text.extend_from_slice(piece));
            text
        };
        assert_eq!(canonical(&ours), canonical(&Json::parse_object(input).expect("it was parsed")));
        true
    })
}

/// Bodies, each given to every operation.
fn bodies() -> FuzzTarget {
    let operations: Vec<&'static dyn AnyOperation> = OPERATIONS
        .iter()
        .filter_map(|entry| match entry.handler {
            Handler::Operation(operation) => Some(operation),
            Handler::Open(_) | Handler::List(_) | Handler::Download(_) => None,
        })
        .collect();
    FuzzTarget::new("bodies", inputs(), move |input| {
        let Ok(input) = Json::parse_object(input) else { return false };
        operations
            .iter()
            .filter(|operation| match operation.check(&input) {
                Ok(()) => true,
                Err(fault) => {
                    assert!(Error::from(fault).status().is_client_error());
                    false
                }
            })
            .count()
            > 0
    })
}

fn rfcs() -> FuzzTarget {
    FuzzTarget::text(
        "RFCs",
        &["XAXX010101000", "EKU9003173C9", "ñ&a850101ab1", " xia190128j61 ", "GOÑ000229AAA"],
        |text| {
            let Ok(rfc) = Rfc::parse(text) else { return false };
            assert!(matches!(rfc.as_str().chars().count(), 12 | 13));
            assert_eq!(Rfc::parse(rfc.as_str()).as_ref(), Ok(&rfc));
            rfc.person();
            true
        },
    )
}

fn urls() -> FuzzTarget {
    let samples = [
        "https://example.com/avisos?a=1&b=%20",
        "https://a-b.example.com:443",
        "https://xn--and-6ma2c.mx/?q",
        "http://receptor.test:8080/x",
        "https://localhost.example.com/..%2f",
    ];
    FuzzTarget::text("URLs", &samples, |text| {
        let taken = validate_url(text, false);
        if let Ok(target) = &taken {
            let url = ::url::Url::parse(text).expect("browsers read it");
            assert!(matches!(url.host(), Some(::url::Host::Domain(host)) if host.contains('.') && host == target.host));
            assert_eq!((url.scheme(), url.port_or_known_default(), target.port), ("https", Some(443), 443));
            assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None));
            assert!(text.is_ascii() && !text.contains(char::is_whitespace));
        }
        let in_development = validate_url(text, true);
        assert!(taken.is_err() || in_development.is_ok());
        in_development.is_ok()
    })
}

fn signatures() -> FuzzTarget {
    let now = DateTime::from_timestamp(1_791_828_000, 0).expect("a time");
    let genuine = signature(&[b"whsec_a"], now, b"{}");
    let mac = genuine.split_once("v1=").expect("a signature").1.to_owned();
    let old = format!("t=0,v1={mac}");
    let samples = [genuine.as_str(), &old, &format!("{genuine},v1={mac},v2=x"), "t=1791828000,v1=00"];
    let samples = samples.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    FuzzTarget::new("signatures", samples, move |input| {
        let Ok(value) = HeaderValue::from_bytes(input) else { return false };
        let headers = HeaderMap::from_iter([(HeaderName::from_static("x-svc-firma"), value)]);
        let is_genuine = verify(&headers, b"{}", &["whsec_a", "whsec_b"], now).is_ok();
        if is_genuine {
            assert!(input.to_ascii_lowercase().windows(mac.len()).any(|part| part == mac.as_bytes()));
        }
        is_genuine
    })
}

fn paths() -> FuzzTarget {
    let router = Router::new(OPERATIONS).expect("a router");
    let paths = OPERATIONS.iter().filter_map(|entry| Some(entry.spec.http.as_ref()?.path));
    let filled = paths.map(|path| path.replace("{clave}", "7").replace("{entrega}", "-12"));
    let samples: Vec<Vec<u8>> = filled.map(String::into_bytes).collect();
    FuzzTarget::new("paths", samples, move |input| {
        let path = String::from_utf8_lossy(input);
        let Some((route, parameters)) = router.find(&path) else { return false };
        assert!(!route.allow.is_empty() && parameters.iter().all(|parameter| path.contains(parameter)));
        true
    })
}

fn key_ids() -> FuzzTarget {
    FuzzTarget::text("key ids", &["1_abcdefgh", "9223372036854775807_0", "12_AAAAAAAAAAAA"], |text| {
        let Some((company, suffix)) = parse_key_id(text) else { return false };
        assert_eq!(format!("{}_{suffix}", company.0), text);
        true
    })
}

/// Whole requests: a line with method and target, header lines, an empty line, the body.
fn requests() -> FuzzTarget {
    let builder = Context::builder(Arc::new(Empty), "https://erp.example.com/api/v1");
    let context = builder.rate_per_minute(u32::MAX.into()).in_flight(1_000).build().expect("a context");
    let api = Api::new(&context);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let key = format!("authorization: Bearer {SECRET}\nx-svc-key-id: 1_aaaaaaaaaaaa");
    let mut samples = Vec::new();
    for http in OPERATIONS.iter().filter_map(|entry| entry.spec.http.as_ref()) {
        let (method, path) = (http.method.name(), http.path.replace("{clave}", "7").replace("{entrega}", "1"));
        let rest = match method {
            "GET" => String::new(),
            _ => "\ncontent-type: application/json\nidempotency-key: a-1".to_owned(),
        };
        let body = if method == "GET" { "" } else { r#"{"nombre":"Ana"}"# };
        samples.push(format!("{method} /api/v1{path}?limite=5\n{key}{rest}\n\n{body}").into_bytes());
        samples.push(format!("{method} {path}\n{key}{rest}\ncontent-length: {}\n\n{body}", body.len()).into_bytes());
    }
    FuzzTarget::new("requests", samples, move |input| {
        let Some(request) = request(input) else { return false };
        let answer = runtime.block_on(api.handle(request));
        let status = answer.status().as_u16();
        // A write gets as far as the store, which is missing here.
        assert!(status < 500 || status == 503, "{status}: {}", String::from_utf8_lossy(answer.body()));
        let json: Value = serde_json::from_slice(answer.body()).expect("every answer is JSON");
        assert_eq!(json["ok"], status < 400);
        assert!(answer.headers().contains_key("x-svc-peticion"));
        status < 400 || status == 503
    })
}

/// The request in an input, if it forms one.
fn request(input: &[u8]) -> Option<Request<Bytes>> {
    let end = input.windows(2).position(|pair| pair == b"\n\n")?;
    let (head, body) = (&input[..end], &input[end + 2..]);
    let mut lines = head.split(|byte| *byte == b'\n');
    let line = lines.next()?;
    let space = line.iter().position(|byte| *byte == b' ')?;
    let mut request = Request::new(Bytes::copy_from_slice(body));
    *request.method_mut() = Method::from_bytes(&line[..space]).ok()?;
    *request.uri_mut() = Uri::try_from(&line[space + 1..]).ok()?;
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = HeaderName::from_bytes(&line[..colon]).ok()?;
        request.headers_mut().append(name, HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?);
    }
    Some(request)
}
