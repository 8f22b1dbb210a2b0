//! The company's own catalogues: brands, the tree of categories, units of measure.

/// Brand names; every one is made up.
pub(crate) fn brands() -> &'static [&'static str] {
    BRANDS
}

/// Categories with their parent's name; the first is the root, and a parent precedes its children.
pub(crate) fn categories() -> &'static [(&'static str, Option<&'static str>)] {
    CATEGORIES
}

/// Units of measure with the tax authority's key.
pub(crate) fn units() -> &'static [(&'static str, &'static str)] {
    UNITS
}

#[rustfmt::skip]
const BRANDS: &[&str] = &[
    "Tolvar", "Ferranto", "Anclario", "Cerrojal", "Soldanza", "Voltenca", "Conduxal", "Chispal", "Lumbrix", "Amperza", "Acuanta",
    "Hidrelia", "Tubarel", "Grifalia", "Cobrelia", "Pintaral", "Tintelar", "Selladur", "Impermar", "Brochalia", "Kelbrun",
    "Manoferro", "Brocalia", "Medirel", "Guardiel", "Jardelia", "Pedrenal", "Quetzaro",
];

#[rustfmt::skip]
const CATEGORIES: &[(&str, Option<&str>)] = &[
    ("Catálogo general", None),
    ("Ferretería", Some("Catálogo general")),
    ("Material eléctrico", Some("Catálogo general")),
    ("Plomería", Some("Catálogo general")),
    ("Pinturas", Some("Catálogo general")),
    ("Herramienta", Some("Catálogo general")),
    ("Construcción", Some("Catálogo general")),
    ("Seguridad industrial", Some("Catálogo general")),
    ("Jardín y hogar", Some("Catálogo general")),
    ("Servicios", Some("Catálogo general")),
    ("Gastos internos", Some("Catálogo general")),
    ("Tornillería", Some("Ferretería")),
    ("Tuercas y rondanas", Some("Tornillería")),
    ("Tornillos y pijas", Some("Tornillería")),
    ("Anclas y taquetes", Some("Ferretería")),
    ("Clavos y alambres", Some("Ferretería")),
    ("Cerrajería y herrajes", Some("Ferretería")),
    ("Cadenas, cables y cuerdas", Some("Ferretería")),
    ("Soldadura", Some("Ferretería")),
    ("Cables y conductores", Some("Material eléctrico")),
    ("Canalización", Some("Material eléctrico")),
    ("Contactos y apagadores", Some("Material eléctrico")),
    ("Protección de circuitos", Some("Material eléctrico")),
    ("Iluminación", Some("Material eléctrico")),
    ("Accesorios eléctricos", Some("Material eléctrico")),
    ("Tubería y conexiones", Some("Plomería")),
    ("PVC sanitario", Some("Tubería y conexiones")),
    ("CPVC", Some("Tubería y conexiones")),
    ("Cobre", Some("Tubería y conexiones")),
    ("Galvanizado", Some("Tubería y conexiones")),
    ("Válvulas y llaves", Some("Plomería")),
    ("Baño y cocina", Some("Plomería")),
    ("Refacciones de plomería", Some("Baño y cocina")),
    ("Bombas, tinacos y calentadores", Some("Plomería")),
    ("Pinturas vinílicas", Some("Pinturas")),
    ("Esmaltes y barnices", Some("Pinturas")),
    ("Aerosoles", Some("Pinturas")),
    ("Impermeabilizantes", Some("Pinturas")),
    ("Solventes", Some("Pinturas")),
    ("Selladores y adhesivos", Some("Pinturas")),
    ("Accesorios para pintar", Some("Pinturas")),
    ("Igualación de color", Some("Pinturas")),
    ("Herramienta manual", Some("Herramienta")),
    ("Herramienta eléctrica", Some("Herramienta")),
    ("Medición y trazo", Some("Herramienta")),
    ("Brocas, discos y consumibles", Some("Herramienta")),
    ("Refacciones de herramienta", Some("Herramienta")),
    ("Cementantes y yesos", Some("Construcción")),
    ("Acero de refuerzo", Some("Construcción")),
    ("Herramienta de albañilería", Some("Construcción")),
    ("Riego y jardinería", Some("Jardín y hogar")),
    ("Varios", Some("Jardín y hogar")),
];

#[rustfmt::skip]
const UNITS: &[(&str, &str)] = &[
    ("Pieza", "H87"),
    ("Metro", "MTR"),
    ("Kilogramo", "KGM"),
    ("Litro", "LTR"),
    ("Galón", "XGL"),
    ("Cubeta", "XBJ"),
    ("Caja", "XBX"),
    ("Paquete", "XPK"),
    ("Juego", "SET"),
    ("Kit", "KT"),
    ("Par", "PR"),
    ("Rollo", "XRO"),
    ("Saco", "XSA"),
    ("Tramo", "XTU"),
    ("Servicio", "E48"),
    ("Actividad", "ACT"),
];
