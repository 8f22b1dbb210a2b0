//! The ticket of a sale: a PDF as wide as the paper of receipt printers (80 mm), as long as it
//! needs. What is longer than a page may be continues on a further page.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::canvas::{Canvas, PageSize, Style};
use super::colour::{BLACK, GREY};
use super::font::Fonts;
use super::letterhead::Letterhead;
use super::letters;
use super::sheet::leading;
use super::typesetter::Weight;
use super::words::{amount, date, trimmed};
use crate::domain::money::Money;
use crate::domain::quantity::Quantity;
use crate::domain::sat;
use crate::domain::words::SaleKind;

/// A sales document as its ticket shows it.
#[derive(Debug, Clone)]
pub struct SaleTicket {
    /// The head of the ticket: the company's logo, name, address and contact.
    pub letterhead: Letterhead,
    /// What the document is, for its title.
    pub tipo: SaleKind,
    /// Series and number as printed; `None` if the document has no number.
    pub folio: Option<String>,
    /// When it was made.
    pub fecha: DateTime<Utc>,
    /// The postal code of its branch, whose time it shows.
    pub cp: Option<String>,
    /// The name of its branch.
    pub sucursal: Option<String>,
    /// The customer's name; `None` leaves its row out.
    pub cliente: Option<String>,
    /// The salesperson's name; `None` leaves its row out.
    pub vendedor: Option<String>,
    /// The currency of all amounts (`c_Moneda`).
    pub moneda: String,
    /// Before discount and taxes.
    pub subtotal: Money,
    /// The sum of the lines' discounts, printed if it is not zero.
    pub descuento: Money,
    /// The taxes charged: IVA, IEPS and local ones.
    pub impuestos: Money,
    /// What the customer withholds: ISR, IVA and local taxes.
    pub retenciones: Money,
    /// What is to be paid.
    pub total: Money,
    /// What is still owed.
    pub saldo: Money,
    /// How it is paid, a key of the SAT's catalogue.
    pub forma_pago_sat: Option<String>,
    /// Whether it was cancelled.
    pub cancelada: bool,
    /// The sale's reference, such as the customer's purchase order; `None` leaves its row out.
    pub referencia: Option<String>,
    /// The sale's comments, with their line feeds.
    pub comentarios: Option<String>,
    /// The fiscal folio of its invoice.
    pub uuid: Option<String>,
    /// The lines, in the order of their numbers.
    pub renglones: Vec<TicketLine>,
}

/// A line of a ticket.
#[derive(Debug, Clone)]
pub struct TicketLine {
    /// The line's description, else its SKU.
    pub descripcion: String,
    /// How much of it.
    pub cantidad: Quantity,
    /// The price of one, before taxes.
    pub precio_unitario: Money,
    /// Quantity by price, before discount and taxes.
    pub subtotal: Money,
}

/// The width of the paper, 80 mm.
const WIDTH: f32 = 226.8;
const MARGIN: f32 = 11.0;
const BREADTH: f32 = WIDTH - 2.0 * MARGIN;
/// The height beyond which viewers clip or refuse a page (PDF 1.7, Annex C).
const MAX_HEIGHT: f32 = 14_400.0;
/// The largest width and height of a logo, in points.
const LOGO: (f32, f32) = (130.0, 48.0);

const TEXT: Style = Style::new(Weight::Regular, 8.0, BLACK);
const BOLD: Style = Style::new(Weight::Strong, 8.0, BLACK);
const SMALL: Style = Style::new(Weight::Regular, 7.0, GREY);

/// Draws the ticket of a sale. The same sale always yields the same bytes.
pub fn draw(sale: &SaleTicket, fonts: &Fonts) -> Vec<u8> {
    // The first pass only measures the pages.
    let heights = Roll::new(fonts, sale, &[]).lay(sale);
    let mut roll = Roll::new(fonts, sale, &heights);
    roll.lay(sale);
    let title = format!("{} {}", kind(sale.tipo), sale.folio.as_deref().unwrap_or_default());
    roll.canvas.finish(title.trim_end(), sale.letterhead.nombre.as_deref().unwrap_or_default())
}

/// The paper, and the current position on its last page.
struct Roll<'f> {
    canvas: Canvas<'f>,
    y: f32,
    /// Where each page begins.
    top: f32,
    /// The heights of the pages, if they are known.
    heights: &'f [f32],
    /// The heights of the pages before the last, as they turned out.
    measured: Vec<f32>,
}

impl<'f> Roll<'f> {
    fn new(fonts: &'f Fonts, sale: &SaleTicket, heights: &'f [f32]) -> Self {
        let height = heights.first().copied().unwrap_or(MAX_HEIGHT);
        let mut canvas = Canvas::new(fonts, PageSize { width: WIDTH, height });
        canvas.across = sale.cancelada.then_some("CANCELADO");
        canvas.above = sale.letterhead.prueba.then_some("EMPRESA DE PRUEBA, SIN VALIDEZ");
        let top = MARGIN + if sale.letterhead.prueba { 14.0 } else { 0.0 };
        Self { canvas, y: top, top, heights, measured: Vec::new() }
    }

    /// Draws everything; returns the height of each page.
    fn lay(&mut self, sale: &'f SaleTicket) -> Vec<f32> {
        self.head(&sale.letterhead);
        self.about(sale);
        self.dashes();
        for line in &sale.renglones {
            self.line(line);
        }
        self.dashes();
        self.sums(sale);
        self.end(sale);
        self.measured.push(self.y + MARGIN);
        std::mem::take(&mut self.measured)
    }

    /// Moves down by the height of what is drawn next, on a further page if it has no room on this
    /// one.
    fn advance(&mut self, height: f32) {
        if self.y + height > MAX_HEIGHT - MARGIN {
            self.measured.push(self.y + MARGIN);
            self.canvas.add_page_of(self.heights.get(self.measured.len()).copied().unwrap_or(MAX_HEIGHT));
            self.y = self.top;
        }
        self.y += height;
    }

    fn head(&mut self, letterhead: &'f Letterhead) {
        if let Some(logo) = &letterhead.logo {
            let size = logo.fitted(LOGO.0, LOGO.1);
            self.canvas.logo((WIDTH - size.0) / 2.0, self.y, size, logo);
            self.y += size.1 + 6.0;
        }
        let name = Style { size: 11.0, ..BOLD };
        self.centred(name, letterhead.nombre.as_deref().unwrap_or_default());
        if let Some(rfc) = &letterhead.rfc {
            self.centred(TEXT, &format!("RFC {rfc}"));
        }
        for line in letterhead.address() {
            self.centred(TEXT, line);
        }
        for contact in letterhead.contacts() {
            self.centred(TEXT, contact);
        }
        self.dashes();
    }

    fn about(&mut self, sale: &SaleTicket) {
        let title = Style { size: 9.5, ..BOLD };
        self.pair(title, kind(sale.tipo), sale.folio.as_deref().unwrap_or_default());
        let at = sale.fecha.with_timezone(&sat::zone_at(sale.cp.as_deref())).format("%Y-%m-%dT%H:%M").to_string();
        let rows = [
            ("Fecha", Some(date(&at))),
            ("Sucursal", sale.sucursal.clone()),
            ("Cliente", sale.cliente.clone()),
            ("Atendió", sale.vendedor.clone()),
            ("Referencia", sale.referencia.clone()),
        ];
        for (label, value) in rows {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                self.pair(TEXT, label, &value);
            }
        }
    }

    fn line(&mut self, line: &TicketLine) {
        self.wrapped(TEXT, &line.descripcion);
        let quantity = line.cantidad.get().normalize().to_string();
        let price = amount(&two_places(line.precio_unitario.get()));
        self.pair(SMALL, &format!("{} × {price}", amount(trimmed(&quantity))), &amount(&cents(line.subtotal)));
        self.y += 2.0;
    }

    fn sums(&mut self, sale: &SaleTicket) {
        let sums = [
            ("Subtotal", sale.subtotal),
            ("Descuento", sale.descuento),
            ("Impuestos", sale.impuestos),
            ("Retenciones", sale.retenciones),
        ];
        for (label, value) in sums {
            if label == "Subtotal" || !value.get().is_zero() {
                self.pair(TEXT, label, &amount(&cents(value)));
            }
        }
        self.y += 3.0;
        let total = Style { size: 13.0, ..BOLD };
        self.pair(total, "Total", &format!("{} {}", amount(&cents(sale.total)), sale.moneda));
        if let Some(words) = letters::amount(&cents(sale.total), &sale.moneda) {
            self.wrapped(SMALL, &words);
        }
        if let Some(key) = sat::known_payment_form(sale.forma_pago_sat.as_deref()) {
            let meaning =
                sat::describe("forma_pago", key).map_or_else(|| key.to_owned(), |text| format!("{key} {text}"));
            self.pair(TEXT, "Forma de pago", &meaning);
        }
        if !sale.saldo.get().is_zero() && !sale.cancelada {
            self.pair(BOLD, "Por pagar", &format!("{} {}", amount(&cents(sale.saldo)), sale.moneda));
        }
    }

    fn end(&mut self, sale: &SaleTicket) {
        if let Some(comments) = sale.comentarios.as_deref().filter(|comments| !comments.trim().is_empty()) {
            self.dashes();
            for line in comments.lines() {
                self.wrapped(TEXT, line);
            }
        }
        self.dashes();
        match &sale.uuid {
            Some(uuid) => {
                self.centred(SMALL, "Facturada con el folio fiscal");
                self.centred(SMALL, uuid);
            }
            None => self.centred(SMALL, "Este ticket no es un comprobante fiscal"),
        }
    }

    fn wrapped(&mut self, style: Style, text: &str) {
        for line in self.canvas.wrap(style, text, BREADTH) {
            self.advance(leading(style.size));
            self.canvas.text(MARGIN, style.base(self.y), style, &line);
        }
    }

    fn centred(&mut self, style: Style, text: &str) {
        for line in self.canvas.wrap(style, text, BREADTH) {
            self.advance(leading(style.size));
            self.canvas.text_at(WIDTH / 2.0, style.base(self.y), style, &line);
        }
    }

    /// Draws a label at the left, and at the right a text that may take several lines.
    fn pair(&mut self, style: Style, label: &str, value: &str) {
        let room = BREADTH - self.canvas.width(style, label) - 10.0;
        for (place, line) in self.canvas.wrap(style, value, room.max(BREADTH / 3.0)).iter().enumerate() {
            self.advance(leading(style.size));
            if place == 0 {
                self.canvas.text(MARGIN, style.base(self.y), style, label);
            }
            self.canvas.text_to(WIDTH - MARGIN, style.base(self.y), style, line);
        }
    }

    fn dashes(&mut self) {
        self.advance(6.0);
        self.canvas.dashes(MARGIN, self.y, BREADTH);
        self.y += 4.0;
    }
}

fn kind(tipo: SaleKind) -> &'static str {
    match tipo {
        SaleKind::Remision | SaleKind::Venta => "Venta",
        SaleKind::Factura => "Factura",
        SaleKind::Cotizacion => "Cotización",
        SaleKind::Pedido => "Pedido",
        SaleKind::Anticipo => "Anticipo",
    }
}

fn cents(value: Money) -> String {
    format!("{:.2}", value.get().round_dp(2))
}

/// At least two decimals, and more only where they are not zero.
fn two_places(value: Decimal) -> String {
    let value = value.normalize();
    if value.scale() < 2 { format!("{value:.2}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{logo, text_of};
    use super::*;

    fn money(text: &str) -> Money {
        Money::new(text.parse().unwrap())
    }

    fn line(descripcion: &str, cantidad: &str, precio: &str, subtotal: &str) -> TicketLine {
        TicketLine {
            descripcion: descripcion.to_owned(),
            cantidad: Quantity::new(cantidad.parse().unwrap()),
            precio_unitario: money(precio),
            subtotal: money(subtotal),
        }
    }

    fn sale() -> SaleTicket {
        SaleTicket {
            letterhead: Letterhead {
                nombre: Some("Ferretería La Paz".to_owned()),
                rfc: Some("XIA190128J61".to_owned()),
                direccion: Some("Av. Juárez 1\nCol. Centro, 06000 CDMX".to_owned()),
                telefono: Some("55 5555 0100".to_owned()),
                logo: Some(logo()),
                ..Letterhead::default()
            },
            tipo: SaleKind::Venta,
            folio: Some("25".to_owned()),
            fecha: "2026-10-12T18:05:00Z".parse().unwrap(),
            cp: Some("21000".to_owned()),
            sucursal: Some("Matriz".to_owned()),
            cliente: Some("Público en general".to_owned()),
            vendedor: Some("Łucja Peña".to_owned()),
            moneda: "MXN".to_owned(),
            subtotal: money("1099.99"),
            descuento: money("10"),
            impuestos: money("174.4"),
            retenciones: money("0"),
            total: money("1264.39"),
            saldo: money("0"),
            forma_pago_sat: Some("01".to_owned()),
            cancelada: false,
            referencia: None,
            comentarios: Some("Gracias por su compra".to_owned()),
            uuid: None,
            renglones: vec![
                line(
                    "Tornillo galvanizado cabeza hexagonal de 3/8\" × 2\", caja con cien piezas",
                    "3",
                    "333.333333",
                    "1000",
                ),
                line("Cinta ★", "1.5", "66.66", "99.99"),
            ],
        }
    }

    #[test]
    fn a_ticket_shows_the_sale_in_its_branch_s_time() {
        let pdf = draw(&sale(), &Fonts::default());
        assert_eq!(draw(&sale(), &Fonts::default()), pdf, "the same bytes again");
        let Some(text) = text_of(&pdf) else { return };
        for part in [
            "Ferretería La Paz",
            "RFC XIA190128J61",
            "Col. Centro, 06000 CDMX",
            "Venta 25",
            "12 oct 2026 11:05",
            "Público en general",
            "Łucja Peña",
            "3 × 333.333333 1,000.00",
            "Cinta ★",
            "1.5 × 66.66 99.99",
            "Subtotal 1,099.99",
            "Descuento 10.00",
            "Impuestos 174.40",
            "Total 1,264.39 MXN",
            "MIL DOSCIENTOS SESENTA Y CUATRO PESOS 39/100 M.N.",
            "01 Efectivo",
            "Gracias por su compra",
            "Este ticket no es un comprobante fiscal",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("Retenciones") && !text.contains("Por pagar") && !text.contains("PRUEBA"), "{text}");
    }

    #[test]
    fn a_ticket_says_that_it_is_unpaid_or_not_a_real_invoice() {
        let of = |change: fn(&mut SaleTicket)| {
            let mut sale = sale();
            change(&mut sale);
            text_of(&draw(&sale, &Fonts::default()))
        };
        for (change, part) in [
            ((|sale| sale.saldo = money("264.39")) as fn(&mut SaleTicket), "Por pagar 264.39 MXN"),
            (
                |sale| sale.uuid = Some("5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60".to_owned()),
                "5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60",
            ),
            (|sale| sale.forma_pago_sat = Some("99".to_owned()), "39/100 M.N. Gracias por su compra"),
            (|sale| sale.letterhead.prueba = true, "EMPRESA DE PRUEBA, SIN VALIDEZ"),
            (|sale| sale.letterhead = Letterhead::default(), "Venta 25"),
            (|sale| sale.renglones = (0..500).map(|_| line("Clavo", "1", "1", "1")).collect(), "1 × 1.00 1.00"),
        ] {
            let Some(text) = of(change) else { return };
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_ticket_that_is_too_long_for_a_page_continues_on_another() {
        let text = "Tornillo galvanizado cabeza hexagonal con rosca completa ".repeat(4);
        let many = |count: usize, prueba| {
            let mut sale = sale();
            sale.letterhead.prueba = prueba;
            sale.renglones = (0..count).map(|number| line(&format!("{text}n{number:03}."), "1", "1", "1")).collect();
            draw(&sale, &Fonts::default())
        };
        for (count, prueba, pages) in [(100, false, 1), (500, false, 3), (500, true, 3)] {
            let pdf = many(count, prueba);
            assert_eq!(many(count, prueba), pdf, "the same bytes again");
            let heights = heights(&pdf);
            assert_eq!(heights.len(), pages, "{heights:?}");
            assert!(heights.iter().all(|height| *height > 100.0 && *height <= 14_400.0), "{heights:?}");
            let Some(text) = text_of(&pdf) else { return };
            for number in 0..count {
                assert!(text.contains(&format!("n{number:03}.")), "{number}");
            }
            assert!(text.contains("Total 1,264.39 MXN"), "the sums are on the last page");
            let bands = text.matches("EMPRESA DE PRUEBA").count();
            assert_eq!(bands, if prueba { pages } else { 0 });
        }
    }

    /// The height of each page of a PDF.
    fn heights(pdf: &[u8]) -> Vec<f32> {
        let text = String::from_utf8_lossy(pdf);
        let boxes = text.split("/MediaBox [").skip(1);
        boxes.map(|part| part.split(']').next().unwrap().rsplit(' ').next().unwrap().parse().unwrap()).collect()
    }

    #[test]
    #[ignore = "writes a ticket to look at into the folder that SVC_PDF names"]
    fn a_ticket_to_look_at() {
        let dir = std::path::PathBuf::from(std::env::var_os("SVC_PDF").expect("SVC_PDF names a folder"));
        std::fs::write(dir.join("ticket.pdf"), draw(&sale(), &Fonts::default())).unwrap();
    }
}
