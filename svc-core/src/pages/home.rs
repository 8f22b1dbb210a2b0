//! What the home page shows besides its text, and the pages of events and of the demo's data.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::{Content, Site, escaped, html_page, link, sidebar};
use super::markdown::{framed, rendered};
use crate::openapi::TAG_GROUPS;

/// The lists of the demo's data: path, title in each language, and the columns that are shown.
const LISTS: &[(&str, [&str; 2], &str)] = &[
    ("/clientes", ["Customers", "Clientes"], "clave nombre rfc correo telefono"),
    ("/productos", ["Products", "Productos"], "clave sku descripcion marca categoria"),
    ("/inventario", ["Stock", "Inventario"], "clave sku almacen existencia apartado"),
    ("/ventas?tipo=pedido", ["Orders", "Pedidos"], "clave folio fecha cliente total surtido_estatus"),
    ("/ventas?tipo=factura", ["Invoiced sales", "Ventas facturadas"], "clave serie folio fecha cliente total saldo"),
    ("/facturas", ["Tax documents", "Documentos fiscales"], "clave tipo estatus serie folio uuid"),
    ("/cxc", ["Receivables", "Cuentas por cobrar"], "clave cliente total saldo vencimiento estatus"),
    ("/cxc-pagos", ["Payments", "Pagos"], "clave cxc fecha importe forma_pago_sat referencia"),
    ("/compras", ["Purchases", "Compras"], "clave folio proveedor fecha total estatus"),
    ("/cxp", ["Payables", "Cuentas por pagar"], "clave proveedor total saldo vencimiento estatus"),
    ("/oportunidades", ["Opportunities", "Oportunidades"], "clave folio nombre estatus etapa monto"),
    ("/eventos", ["Events", "Eventos"], "clave tipo creado"),
];

/// The beginning of the home page: its name and where it leads.
pub(super) fn start(site: Site<'_>) -> String {
    let language = site.language;
    let mut links = String::new();
    for (to, english, spanish) in [
        ("/docs#quickstart", "Quickstart", "Inicio rápido"),
        ("/docs/reference", "Reference", "Referencia"),
        ("/docs/guides", "Guides", "Guías"),
    ] {
        let to =
            if to == "/docs#quickstart" { language.say("#quickstart", "#inicio-rápido") } else { &link(language, to) };
        let _ = write!(links, "<a href=\"{to}\">{}</a>", language.say(english, spanish));
    }
    format!("<p class=\"leads\">{links}</p>")
}

/// The data of the demo's year to click through, or how to get it.
pub(super) fn data(site: Site<'_>) -> String {
    let language = site.language;
    if !has_data(site) {
        return rendered(language.say(
            "`svc demo --try-it` serves a company with a year of data on your machine. Its pages then show that \
             data, and the reference sends requests.",
            "`svc demo --try-it` sirve en su máquina una empresa con un año de datos. Sus páginas muestran entonces \
             esos datos, y la referencia envía peticiones.",
        ))
        .0;
    }
    let mut cards = String::from("<ul class=\"chips\">");
    for (place, (_, titles, _)) in LISTS.iter().enumerate() {
        let to = link(language, &format!("/docs/data#{place}"));
        let _ = write!(cards, "<li><a href=\"{to}\">{}</a></li>", titles[language as usize]);
    }
    cards + "</ul>"
}

/// The groups of operations, each with its lists.
pub(super) fn operations(site: Site<'_>) -> String {
    let language = site.language;
    let mut cards = String::from("<ul class=\"cards\">");
    for group in TAG_GROUPS {
        let Some(first) = group.tags.first() else { continue };
        let to = link(language, &format!("/docs/reference#tag/{}", first.tag));
        let said = group.tags.iter().map(|named| named.title[language as usize]).collect::<Vec<_>>().join(" · ");
        let title = group.title[language as usize];
        let _ = write!(cards, "<li><a href=\"{to}\"><strong>{title}</strong><span>{said}</span></a></li>");
    }
    if site.has_office {
        let to = link(language, "/docs/office");
        let (title, said) = (
            language.say("Office", "Oficina"),
            language
                .say("What the ERP's own screens do, as actions", "Lo que hacen las pantallas del ERP, como acciones"),
        );
        let _ = write!(cards, "<li><a href=\"{to}\"><strong>{title}</strong><span>{said}</span></a></li>");
    }
    cards + "</ul>"
}

fn has_data(site: Site<'_>) -> bool {
    site.sends_requests && site.key.is_some()
}

/// The page on which the demo's data are clicked through.
pub(super) fn data_page(site: Site<'_>) -> String {
    let language = site.language;
    let title = language.say("The year's data", "Los datos del año");
    let mut body = format!("<h1>{title}</h1>\n");
    if has_data(site) {
        let mut tabs = String::new();
        for (path, titles, columns) in LISTS {
            let title = titles[language as usize];
            let _ = write!(
                tabs,
                "<button type=\"button\" role=\"tab\" aria-selected=\"false\" tabindex=\"-1\" data-path=\"{path}\" data-columns=\"{columns}\">{title}</button>"
            );
        }
        let _ = write!(
            body,
            "<div role=\"tablist\" class=\"tabs\" aria-label=\"{title}\">{tabs}</div>\n\
             <div id=\"list\" role=\"tabpanel\" aria-label=\"{title}\" tabindex=\"0\"></div>\n"
        );
    } else {
        body.push_str(&data(site));
    }
    let list = sidebar(site, "/docs/data");
    let body =
        format!("<div class=\"frame wide\">\n{list}\n<main class=\"guide\" id=\"content\">\n{body}</main>\n</div>");
    let scripts: &[&str] = if has_data(site) { &["/docs/data.js"] } else { &[] };
    html_page(site, &Content { path: "/docs/data", title, attributes: "", body: &body, scripts })
}

/// The page of events, from the description.
pub(super) fn events_page(site: Site<'_>, description: &Value) -> String {
    let language = site.language;
    let title = language.say("Events", "Eventos");
    let intro = language.say(
        "What a [webhook](/docs/guides/webhooks) is told, and what `GET /eventos` lists. Each notice names the \
         resource by its keys; read the rest at `recurso.url`.",
        "Lo que se avisa a un [webhook](/docs/guides/webhooks), y lo que lista `GET /eventos`. Cada aviso nombra el \
         recurso por sus claves; lo demás se lee en `recurso.url`.",
    );
    let intro = intro.replace("/docs/guides/webhooks", &link(language, "/docs/guides/webhooks"));
    let mut text = format!("# {title}\n\n{intro}\n\n");
    for (word, notice) in description["webhooks"].as_object().into_iter().flatten() {
        let notice = &notice["post"];
        let said = notice["description"].as_str().unwrap_or_default();
        let content = &notice["requestBody"]["content"]["application/json"];
        let example = serde_json::to_string_pretty(&content["example"]).unwrap_or_default();
        let _ = write!(text, "## {word}\n\n{said}\n\n```json\n{example}\n```\n\n");
    }
    let (body, headings) = rendered(&text);
    let mut list = format!("<nav class=\"toc\" aria-label=\"{title}\"><h2>{title}</h2><ul>");
    for (place, text) in &headings {
        let _ = write!(list, "<li><a href=\"#{place}\">{}</a></li>", escaped(text));
    }
    framed(site, "/docs/events", title, &body, &(list + "</ul></nav>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::Language;
    use crate::operation::Registry;

    /// A schema itself, not a reference to it.
    fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
        let reference = schema["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
        reference.map_or(schema, |place| resolved(document, document.pointer(place).unwrap()))
    }

    #[test]
    fn the_columns_of_the_data_are_fields_of_their_lists() {
        let document = Registry::default().openapi(Language::English, "/api/v1");
        for (path, _, columns) in LISTS {
            let list = &document["paths"][path.split('?').next().unwrap()]["get"]["responses"]["200"];
            let page = resolved(&document, &list["content"]["application/json"]["schema"]);
            let item = resolved(&document, &resolved(&document, &page["properties"]["datos"])["items"]);
            for column in columns.split(' ') {
                assert!(item["properties"][column].is_object(), "{path} has no {column}");
            }
        }
    }

    #[test]
    fn the_key_of_a_reader_is_filled_in_and_the_data_are_linked() {
        let registry = Registry::default();
        let base = "http://127.0.0.1:8080/api/v1";
        let reader = super::super::html::ReaderKey { key_id: "1_ab".to_owned(), secret: "svc_cd".to_owned() };
        for language in Language::ALL {
            let plain = Site::of(language, &registry, base);
            let page = super::super::guides::home(plain);
            assert!(
                page.contains("svc demo --try-it") && !page.contains("{{") && !page.contains("data-api-key"),
                "{page}"
            );
            let local = Site { key: Some(&reader), sends_requests: true, ..plain };
            let page = super::super::guides::home(local);
            assert!(page.contains("SVC_API_KEY=svc_cd") && page.contains("data-key-id=\"1_ab\""), "{page}");
            assert!(page.contains(&link(language, "/docs/data#0")) && page.contains(base), "{page}");
            assert!(
                data_page(local).contains("data-path=\"/clientes\"") && !data_page(plain).contains("/docs/data.js")
            );
        }
    }
}
