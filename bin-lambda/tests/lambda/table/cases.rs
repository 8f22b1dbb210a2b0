//! The requests. They are sent in this order to one company, so that later ones can read what
//! earlier ones created.

use super::mounts::Mount;
use crate::gateways::Gateway;

pub(super) struct Case {
    pub(super) method: &'static str,
    /// Path and query; `{siguiente}` is the last returned cursor.
    pub(super) target: String,
    /// Whether to send the credentials.
    pub(super) keyed: bool,
    /// Further headers; `{key}` and `{secret}` are the credentials, `{limited}` and
    /// `{limited_secret}` those of a limited key.
    pub(super) headers: Vec<(&'static str, &'static str)>,
    pub(super) body: Vec<u8>,
    /// The mounts whose gateway loses an essential part of the request, so that the answer differs.
    pub(super) lost: Vec<Mount>,
}

const BALANCER: Mount = Mount::Lambda(Gateway::Balancer);

/// The gateways that join repeated headers.
const JOINING: [Mount; 3] = [Mount::Lambda(Gateway::HttpApi), Mount::Lambda(Gateway::FunctionUrl), BALANCER];

fn case(method: &'static str, path: &str) -> Case {
    let target = format!("/api/v1{path}");
    Case { method, target, keyed: true, headers: Vec::new(), body: Vec::new(), lost: Vec::new() }
}

fn get(path: &str) -> Case {
    case("GET", path)
}

/// A write of JSON under an Idempotency-Key.
fn write(method: &'static str, path: &str, key: &'static str, body: impl AsRef<[u8]>) -> Case {
    case(method, path).with("Content-Type", "application/json").with("Idempotency-Key", key).body(body)
}

fn post(path: &str, key: &'static str, body: impl AsRef<[u8]>) -> Case {
    write("POST", path, key, body)
}

impl Case {
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn without_key(mut self) -> Self {
        self.keyed = false;
        self
    }

    fn body(mut self, body: impl AsRef<[u8]>) -> Self {
        self.body = body.as_ref().to_vec();
        self
    }

    fn lost_by(mut self, mounts: &[Mount]) -> Self {
        self.lost = mounts.to_vec();
        self
    }
}

pub(super) fn cases() -> Vec<Case> {
    [routes(), credentials(), browsers(), bodies(), records(), lists(), queries(), webhooks(), office(), simulations()]
        .into_iter()
        .flatten()
        .collect()
}

fn simulations() -> Vec<Case> {
    let mut cases: Vec<_> = ["ocupado", "error_interno", "", "otra"]
        .into_iter()
        .flat_map(|value| {
            let made = post("/clientes", "simulada", r#"{"nombre":"Ana"}"#);
            [get("/clientes"), get("/facturas/1/xml"), made].map(|case| case.with("X-Svc-Simular", value))
        })
        .collect();
    cases.push(get("/clientes").with("X-Svc-Simular", "ocupado").without_key());
    cases.push(get("/health").with("X-Svc-Simular", "error_interno"));
    cases
}

fn routes() -> Vec<Case> {
    let mut cases: Vec<_> = [
        "/health",
        "/nada",
        "",
        "/",
        "/clientes/",
        "//clientes",
        "/x/../clientes",
        "/%2e%2e/v1/clientes",
        "/./clientes",
        "/clientes/%2E",
        "/clientes%00",
        "/%63lientes",
        "/clientes/1/interacciones/2",
        "/cl%C3%ADentes",
        "/clíentes",
        "/100%",
        "/a%20b\"c<d>",
    ]
    .into_iter()
    .map(get)
    .collect();
    // One takes an empty segment for none, the other decodes the path.
    cases[5].lost = vec![Mount::AxumNest];
    cases[11].lost = vec![Mount::Lambda(Gateway::HttpApi)];
    cases.push(case("HEAD", "/health").without_key());
    cases.push(case("OPTIONS", "/health").without_key().with("Access-Control-Request-Method", "GET"));
    for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"] {
        cases.push(case(method, "/health"));
    }
    for method in ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"] {
        cases.push(case(method, "/clientes"));
    }
    cases
}

fn credentials() -> Vec<Case> {
    let bare = || get("/clientes").without_key();
    vec![
        get("/health").without_key(),
        bare(),
        bare().with("Authorization", "Bearer {secret}"),
        bare().with("X-Svc-Key-Id", "{key}"),
        bare().with("Authorization", "Bearer svc_falso").with("X-Svc-Key-Id", "{key}"),
        bare().with("Authorization", "Basic {secret}").with("X-Svc-Key-Id", "{key}"),
        bare().with("authorization", "bearer {secret}").with("x-svc-key-id", "{key}"),
        bare().with("Authorization", "Bearer {secret}").with("X-Svc-Key-Id", "0{key}"),
        bare().with("Authorization", "Bearer {secret}").with("X-Svc-Key-Id", "ñ"),
        bare().with("Authorization", "Bearer {limited_secret}").with("X-Svc-Key-Id", "{limited}"),
        get("/clientes").with("Authorization", "Bearer {secret}").lost_by(&[BALANCER]),
        get("/clientes").with("X-Svc-Key-Id", "{key}").lost_by(&[BALANCER]),
        get("/clientes?limite=1")
            .with("X-Extra", "a")
            .with("X-Extra", "b")
            .with("Cookie", "a=1")
            .with("X-Raro", "ñ \"<>"),
    ]
}

fn browsers() -> Vec<Case> {
    vec![
        get("/clientes").with("Origin", "https://example.com"),
        get("/clientes").with("Origin", ""),
        get("/clientes").with("X-CSRF-Token", "a"),
        get("/clientes").with("RequestVerificationToken", "a"),
        get("/clientes?sid=1"),
        get("/clientes?s%69d"),
        get("/health?sid=1").with("Origin", "null").without_key(),
    ]
}

fn bodies() -> Vec<Case> {
    let lead = r#"{"nombre":"Ana Ñandú"}"#;
    let bare = |body: &[u8]| case("POST", "/clientes").with("Idempotency-Key", "tipo").body(body);
    let mut cases = vec![
        bare(lead.as_bytes()),
        bare(lead.as_bytes()).with("Content-Type", "text/plain"),
        bare(lead.as_bytes()).with("Content-Type", "application/json; charset=latin1"),
        bare(b"{}")
            .with("Content-Type", "application/json")
            .with("Content-Type", "application/json")
            .lost_by(&[BALANCER]),
        bare(b""),
        case("POST", "/clientes").with("Content-Type", "application/json").body(lead),
        post("/clientes", "", lead),
        post("/clientes", "a b", lead),
        post("/clientes", "ñ", lead),
        // Joined, it is one key with a comma in it; the last alone is an ordinary key.
        post("/clientes", "dos", "{}").with("Idempotency-Key", "dos").lost_by(&JOINING),
        post("/clientes", "grande", vec![b' '; 1_048_577]),
        post("/clientes", "consulta", lead),
    ];
    if let Some(last) = cases.last_mut() {
        last.target.push_str("?a=1");
    }
    let invalid: [&[u8]; 14] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\"a\"",
        b"{\"nombre\":\"\xff\"}",
        b"\xef\xbb\xbf{}",
        b"{\"nombre\":\"a\",\"nombre\":\"b\"}",
        b"{\"nombre\":\"\\ud800\"}",
        b"{\"nombre\":\"a\\u0000\"}",
        b"{\"otro\":1}",
        b"{\"nombre\":1}",
        b"{}",
        b"{\"nombre\":\"Ana\",\"rfc\":\"no\"}",
    ];
    cases.extend(invalid.into_iter().map(|body| post("/clientes", "invalido", body)));
    cases
}

fn records() -> Vec<Case> {
    let ana = r#"{"nombre":"Ana Ñandú","rfc":"XIA190128J61","regimen":601,"cp":"06700","uso_cfdi":"G03"}"#;
    let order = r#"{"tipo":"pedido","cliente":2,"renglones":[{"producto":1,"cantidad":2,"precio_unitario":"10.00"}]}"#;
    vec![
        post("/clientes", "c-1", ana).with("X-Extra", "charset"),
        post("/clientes", "c-1", format!(" {ana}\n")),
        post("/clientes", "c-1", r#"{"nombre":"Otra"}"#),
        post("/clientes", "c-2", ana),
        post("/clientes", "c-3", "{\"nombre\":\"\u{1f600} 漢字 \\u00f1\"}"),
        post("/clientes", "c-4", r#"{"nombre":"Carla"}"#),
        post("/leads", "c,5", r#"{"nombre":"Beto","correo":"beto+1@example.com"}"#),
        write("PUT", "/clientes/2", "e-1", r#"{"nombre":"Ana López"}"#),
        write("PUT", "/clientes/2", "e-2", "{}"),
        write("PUT", "/clientes/%32", "e-3", "{}"),
        write("PUT", "/clientes/99", "e-4", "{}"),
        write("PUT", "/clientes/dos", "e-5", "{}"),
        write("PUT", "/clientes/2%2F3", "e-6", "{}").lost_by(&JOINING[..1]),
        write("PUT", "/clientes/99999999999999999999", "e-7", "{}"),
        post("/productos", "p-1", r#"{"sku":"TOR-1","descripcion":"Tornillo 1/4\" <galvanizado>","unidad":1}"#),
        post("/productos", "p-2", r#"{"sku":"TOR-1","descripcion":"Otro","unidad":1}"#),
        post("/clientes/2/interacciones", "i-1", r#"{"canal":"whatsapp","resultado":"cotizo","nota":"40 cajas"}"#),
        post("/ventas", "v-1", order),
        post("/ventas", "v-1", order),
        post("/ventas/1/facturar", "f-1", ""),
        post("/ventas/9/facturar", "f-2", "{}"),
        post(
            "/cxc/9/pagos",
            "g-1",
            r#"{"importe":"1.00","cuenta_bancaria":1,"fecha":"2026-10-12","forma_pago_sat":"03"}"#,
        ),
    ]
}

fn lists() -> Vec<Case> {
    let lists = "productos precios marcas categorias unidades proveedores inventario almacenes sucursales \
                 movimientos-inventario ventas ventas-renglones facturas cxp cxc cxc-pagos cuentas-bancarias compras \
                 compras-renglones oportunidades etapas-oportunidad motivos-perdida vendedores webhooks";
    lists.split_whitespace().map(|list| get(&format!("/{list}?limite=2"))).collect()
}

fn queries() -> Vec<Case> {
    let mut cases: Vec<_> = [
        "/clientes?limite=2",
        "/clientes?limite=2&cursor={siguiente}",
        "/clientes?limite=1&prospecto=true&cursor={siguiente}",
        "/clientes?cursor=falso",
        "/clientes?limite=0",
        "/clientes?limite=31",
        "/clientes?limite=",
        "/clientes?otro=1",
        "/clientes?rfc=",
        "/clientes?rfc=XIA190128J61",
        "/clientes?rfc=%58IA190128J61&&limite=1&",
        "/clientes?r%66c=XIA190128J61",
        "/clientes?",
        "/clientes?=1",
        "/clientes?correo=ana%2Bb%40example.com",
        "/clientes?correo=ana+b@example.com",
        "/productos?buscar=torn%C3%ADllo%20galvanizado",
        "/productos?buscar=tornillo+galvanizado",
        "/productos?buscar=torníllo",
        "/productos?buscar=\"tornillo 1/4\" <galvanizado>`",
        "/productos?buscar=1/4\" <galvanizado>",
        "/productos?buscar=100%",
        "/productos?buscar=%FF%FE",
        "/productos?buscar=a%00b",
        "/productos?buscar=a=b==c",
        "/productos?buscar=a%26b%3Dc;d",
        "/productos?buscar=?/:@!$'()*,;~|\\^{}[]",
    ]
    .into_iter()
    .map(get)
    .collect();
    cases.push(get("/clientes?rfc=a&rfc=b").lost_by(&[BALANCER]));
    cases.push(get("/clientes?limite=1&limite=1").lost_by(&[BALANCER]));
    cases.push(get("/clientes?Cursor=1"));
    cases
}

fn webhooks() -> Vec<Case> {
    let hook = r#"{"url":"https://example.com/avisos","eventos":["venta.creada"]}"#;
    vec![
        post("/webhooks", "w-1", hook),
        post("/webhooks", "w-1", hook),
        post("/webhooks", "w-2", r#"{"url":"http://localhost/","eventos":["venta.creada"]}"#),
        get("/webhooks"),
        write("PUT", "/webhooks/1", "w-3", r#"{"activo":false}"#),
        case("POST", "/webhooks/1/secreto").with("Idempotency-Key", "w-4"),
        case("POST", "/webhooks/1/probar").with("Idempotency-Key", "w-5"),
        get("/webhooks/1/entregas"),
        get("/webhooks/9/entregas"),
        post("/webhooks/1/entregas/9/reenviar", "w-6", ""),
        case("DELETE", "/webhooks/1").with("Idempotency-Key", "w-7"),
        case("DELETE", "/webhooks/1").with("Idempotency-Key", "w-8"),
        case("DELETE", "/webhooks/uno").with("Idempotency-Key", "w-9"),
    ]
}

/// The office beside the API.
fn office() -> Vec<Case> {
    let at = |method, path: &str| Case { target: format!("/office/v1{path}"), ..case(method, "") };
    let action = |name: &str, key, body: &str| {
        at("POST", &format!("/{name}")).with("Content-Type", "application/json").with("Idempotency-Key", key).body(body)
    };
    let lines = |key, body: &str| {
        let import = at("POST", "/import/marcas?existentes=omitir").with("Content-Type", "application/x-ndjson");
        import.with("Idempotency-Key", key).body(body)
    };
    vec![
        at("GET", ""),
        at("GET", "").without_key(),
        at("GET", "/nada/marcas"),
        at("GET", "/batch"),
        at("GET", "?a=1"),
        action("customer.create", "o1", r#"{"nombre":"Ñandú \u00e9"}"#),
        action("customer.create", "o1", r#"{"nombre":"Ñandú é"}"#),
        action("customer.create", "o1", r#"{"nombre":"Otro"}"#),
        action("customer.find", "o2", r#"{"texto":"nandu"}"#),
        action("customer.get", "o2", r#"{"clave":999}"#),
        action("invoice.pdf", "o2", r#"{"factura":1}"#),
        action(
            "batch",
            "o3",
            r#"{"acciones":[{"accion":"account.list","entrada":{}},{"accion":"customer.fly","entrada":{}}]}"#,
        ),
        action("batch", "o4", r#"{"acciones":[{"accion":"account.list","entrada":{}}]}"#),
        lines("o5", "{\"clave\":1,\"nombre\":\"Uno\"}\n{\"clave\":1,\"nombre\":\"Dos\"}\n"),
        lines("o5", "{\"clave\":1,\"nombre\":\"Uno\"}\n{\"clave\":1,\"nombre\":\"Dos\"}\n"),
        lines("o6", "{"),
        at("GET", "/export/marcas"),
        at("GET", "/export/compras"),
        at("GET", "/export/marcas?a=1"),
    ]
}
