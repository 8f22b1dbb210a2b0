//! Companies: names put together from a trade, a proper name and a region, with the legal forms of Mexico.

use super::dice::Dice;
use super::names::surname;

/// The kind of company, which decides how it is taxed and named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CompanyKind {
    /// A trading company.
    Trade,
    /// A partnership of professionals.
    Partnership,
    /// A non-profit association.
    Association,
    /// A farming company.
    Farm,
}

/// A company's name without and with its legal form.
pub(super) struct CompanyName {
    /// The name alone, as tax documents carry it.
    pub(super) name: String,
    /// The distinctive part of the name; its mail domain is made of it.
    pub(super) core: &'static str,
    /// "S.A. de C.V." and the like.
    pub(super) form: &'static str,
    /// What it is.
    pub(super) kind: CompanyKind,
}

impl CompanyName {
    /// How many days ago it can have been founded at most: some legal forms are recent.
    pub(super) fn oldest(&self) -> u32 {
        match self.form {
            "S.A.S. de C.V." => 3_000,
            "S.A.P.I. de C.V." => 6_500,
            _ => 18_000,
        }
    }
}

/// A random company.
pub(super) fn company(dice: &mut Dice) -> CompanyName {
    let kind = dice.weighted(&[
        (84, CompanyKind::Trade),
        (7, CompanyKind::Partnership),
        (6, CompanyKind::Association),
        (3, CompanyKind::Farm),
    ]);
    let proper = dice.pick(PROPER);
    let (name, core) = match kind {
        CompanyKind::Trade => trade(dice, proper),
        CompanyKind::Partnership => partnership(dice),
        CompanyKind::Association => (format!("{} {proper}", dice.pick(ASSOCIATIONS)), proper),
        CompanyKind::Farm => (format!("{} {proper}", dice.pick(FARMS)), proper),
    };
    let form = match kind {
        CompanyKind::Partnership => "S.C.",
        CompanyKind::Association => "A.C.",
        CompanyKind::Farm => dice.weighted(&[(5, "S.P.R. de R.L."), (5, "S.A. de C.V.")]),
        CompanyKind::Trade => dice.weighted(&[
            (62, "S.A. de C.V."),
            (22, "S. de R.L. de C.V."),
            (8, "S.A.P.I. de C.V."),
            (6, "S.A.S. de C.V."),
            (2, "S. en C. por A. de C.V."),
        ]),
    };
    CompanyName { name, core, form, kind }
}

/// The name of a person's shop or workshop.
pub(super) fn shop(dice: &mut Dice, owner: &str) -> String {
    let trade = dice.pick(SHOPS);
    if dice.percent(40) { format!("{trade} {owner}") } else { format!("{trade} {}", dice.pick(SIGNS)) }
}

/// A trading company's name and its core; mostly the proper name given, sometimes the owners' surname.
fn trade(dice: &mut Dice, proper: &'static str) -> (String, &'static str) {
    let (trade, owner) = (dice.pick(TRADES), surname(dice));
    match dice.range(0, 99) {
        0..=49 => (format!("{trade} {proper}"), proper),
        50..=69 => (format!("{trade} {proper} {}", dice.pick(REGIONS)), proper),
        70..=79 => (format!("{trade} {owner}"), owner),
        80..=86 => (format!("Grupo {proper}"), proper),
        87..=92 => {
            let second = dice.pick(SECOND_TRADES);
            // "Y" becomes "e" before the same sound.
            let and = if second.starts_with('I') { "e" } else { "y" };
            (format!("{trade} {and} {second} {proper}"), proper)
        }
        93..=96 => (format!("{trade} {owner} Hermanos"), owner),
        _ => (format!("{owner} & {} {}", surname(dice), dice.pick(SECOND_TRADES)), owner),
    }
}

/// A partnership's name, after its partners, and the first of them.
fn partnership(dice: &mut Dice) -> (String, &'static str) {
    let (office, partner) = (dice.pick(OFFICES), surname(dice));
    let others = if dice.percent(50) { "y Asociados" } else { surname(dice) };
    (format!("{office} {partner} {others}"), partner)
}

#[rustfmt::skip]
const TRADES: &[&str] = &[
    "Constructora", "Edificaciones", "Desarrolladora", "Inmobiliaria", "Urbanizadora", "Obras Civiles", "Ingeniería", "Proyectos",
    "Ferretería", "Ferretera", "Tlapalería", "Materiales", "Casa de Materiales", "Aceros", "Perfiles y Láminas", "Herrajes",
    "Instalaciones Eléctricas", "Ingeniería Eléctrica", "Electromecánica", "Electroservicios", "Alumbrado", "Tableros y Control",
    "Instalaciones Hidráulicas", "Plomería", "Bombas y Equipos", "Sistemas de Riego", "Climas y Refrigeración", "Calefacción",
    "Servicios Industriales", "Mantenimiento Industrial", "Maquinados", "Troquelados", "Estructuras Metálicas", "Herrería",
    "Cancelería", "Aluminio y Vidrio", "Carpintería", "Muebles", "Maderas", "Plásticos", "Empaques", "Envases", "Textiles",
    "Pinturas", "Recubrimientos", "Impermeabilizaciones", "Acabados", "Pisos y Azulejos", "Mármoles", "Prefabricados",
    "Distribuidora", "Comercializadora", "Importadora", "Suministros", "Abastecedora", "Refaccionaria", "Autopartes",
    "Transportes", "Autotransportes", "Logística", "Bodegas", "Hotelera", "Operadora de Restaurantes", "Panificadora", "Lácteos",
    "Alimentos", "Embotelladora", "Imprenta", "Lavandería Industrial", "Gimnasios", "Clínica", "Estacionamientos", "Minera",
];
#[rustfmt::skip]
const SECOND_TRADES: &[&str] =
    &["Servicios", "Proyectos", "Suministros", "Construcciones", "Instalaciones", "Montajes", "Acabados", "Asesoría", "Diseño"];
#[rustfmt::skip]
const PROPER: &[&str] = &[
    "Sierra Alta", "Río Verde", "Los Encinos", "La Escuadra", "San Isidro", "Tres Arcos", "Peña Blanca", "El Mezquite", "Ixcateca",
    "Cañada Honda", "Punta Norte", "Cima Clara", "Quetzalli", "Tonallan", "Huerta Vieja", "El Ocotal", "Los Cedros", "Agua Fría",
    "Monte Claro", "Santa Lucía", "Las Jacarandas", "La Ceiba", "Bugambilias", "Piedra Lisa", "Llano Largo", "El Zapote", "Nevada",
    "Dos Ríos", "Los Álamos", "Valle Dorado", "La Noria", "San Ángelo", "El Pedregal", "Santa Rita", "Los Fresnos", "Campo Real",
    "La Herradura", "El Molino", "Puerta Grande", "Arcadia", "Horizonte", "Cuatro Vientos", "La Alameda", "Los Olivos", "Mirasol",
    "Colibrí", "Obsidiana", "Ámbar", "Turquesa", "Malinalli", "Xochipilli", "Nopalera", "Tepozán", "Ahuehuete", "Copal", "Mixtli",
    "El Yunque", "La Plomada", "El Cincel", "La Viga", "El Andamio", "Cantera Rosa", "Ladrillera Vieja", "Arco Iris", "Faro",
    "Tierra Adentro", "Mar de Plata", "Costa Brava", "Bahía Azul", "Lomas Verdes", "La Cuesta", "Santa Inés", "San Telmo",
    "El Trébol", "Aurora", "Solsticio", "Meridiano", "Paralelo Veinte", "Vértice", "Ángulo Recto", "Compás", "Prisma",
    "Kínetik", "Novarum", "Integra Sur", "Delta Once", "Sigma Azul", "Alfa y Omega", "Duranza", "Zafiro", "Ébano", "Roble Viejo",
];
#[rustfmt::skip]
const REGIONS: &[&str] = &[
    "de Occidente", "del Bajío", "del Norte", "del Pacífico", "de Jalisco", "del Centro", "del Golfo", "del Sureste", "del Valle",
    "de México", "de los Altos", "del Noroeste", "de la Laguna", "de Anáhuac", "de Guadalajara", "de Zapopan", "Internacional",
];
#[rustfmt::skip]
const OFFICES: &[&str] =
    &["Despacho", "Arquitectos", "Consultores", "Ingenieros", "Peritos", "Abogados", "Contadores", "Colegio Bilingüe", "Laboratorio"];
#[rustfmt::skip]
const ASSOCIATIONS: &[&str] = &[
    "Asociación de Colonos", "Colegio", "Instituto", "Fundación", "Patronato", "Club Deportivo", "Residencial", "Casa Hogar",
    "Centro Cultural", "Parque Industrial", "Condóminos",
];
#[rustfmt::skip]
const FARMS: &[&str] =
    &["Agropecuaria", "Agrícola", "Rancho", "Granja", "Invernaderos", "Berries", "Empacadora", "Avícola", "Viveros", "Ganadera"];
#[rustfmt::skip]
const SHOPS: &[&str] = &[
    "Ferretería", "Tlapalería", "Eléctrica", "Plomería", "Pinturas", "Herrería", "Taller", "Materiales", "Carpintería", "Cerrajería",
    "Vidriería", "Refrigeración", "Papelería", "Abarrotes", "Autoeléctrico", "Mofles", "Vulcanizadora", "Instalaciones",
];
#[rustfmt::skip]
const SIGNS: &[&str] = &[
    "El Tornillo", "La Esperanza", "San Judas", "El Martillo", "La Económica", "Don Chuy", "El Güero", "Los Compadres", "La Esquina",
    "El Progreso", "La Guadalupana", "Don Beto", "La Central", "El Chispazo", "La Llave", "El Foco", "La Gotera", "El Serrucho",
    "Doña Lupe", "La Nueva", "El Amigo", "El Clavo", "La Palma", "El Paisa", "Santa Fe", "La Victoria", "El Triunfo", "Los Gemelos",
];
