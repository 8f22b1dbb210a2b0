//! Material eléctrico: conductors, conduit, wiring devices, protection, lighting.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "ELE-CAB",
        category: "Cables y conductores",
        unit: "Metro",
        brands: &["Conduxal"],
        lines: &[
            line("26121614", "Cable THW-LS 90 °C 600 V calibre {}", "14 AWG negro|14 AWG blanco|12 AWG negro|12 AWG blanco|12 AWG verde|10 AWG negro|10 AWG rojo|8 AWG negro|6 AWG negro|4 AWG negro|2 AWG negro|1/0 AWG negro", (520, 18_900)),
            line("26121613", "Cable de uso rudo SJT 600 V {} AWG", "2 x 16|2 x 14|3 x 14|3 x 12|4 x 12|4 x 10|4 x 8", (1430, 14_800)),
            line("26121613", "Cable dúplex POT 300 V {} AWG blanco", "2 x 20|2 x 18|2 x 16|2 x 14", (390, 1270)),
            line("26121645", "Cable de cobre desnudo semiduro calibre {} AWG", "8|6|4|2|1/0|2/0", (2180, 20_600)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-ROL",
        category: "Cables y conductores",
        unit: "Rollo",
        brands: &["Conduxal"],
        lines: &[
            line("26121635", "Cable THW-LS 90 °C 600 V calibre {}, rollo de 100 m", "14 AWG negro|14 AWG rojo|12 AWG negro|12 AWG verde|10 AWG negro|8 AWG negro", (49_800, 218_000)),
            line("39131601", "Poliducto corrugado flexible {}, rollo de 100 m", r#"naranja 1/2"|naranja 3/4"|naranja 1""#, (24_800, 56_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-CAN",
        category: "Canalización",
        brands: &["Conduxal", "Amperza"],
        lines: &[
            line("39131717", "Codo conduit de PVC 90° {}", r#"1/2"|3/4"|1"|1 1/4"|2""#, (420, 3390)),
            line("39131707", "Cople conduit galvanizado pared delgada {}", r#"1/2"|3/4"|1"|1 1/2"|2""#, (510, 3760)),
            line("39121434", "Conector recto conduit pared delgada {}", r#"1/2"|3/4"|1"|1 1/2""#, (480, 2350)),
            line("39131714", "Canaleta de PVC {} x 2 m con adhesivo", "10 x 10 mm|20 x 10 mm|25 x 16 mm|40 x 25 mm|60 x 40 mm", (1950, 11_900)),
            line("39121303", "Caja cuadrada galvanizada {}", r#"1/2"|3/4"|1""#, (1090, 2860)),
            line("39121308", "Chalupa {}", "de PVC naranja|galvanizada|para panel de yeso", (390, 1640)),
            line("39121305", "Caja para intemperie de aluminio {}", r#"una salida 1/2"|dos salidas 1/2"|tres salidas 3/4""#, (5870, 10_400)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-TUB",
        category: "Canalización",
        unit: "Tramo",
        brands: &["Amperza"],
        lines: &[
            line("39131706", "Tubo conduit de PVC pesado {} x 3 m", r#"1/2"|3/4"|1"|1 1/4"|1 1/2"|2""#, (3180, 15_700)),
            line("39131719", "Tubo conduit galvanizado pared delgada {} x 3.05 m", r#"1/2"|3/4"|1"|1 1/4"|1 1/2"|2""#, (7240, 34_600)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-CON",
        category: "Contactos y apagadores",
        brands: &["Voltenca", "Chispal"],
        lines: &[
            line("39121406", "Contacto dúplex polarizado con tierra 15 A {}", "blanco|marfil|gris", (2680, 2990)),
            line("39121406", "Contacto dúplex con protección de falla a tierra (GFCI) {}", "15 A blanco|20 A blanco", (25_900, 34_200)),
            line("39122216", "Apagador sencillo 10 A {}", "blanco|marfil|gris|negro", (1890, 2480)),
            line("39122216", "Apagador de escalera (3 vías) {}", "blanco|marfil|negro", (2490, 2980)),
            line("39122206", "Atenuador giratorio {}", "600 W blanco|1 000 W blanco", (14_800, 23_900)),
            line("39122236", "Sensor de movimiento {}", "de pared 180°|de techo 360°", (16_700, 27_400)),
            line("39121704", "Placa de resina {}", "1 módulo blanca|2 módulos blanca|3 módulos blanca|3 módulos negra", (980, 2390)),
            line("39121402", "Clavija {}", "plana 10 A|reforzada con tierra 15 A|industrial 20 A media vuelta|industrial 30 A media vuelta", (1240, 21_900)),
            line("39121440", "Extensión eléctrica {}", "doméstica 3 m|doméstica 5 m|uso rudo 10 m|uso rudo 15 m|uso rudo 30 m", (4980, 68_500)),
            line("46171605", "Timbre {}", "de campana 127 V|inalámbrico 52 melodías", (8900, 17_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-PRO",
        category: "Protección de circuitos",
        brands: &["Amperza", "Voltenca"],
        lines: &[
            line("39121601", "Interruptor termomagnético enchufable 1 polo {}", "15 A|20 A|30 A|40 A|50 A", (8420, 10_900)),
            line("39121601", "Interruptor termomagnético enchufable 2 polos {}", "20 A|30 A|40 A|50 A|60 A|70 A", (23_400, 34_800)),
            line("39121616", "Interruptor de caja moldeada 3 polos {}", "60 A|100 A|150 A|225 A", (148_000, 486_000)),
            line("39121101", "Centro de carga de empotrar {}", "1 circuito|2 circuitos|4 circuitos|6 circuitos|8 circuitos|12 circuitos", (9800, 139_000)),
            line("39122205", "Interruptor de seguridad con portafusible {}", "2 x 30 A|3 x 30 A|3 x 60 A|3 x 100 A", (21_900, 264_000)),
            line("39121606", "Fusible de cartucho {} 250 V", "15 A|30 A|60 A|100 A", (1490, 8950)),
            line("39121610", "Supresor de picos {}", "6 contactos|8 contactos con USB", (15_900, 32_700)),
            line("39121613", "Varilla de tierra cobrizada 5/8\" x {}", "1.5 m|3.0 m", (18_900, 33_800)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-ILU",
        category: "Iluminación",
        brands: &["Lumbrix"],
        lines: &[
            line("39112102", "Foco LED A19 {} E26", "6 W luz fría|9 W luz cálida|9 W luz fría|12 W luz fría|15 W luz fría", (1690, 4380)),
            line("39112102", "Foco LED alta potencia {} E26", "20 W|30 W|40 W|50 W", (6980, 19_800)),
            line("39112102", "Tubo LED T8 {} luz neutra", "9 W 60 cm|18 W 120 cm|22 W 120 cm", (4890, 9200)),
            line("39111505", "Luminario LED de empotrar redondo {}", "6 W|12 W|18 W|24 W", (5840, 16_900)),
            line("39111521", "Plafón LED de sobreponer {}", "18 W redondo|24 W redondo|24 W cuadrado|36 W cuadrado", (12_900, 26_800)),
            line("39111611", "Reflector LED para exterior IP66 {} 6 500 K", "10 W|20 W|30 W|50 W|100 W|200 W", (9700, 129_000)),
            line("39111603", "Luminario LED para vialidad {}", "50 W|100 W|150 W", (68_900, 178_000)),
            line("39111709", "Lámpara LED de emergencia {}", "60 LED recargable|2 faros 90 min", (26_700, 48_900)),
            line("39111610", "Linterna LED {}", "de bolsillo|recargable 300 lm|recargable 1 000 lm", (4850, 36_900)),
            line("39111533", "Tira LED {} rollo de 5 m", "luz cálida 12 V|luz fría 12 V|RGB 12 V con control", (14_800, 28_900)),
            line("39111803", "Portalámpara E26 {}", "de baquelita|de porcelana 4\"|de porcelana 5 1/4\"|con sensor de luz", (890, 7490)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-ACC",
        category: "Accesorios eléctricos",
        brands: &["Voltenca", "Chispal"],
        lines: &[
            line("31201502", "Cinta de aislar de PVC {}", "negra 9 m|negra 18 m|roja 18 m|azul 18 m", (890, 2690)),
            line("39121723", "Tubo termocontráctil {} x 1 m", r#"1/8"|1/4"|3/8"|1/2"|3/4""#, (740, 3950)),
            line("39122238", "Fotocelda {} 127-220 V", "con receptáculo|sin receptáculo", (13_900, 18_700)),
            line("39122208", "Temporizador {}", "analógico 24 h|digital semanal", (17_400, 39_800)),
            line("41113630", "Multímetro digital {}", "básico 600 V|autorrango con temperatura|de gancho 600 A", (18_900, 98_700)),
        ],
        ..GOODS
    },
    Family {
        prefix: "ELE-PAQ",
        category: "Accesorios eléctricos",
        unit: "Paquete",
        brands: &["Chispal", "Voltenca"],
        lines: &[
            line("39121703", "Cincho de plástico {}, bolsa con 100", "negro 10 cm|negro 15 cm|negro 20 cm|blanco 30 cm|negro 37 cm", (1590, 12_800)),
            line("39121432", "Terminal de ojo aislada {}, bolsa con 50", "22-16 AWG roja|16-14 AWG azul|12-10 AWG amarilla", (4980, 8790)),
            line("39121445", "Conector de torsión tipo capuchón {}, bolsa con 100", "gris|azul|naranja|amarillo|rojo", (5240, 11_900)),
            line("26111702", "Pila alcalina {}, paquete con 4", "AAA|AA|C|D", (4380, 14_600)),
        ],
        ..GOODS
    },
];
