use std::collections::BTreeSet;

use super::texts::remedied;
use super::*;
use crate::domain::event::EventKind;
use crate::operation::Entry;
use crate::registry::OPERATIONS;

const ADDRESS: &str = "https://erp.example.com/api/v1";

/// Where this variable is set, the copies in `docs/` are written anew.
const REWRITE: &str = "SVC_REWRITE_DOCS";

/// Svc's own operations with a name.
fn all_named(language: Language) -> Vec<NamedOperation> {
    Registry::default().named_operations(language).collect()
}

#[test]
fn the_copies_in_docs_are_what_is_made() {
    for (language, file) in [(Language::English, "openapi.json"), (Language::Spanish, "openapi.es.json")] {
        let path = format!("{}/docs/{file}", env!("CARGO_MANIFEST_DIR"));
        let made = serde_json::to_string_pretty(&openapi(language, ADDRESS)).unwrap() + "\n";
        if std::env::var_os(REWRITE).is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        let stale = format!("docs/{file} is stale; {REWRITE}=1 cargo test -p svc-core --lib openapi writes it anew");
        let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
        assert!(written == made, "{stale}: {differs:?}");
    }
}

#[test]
fn the_office_describes_every_action_and_every_way_in_and_out() {
    for language in Language::ALL {
        let document = Registry::default().office_openapi(language, ADDRESS);
        assert_eq!(document["servers"][0]["url"], "https://erp.example.com/office/v1");
        let paths = document["paths"].as_object().unwrap();
        for action in all_named(language) {
            let operation = &paths[&format!("/{}", action.name)]["post"];
            let media = &operation["requestBody"]["content"]["application/json"];
            let schema = jsonschema::draft202012::new(&media["schema"]).unwrap();
            assert!(schema.is_valid(&media["example"]), "{}", action.name);
            assert_eq!(operation["summary"], action.summary);
        }
        for path in ["/", "/batch", "/import/clientes", "/export/cxc-pagos"] {
            assert!(paths.contains_key(path), "{path}");
        }
        let ids: Vec<&Value> =
            paths.values().flat_map(|path| path.as_object().unwrap().values()).map(|one| &one["operationId"]).collect();
        assert_eq!(ids.iter().map(|id| id.as_str().unwrap()).collect::<BTreeSet<_>>().len(), ids.len());
        let batch = &paths["/batch"]["post"]["requestBody"]["content"]["application/json"];
        assert!(jsonschema::draft202012::new(&batch["schema"]).unwrap().is_valid(&batch["example"]));
        let mut found = Vec::new();
        all(&document, "", |value| value["$ref"].is_string(), &mut found);
        for (at, refers) in found {
            let pointer = refers["$ref"].as_str().unwrap().trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{at}: {pointer}");
        }
    }
}

/// The operations that HTTP reaches, by their titles.
fn titles() -> Vec<(&'static Entry, String)> {
    let title = |entry: &'static Entry| {
        let http = entry.spec.http.as_ref()?;
        Some((entry, format!("{} {}", http.method.name(), http.path)))
    };
    OPERATIONS.iter().filter_map(title).collect()
}

#[test]
fn every_operation_has_its_text_and_every_text_its_operation() {
    for language in Language::ALL {
        let texts = Texts::of(language);
        let mut left: BTreeSet<&str> = texts.titles().collect();
        assert!(left.remove("introduction"));
        let titles = titles();
        for (entry, title) in &titles {
            let tag = described::tag(entry.spec.http.as_ref().unwrap());
            left.remove(title.as_str());
            left.remove(tag);
            for title in [title.as_str(), tag] {
                assert!(!texts.section(title).is_empty(), "texts/{}.md has no section of {title}", language.code());
            }
            for name in texts.parameters(title) {
                let in_path = name.starts_with('{') && title.contains(name);
                let is_filter = entry.filters().iter().any(|filter| filter.name == name);
                assert!(in_path || is_filter, "{title}: no parameter {name} ({})", language.code());
            }
        }
        for entry in OPERATIONS {
            let title = entry.title();
            assert!(!texts.summary(&title).is_empty(), "{title} has no summary ({})", language.code());
        }
        for event in EventKind::WORDS {
            assert!(left.remove(event), "texts/{}.md has no section of {event}", language.code());
        }
        assert!(left.is_empty(), "nothing has these sections of texts/{}.md: {left:?}", language.code());
    }
}

#[test]
fn every_error_has_its_texts_and_every_text_its_error() {
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.codigo()).collect();
    assert_eq!(all, remedied().collect());
    for (code, language) in Code::ALL.iter().flat_map(|code| Language::ALL.map(|language| (*code, language))) {
        assert!(!meaning(code, language).is_empty(), "{code:?} has no meaning ({})", language.code());
        assert!(!remedy(code, language).is_empty(), "{code:?} has no remedy ({})", language.code());
    }
}

#[test]
fn the_description_has_a_code_only_where_an_operation_may_answer_it() {
    let answered: BTreeSet<&str> = OPERATIONS.iter().flat_map(Entry::errors).map(Code::codigo).collect();
    let document = openapi(Language::English, ADDRESS);
    let examples: BTreeSet<&str> =
        document["components"]["examples"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(examples, answered);
    assert!(!answered.contains("referencia_invalida"));
}

/// Every description in both documents, where they stand in one of schemas, operations and notices.
fn descriptions<'d>(english: &'d Value, spanish: &'d Value, at: &str, found: &mut Vec<(String, &'d str, &'d str)>) {
    match (english, spanish) {
        (Value::Object(english), Value::Object(spanish)) => {
            for (name, value) in english {
                let (at, other) = (format!("{at}/{name}"), &spanish[name]);
                match (value, other) {
                    (Value::String(text), Value::String(other))
                        if matches!(name.as_str(), "description" | "summary") =>
                    {
                        found.push((at, text, other));
                    }
                    _ => descriptions(value, other, &at, found),
                }
            }
        }
        (Value::Array(english), Value::Array(spanish)) => {
            for (index, (value, other)) in english.iter().zip(spanish).enumerate() {
                descriptions(value, other, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn everything_is_said_in_both_languages_and_to_readers_of_the_api() {
    let [english, spanish] = Language::ALL.map(|language| openapi(language, ADDRESS));
    let mut found = Vec::new();
    descriptions(&english, &spanish, "", &mut found);
    let same: BTreeSet<&str> = texts::fields().filter(|(_, [one, two])| one == two).map(|(_, [one, _])| one).collect();
    for (at, english, spanish) in &found {
        assert!(!english.is_empty() && !spanish.is_empty(), "{at}");
        // A summary of a notice is the event's name, and some texts are those of both languages.
        let is_same = at.starts_with("/webhooks") && at.ends_with("/summary") || same.contains(english);
        assert!(english != spanish || is_same, "{at}: {english:?} is in English only");
        for mark in ["[`", "::", "(spec", "(contract", "See spec"] {
            assert!(!english.contains(mark), "{at}: {english:?} is for readers of the code");
        }
    }
}

#[test]
fn every_operation_by_name_is_described_in_both_languages() {
    for (english, spanish) in all_named(Language::English).into_iter().zip(all_named(Language::Spanish)) {
        assert_ne!(english.summary, spanish.summary, "{}", english.name);
        let (english, name) = (english.schema, english.name);
        let mut found = Vec::new();
        descriptions(&english, &spanish.schema, name, &mut found);
        let same: BTreeSet<&str> =
            texts::fields().filter(|(_, [one, two])| one == two).map(|(_, [one, _])| one).collect();
        for (at, english, spanish) in found {
            assert!(!english.is_empty() && !spanish.is_empty(), "{at}");
            assert!(english != spanish || same.contains(english), "{at}: {english:?} is in English only");
        }
    }
}

/// The types of records and bodies with their schemas in the document, by the names that
/// `fields.md` uses.
fn described_types(document: &Value) -> Vec<(&str, &Value)> {
    let components = document["components"]["schemas"].as_object().unwrap().iter();
    let types = components.filter_map(|(name, schema)| match name.strip_suffix("Notice") {
        Some(event) => Some((event, &schema["properties"]["datos"])),
        None if name.ends_with("Page") || name == "Error" => None,
        None => Some((name.strip_suffix("Answer").unwrap_or(name), schema)),
    });
    types.collect()
}

#[test]
fn every_field_has_its_text_and_every_text_its_field() {
    let document = openapi(Language::English, ADDRESS);
    let office = Registry::default().office_openapi(Language::English, ADDRESS);
    let (mut missing, mut unused): (BTreeSet<String>, BTreeSet<_>) =
        (BTreeSet::new(), texts::fields().map(|(key, _)| key).collect());
    let mut look_up = |type_name: &str, field: &str| match texts::field_key(&[type_name], field) {
        Some(key) => drop(unused.remove(key)),
        None => drop(missing.insert(format!("{type_name}.{field}"))),
    };
    for (type_name, schema) in described_types(&document).into_iter().chain(described_types(&office)) {
        for form in std::iter::once(schema).chain(schema["anyOf"].as_array().into_iter().flatten()) {
            // The `ok` of most answers is of the envelope.
            let fields = form["properties"].as_object().unwrap().iter().filter(|(_, schema)| schema["const"] != true);
            for (field, _) in fields {
                look_up(type_name, field);
            }
        }
    }
    let texts = Texts::of(Language::English);
    for (entry, title) in titles() {
        for name in title.split(['{', '}']).skip(1).step_by(2) {
            if texts.parameter(&title, &format!("{{{name}}}")).is_none() {
                look_up(entry.type_name(), name);
            }
        }
    }
    for entry in OPERATIONS.iter().filter(|entry| entry.spec.http.is_none()) {
        assert!(unused.remove(entry.title().as_str()), "{} has no summary in texts/office.md", entry.title());
        texts::each_field(entry, &mut entry.schema().unwrap(), &mut |key, field, _| match key {
            Some(key) => drop(unused.remove(key)),
            None => drop(missing.insert(format!("{}.{field}", entry.type_name()))),
        });
    }
    for field in ["acciones", "acciones.accion", "acciones.entrada"] {
        assert!(unused.remove(format!("BatchBody.{field}").as_str()), "{field}");
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        // Bodies, answers and pages are described with their operations.
        if schema["description"].is_string() && name != "Error" {
            assert!(unused.remove(name.as_str()), "{name}");
        }
    }
    let keys: BTreeSet<_> = texts::fields().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), texts::fields().count(), "a row of texts/fields.md or office.md is there twice");
    assert!(missing.is_empty(), "texts/fields.md or office.md lacks {missing:#?}");
    assert!(unused.is_empty(), "texts/fields.md or office.md has what nothing uses: {unused:#?}");
}

/// Every object in the document that satisfies `is`, with where it stands.
fn all<'d>(value: &'d Value, at: &str, is: fn(&Value) -> bool, found: &mut Vec<(String, &'d Value)>) {
    if is(value) {
        found.push((at.to_owned(), value));
    }
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => return,
    };
    for (name, value) in members {
        all(value, &format!("{at}/{name}"), is, found);
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_used() {
    let document = openapi(Language::English, ADDRESS);
    let mut references = Vec::new();
    all(&document, "", |value| value["$ref"].is_string(), &mut references);
    let targets: BTreeSet<&str> = references.iter().map(|(_, value)| value["$ref"].as_str().unwrap()).collect();
    for target in &targets {
        assert!(document.pointer(&target[1..]).is_some(), "{target}");
    }
    for (kind, components) in document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
            let path = format!("#/components/{kind}/{name}");
            assert!(targets.contains(path.as_str()), "nothing refers to {path}");
        }
    }
}

#[test]
fn every_link_gives_all_that_its_operation_has_in_its_path() {
    let document = openapi(Language::English, ADDRESS);
    let mut links = Vec::new();
    all(&document, "", |value| value["links"].is_object(), &mut links);
    let mut checked = 0;
    for (at, link) in
        links.iter().flat_map(|(at, value)| value["links"].as_object().unwrap().values().map(move |l| (at, l)))
    {
        let entry =
            |(entry, _): &(&'static Entry, String)| entry.operation_id() == link["operationId"].as_str().unwrap();
        let (entry, _) = titles().into_iter().find(entry).unwrap();
        let path = entry.spec.http.as_ref().unwrap().path;
        let needed: BTreeSet<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
        let given: BTreeSet<&str> = link["parameters"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(given, needed, "{at}: {link}");
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn every_body_has_an_example_that_is_valid() {
    let document = openapi(Language::English, ADDRESS);
    let mut bodies = Vec::new();
    all(&document, "", |value| value.get("schema").is_some() && value.get("in").is_none(), &mut bodies);
    let mut checked = 0;
    for (at, body) in bodies.iter().filter(|(at, _)| at.contains("/content/")) {
        let mut examples: Vec<&Value> = body.get("example").into_iter().collect();
        let named = body["examples"].as_object().into_iter().flatten();
        examples.extend(named.map(|(_, example)| {
            let target = example["$ref"].as_str().map(|target| document.pointer(&target[1..]).unwrap());
            &target.unwrap_or(example)["value"]
        }));
        assert!(!examples.is_empty(), "{at}: no example");
        let mut schema = body["schema"].clone();
        schema["components"] = document["components"].clone();
        let schema = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
        for example in examples {
            let faults: Vec<_> = schema.iter_errors(example).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{at}: {example}: {faults:?}");
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn examples_are_of_what_there_is() {
    let titles: BTreeSet<_> = titles().into_iter().map(|(_, title)| title).collect();
    for title in examples::titles("requests") {
        assert!(titles.contains(&title), "{title}");
    }
    for name in examples::titles("actions") {
        assert!(OPERATIONS.iter().any(|entry| entry.spec.name == Some(&name)), "{name}");
    }
    let events: BTreeSet<_> = EventKind::WORDS.iter().map(|word| (*word).to_owned()).collect();
    assert_eq!(examples::titles("notices").into_iter().collect::<BTreeSet<_>>(), events);
}

#[test]
fn operations_have_names_of_their_own() {
    let names: Vec<_> = titles().iter().map(|(entry, _)| entry.operation_id()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    for name in ["listCustomers", "createCustomer", "listBranches", "listDeliveries", "readInvoiceXml"] {
        assert!(names.iter().any(|other| other == name), "{name}");
    }
}

#[test]
fn an_operation_says_what_it_takes_and_what_it_answers() {
    let document = openapi(Language::English, ADDRESS);
    let edit = &document["paths"]["/clientes/{clave}"]["put"];
    assert_eq!(edit["x-scopes"], json!(["clientes:write"]));
    assert_eq!(edit["parameters"][0]["name"], "clave");
    let taken = &document["components"]["schemas"]["EditCustomer"];
    assert!(taken["properties"].get("clave").is_none() && taken.get("required").is_none());
    assert_eq!(taken["properties"]["nombre"]["maxLength"], 100);
    let create = &document["paths"]["/clientes"]["post"]["responses"];
    let statuses: Vec<_> = create.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["200", "201", "400", "401", "402", "403", "404", "405", "409", "413", "415", "422", "429", "500", "503"];
    assert_eq!(statuses, expected);
    assert_eq!(create["201"]["links"]["editCustomer"]["parameters"]["clave"], "$response.body#/cliente");
    let resend = &document["paths"]["/webhooks/{clave}/probar"]["post"]["responses"]["202"]["links"]["resendDelivery"];
    assert_eq!(resend["parameters"], json!({ "clave": "$request.path.clave", "entrega": "$response.body#/entrega" }));
    let invoice = &document["paths"]["/ventas/{clave}/facturar"]["post"]["responses"]["202"]["links"];
    assert_eq!(invoice["readInvoiceXml"]["parameters"]["clave"], "$response.body#/factura");
    // Every field of an answer is there, null or not.
    let customer = &document["components"]["schemas"]["Customer"];
    assert_eq!(customer["required"].as_array().unwrap().len(), customer["properties"].as_object().unwrap().len());
    let lines = &document["paths"]["/ventas-renglones"]["get"]["parameters"];
    assert_eq!((&lines[0]["name"], &lines[0]["required"]), (&json!("venta"), &json!(true)));
}
