//! Where customers are: cities with their area codes, postal codes and neighbourhoods, the home region more often.

use super::dice::Dice;

/// A customer's address.
pub(super) struct Place {
    /// The city's telephone area code.
    pub(super) area: &'static str,
    /// The postal code.
    pub(super) postal: &'static str,
    /// The neighbourhood of that postal code.
    pub(super) neighbourhood: &'static str,
    /// Street and number.
    pub(super) street: String,
}

/// The postal code of the demo company's own city; sales over the counter are made there.
pub(super) const HOME_POSTAL: &str = "44100";

struct City {
    weight: u32,
    area: &'static str,
    zones: &'static [(&'static str, &'static str)],
}

/// A random place.
pub(super) fn place(dice: &mut Dice) -> Place {
    let weights: Vec<(u32, &City)> = CITIES.iter().map(|city| (city.weight, city)).collect();
    let city = dice.weighted(&weights);
    let (postal, neighbourhood) = dice.pick(city.zones);
    Place { area: city.area, postal, neighbourhood, street: street(dice) }
}

fn street(dice: &mut Dice) -> String {
    let name = dice.pick(STREETS);
    let number = dice.range(1, 30) * dice.range(1, 99) + dice.range(1, 9);
    match dice.range(0, 11) {
        0 => format!("{name} {number}-A"),
        1 => format!("{name} {number} Int. {}", dice.range(1, 24)),
        2 => format!("{name} {number}, Bodega {}", dice.range(1, 18)),
        3 => format!("{name} {number}, Local {}", dice.range(1, 12)),
        4 => format!("{name} {number}, Piso {}", dice.range(1, 9)),
        5 => format!("{name} #{number}"),
        _ => format!("{name} {number}"),
    }
}

const fn city(weight: u32, area: &'static str, zones: &'static [(&'static str, &'static str)]) -> City {
    City { weight, area, zones }
}

#[rustfmt::skip]
const CITIES: &[City] = &[
    // The home region: Guadalajara, Zapopan, Tlaquepaque, Tonalá, Tlajomulco.
    city(17, "33", &[
        ("44100", "Centro"), ("44160", "Americana"), ("44190", "Moderna"), ("44200", "Artesanos"), ("44600", "Ladrón de Guevara"),
        ("44630", "Providencia"), ("44500", "Chapalita"), ("44940", "Zona Industrial"), ("44910", "8 de Julio"),
        ("44900", "El Fresno"), ("44130", "Arcos Vallarta"), ("44440", "San Antonio"),
    ]),
    city(11, "33", &[
        ("45050", "Ciudad del Sol"), ("45080", "Las Águilas"), ("45070", "La Calma"), ("45040", "Chapalita Inn"),
        ("45010", "San Juan de Ocotán"), ("45110", "Puerta de Hierro"), ("45130", "Zapopan Norte"), ("45150", "Seattle"),
    ]),
    city(7, "33", &[
        ("45500", "San Pedro Tlaquepaque Centro"), ("45580", "Álamo Industrial"), ("45601", "Santa María Tequepexpan"),
        ("45403", "Loma Dorada"), ("45418", "Ciudad Aztlán"), ("45640", "Los Gavilanes"), ("45645", "San Agustín"),
    ]),
    city(6, "55", &[
        ("06000", "Centro"), ("06600", "Juárez"), ("06700", "Roma Norte"), ("06720", "Doctores"), ("06800", "Obrera"),
        ("06470", "San Rafael"), ("03100", "Del Valle Centro"), ("03020", "Narvarte Poniente"), ("03810", "Nápoles"),
        ("04000", "Villa Coyoacán"), ("04100", "Del Carmen"), ("02000", "Azcapotzalco Centro"), ("02300", "Industrial Vallejo"),
    ]),
    city(4, "56", &[
        ("07300", "Lindavista Sur"), ("07730", "Lindavista Vallejo III"), ("09000", "San Lucas"), ("09810", "Granjas Esmeralda"),
        ("08500", "Agrícola Oriental"), ("11520", "Granada"), ("11550", "Polanco IV Sección"), ("11800", "Escandón I Sección"),
        ("14000", "Tlalpan Centro"), ("14390", "Villa Coapa"), ("15530", "Moctezuma 2a Sección"), ("16020", "La Noria"),
    ]),
    city(8, "81", &[
        ("64000", "Centro"), ("64060", "Obispado"), ("64460", "Mitras Norte"), ("64010", "Acero"), ("64650", "Colinas de San Jerónimo"),
        ("64700", "Nuevo Repueblo"), ("64830", "Roma"), ("64840", "Tecnológico"), ("64620", "Vista Hermosa"),
        ("66220", "Del Valle"), ("66260", "Valle Oriente"), ("66400", "San Nicolás de los Garza Centro"), ("66450", "Anáhuac"),
        ("67100", "Guadalupe Centro"), ("67130", "Linda Vista"), ("66600", "Apodaca Centro"),
    ]),
    city(6, "442", &[
        ("76000", "Centro"), ("76030", "Carretas"), ("76090", "El Pueblito Colonial"), ("76100", "Juriquilla"), ("76130", "San Pablo"),
        ("76148", "La Loma"), ("76180", "Jardines de la Hacienda"), ("76900", "El Pueblito"), ("76902", "Los Olvera"),
    ]),
    city(6, "477", &[
        ("37000", "Centro"), ("37150", "Jardines del Campestre"), ("37160", "Jardines del Moral"), ("37270", "Julián de Obregón"),
        ("37290", "Ciudad Industrial"), ("37480", "San Isidro"), ("37530", "Jardines de Jerez"),
    ]),
    city(2, "462", &[("36500", "Irapuato Centro")]),
    city(2, "461", &[("38000", "Celaya Centro"), ("38010", "Ciudad Industrial"), ("38060", "Las Arboledas")]),
    city(4, "222", &[
        ("72000", "Centro"), ("72160", "La Paz"), ("72190", "San José del Puente"), ("72400", "Los Remedios"), ("72410", "Anzures"),
        ("72530", "El Carmen"), ("72810", "San Andrés Cholula"),
    ]),
    city(5, "449", &[
        ("20000", "Centro"), ("20010", "Altavista"), ("20020", "Jardines de la Asunción"), ("20120", "Bosques del Prado Norte"),
        ("20200", "Vergeles"), ("20230", "España"), ("20280", "Jardines del Parque"), ("20298", "Ciudad Industrial"),
    ]),
    city(4, "444", &[
        ("78000", "Centro"), ("78210", "Lomas 1a Sección"), ("78230", "Tequisquiapan"), ("78250", "Tequisquiapan Norte"),
        ("78290", "Jardín"), ("78390", "Industrial San Luis"), ("78399", "Providencia"),
    ]),
    city(4, "443", &[
        ("58000", "Centro Histórico"), ("58020", "Industrial"), ("58070", "Félix Ireta"), ("58170", "Camelinas"),
        ("58260", "Chapultepec Norte"),
    ]),
    city(3, "312", &[("28000", "Centro"), ("28017", "Jardines Residenciales"), ("28018", "Lomas de Circunvalación")]),
    city(3, "311", &[("63000", "Centro"), ("63110", "San Juan"), ("63173", "Ciudad Industrial")]),
    city(3, "322", &[("48300", "Centro"), ("48310", "5 de Diciembre"), ("48333", "Las Juntas")]),
    city(3, "999", &[
        ("97000", "Centro"), ("97070", "García Ginerés"), ("97100", "Itzimná"), ("97117", "Montes de Amé"), ("97130", "Benito Juárez Norte"),
        ("97203", "Francisco de Montejo"), ("97219", "Miguel Hidalgo"), ("97250", "Ciudad Industrial"),
    ]),
    city(2, "664", &[("22000", "Zona Centro"), ("22010", "Zona Urbana Río"), ("22406", "Alamar"), ("22500", "Playas de Tijuana")]),
    city(2, "662", &[("83000", "Centro"), ("83010", "San Benito"), ("83190", "Balderrama"), ("83200", "Centenario"), ("83240", "Los Arcos")]),
    city(2, "614", &[("31000", "Centro"), ("31020", "Pacífico"), ("31100", "San Felipe"), ("31203", "Cuarteles"), ("31310", "Las Granjas")]),
    city(2, "722", &[("50000", "Centro"), ("50040", "Universidad"), ("50120", "Vértice"), ("52140", "Metepec Centro")]),
    city(2, "667", &[("80000", "Centro"), ("80020", "Tierra Blanca"), ("80200", "Guadalupe"), ("80230", "Gabriel Leyva")]),
    city(2, "669", &[("82000", "Centro"), ("82110", "Lomas de Mazatlán"), ("82140", "El Cid")]),
    city(2, "998", &[("77500", "Supermanzana 22"), ("77505", "Supermanzana 4"), ("77510", "Región 97"), ("77539", "Donceles 28")]),
    city(2, "229", &[("91700", "Centro"), ("91900", "Ricardo Flores Magón"), ("94290", "Boca del Río Centro"), ("94294", "Costa de Oro")]),
    city(1, "228", &[("91000", "Centro"), ("91190", "Jardines de las Ánimas")]),
    city(2, "871", &[("27000", "Centro"), ("27018", "Nueva Los Ángeles"), ("27250", "Las Margaritas"), ("27268", "Torreón Jardín")]),
    city(1, "844", &[("25000", "Centro"), ("25230", "La Aurora"), ("25280", "República"), ("25290", "Universidad")]),
    city(1, "961", &[("29000", "Centro"), ("29030", "Moctezuma"), ("29040", "El Retiro"), ("29060", "Terán")]),
    city(1, "951", &[("68000", "Centro"), ("68040", "Figueroa"), ("68050", "Reforma")]),
    city(1, "993", &[("86000", "Centro"), ("86035", "Tabasco 2000"), ("86040", "Gaviotas"), ("86100", "Atasta de Serra")]),
    city(1, "618", &[("34000", "Centro"), ("34080", "Guillermina"), ("34217", "Hipódromo")]),
];

#[rustfmt::skip]
const STREETS: &[&str] = &[
    "Av. Juárez", "Av. Hidalgo", "Calle Morelos", "Calle Allende", "Calle Aldama", "Calle Matamoros", "Calle Galeana", "Av. Revolución",
    "Calle 5 de Mayo", "Calle 16 de Septiembre", "Calle 20 de Noviembre", "Av. Independencia", "Blvd. Adolfo López Mateos",
    "Av. Lázaro Cárdenas", "Calz. Independencia", "Calle Zaragoza", "Calle Ocampo", "Calle Pino Suárez", "Av. Constitución",
    "Calle Venustiano Carranza", "Calle Emiliano Zapata", "Av. Universidad", "Av. Tecnológico", "Blvd. Industrial", "Calle Abasolo",
    "Calle Niños Héroes", "Av. de las Torres", "Circuito de los Fresnos", "Calle Río Lerma", "Calle Río Nilo", "Calle Tulipanes",
    "Calle Jazmín", "Calle Encino", "Calle Cedro", "Privada Las Flores", "Cerrada del Roble", "Prol. Corregidora", "Carretera Nacional",
    "Av. Patria", "Av. México", "Calle Miguel Alemán", "Calle Belisario Domínguez", "Av. del Trabajo", "Calle Ignacio Ramírez",
    "Blvd. Benito Juárez", "Av. Vicente Guerrero", "Calle Nicolás Bravo", "Calle Leona Vicario", "Calle Sor Juana", "Av. Reforma",
    "Andador del Parque", "Calle Pípila", "Calle Ejército Nacional", "Av. de la Paz", "Calle Melchor Ocampo", "Periférico Sur",
];
