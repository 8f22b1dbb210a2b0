//! Herramienta: hand tools, power tools, measuring, consumables and spare parts.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "HER-MAN",
        category: "Herramienta manual",
        brands: &["Manoferro", "Quetzaro"],
        lines: &[
            line("27111618", "Martillo de uña {}", "13 oz mango de madera|16 oz mango de madera|16 oz mango de fibra|20 oz tubular", (9840, 24_700)),
            line("27111616", "Martillo de bola {}", "16 oz|24 oz|32 oz", (11_900, 19_600)),
            line("27111615", "Marro octagonal {} mango de madera", "3 lb|4 lb|8 lb|12 lb", (15_800, 54_300)),
            line("27111701", "Desarmador plano {}", r#"1/8" x 3"|3/16" x 4"|1/4" x 6"|5/16" x 8""#, (2180, 7480)),
            line("27111701", "Desarmador de cruz {}", r#"#1 x 3"|#2 x 4"|#2 x 6"|#3 x 6""#, (2390, 7290)),
            line("27112139", "Pinza de electricista {}", r#"7"|8"|9" alto apalancamiento"#, (12_900, 29_800)),
            line("27112114", "Pinza de corte diagonal {}", r#"6"|7"|8""#, (11_400, 19_700)),
            line("27112134", "Pinza de punta larga {}", r#"6"|8""#, (10_900, 14_800)),
            line("27111750", "Pinza de presión mordaza curva {}", r#"5"|7"|10""#, (11_800, 21_600)),
            line("27111707", "Llave ajustable cromada (perico) {}", r#"6"|8"|10"|12"|15""#, (11_200, 48_900)),
            line("27111749", "Llave Stillson {}", r#"10"|14"|18"|24""#, (21_900, 89_600)),
            line("27111713", "Llave combinada {}", r#"3/8"|7/16"|1/2"|9/16"|5/8"|3/4""#, (3890, 10_700)),
            line("27111552", "Arco para segueta {}", r#"12" tubular|12" profesional"#, (9760, 21_800)),
            line("27111508", "Serrucho para madera {}", r#"18"|20"|22""#, (14_200, 21_900)),
            line("27111901", "Cincel cortafrío {}", r#"1/2" x 6"|3/4" x 8"|1" x 12""#, (5680, 13_400)),
            line("27111903", "Cepillo de carpintero {}", "#3|#4|#5", (38_900, 68_400)),
            line("27111562", "Cortador de cable {}", r#"8"|24" alta resistencia"#, (17_800, 98_700)),
            line("27112906", "Pistola calafateadora {}", "de esqueleto|de giro reforzada", (6980, 14_500)),
            line("24112401", "Caja para herramienta {}", r#"de plástico 14"|de plástico 19"|metálica 20"|con ruedas 24""#, (12_900, 149_000)),
            line("30191501", "Escalera de tijera de aluminio {}", "3 peldaños|5 peldaños|7 peldaños|9 peldaños", (79_800, 278_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "HER-JGO",
        category: "Herramienta manual",
        unit: "Juego",
        brands: &["Manoferro", "Quetzaro"],
        lines: &[
            line("27111728", "Juego de desarmadores {}", "6 piezas|10 piezas|de precisión 8 piezas", (11_900, 32_400)),
            line("27111729", "Juego de llaves combinadas {}", "estándar 8 piezas|milimétricas 12 piezas|con matraca 7 piezas", (29_800, 118_000)),
            line("27111763", "Juego de llaves Allen {}", "9 piezas milimétrico|9 piezas estándar|tipo navaja 16 piezas", (8960, 17_800)),
            line("27111703", "Juego de dados y matraca {}", r#"1/4" 24 piezas|3/8" 32 piezas|1/2" 40 piezas"#, (38_900, 139_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "HER-MED",
        category: "Medición y trazo",
        brands: &["Medirel"],
        lines: &[
            line("27111801", "Flexómetro contra impacto {}", "3 m|5 m|8 m|10 m", (4890, 21_300)),
            line("27111801", "Cinta larga de fibra de vidrio {}", "20 m|30 m|50 m", (13_900, 31_200)),
            line("27111800", "Nivel de aluminio de tres burbujas {}", r#"12"|18"|24"|48""#, (9870, 38_400)),
            line("27111803", "Escuadra {}", r#"de combinación 12"|de carpintero 10"|de herrero 24""#, (8740, 19_800)),
            line("27111804", "Plomada de bronce {}", "8 oz|16 oz|24 oz", (9680, 23_700)),
            line("27112304", "Tiralíneas con gis {}", "30 m|30 m con engrane", (7260, 14_900)),
            line("41111613", "Distanciómetro láser {}", "40 m|60 m", (68_900, 119_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "HER-ELE",
        category: "Herramienta eléctrica",
        brands: &["Kelbrun", "Quetzaro"],
        lines: &[
            line("27112703", "Taladro percutor {} 127 V", r#"3/8" 500 W|1/2" 650 W|1/2" 850 W"#, (69_800, 159_000)),
            line("27112703", "Taladro inalámbrico {} con dos baterías", "12 V|18 V|20 V sin carbones", (119_000, 349_000)),
            line("27112705", "Rotomartillo SDS {}", "Plus 800 W|Plus 1 100 W|Max 1 500 W", (189_000, 689_000)),
            line("27112704", "Esmeriladora angular {}", r#"4 1/2" 700 W|4 1/2" 900 W|7" 2 200 W|9" 2 400 W"#, (64_900, 248_000)),
            line("27112709", "Sierra circular {}", r#"7 1/4" 1 400 W|7 1/4" 1 800 W"#, (139_000, 218_000)),
            line("27112734", "Sierra caladora {}", "500 W|650 W velocidad variable", (79_800, 138_000)),
            line("27112748", "Sierra ingleteadora {}", r#"10" 1 500 W|10" telescópica 1 800 W"#, (289_000, 524_000)),
            line("27112737", "Lijadora orbital {}", "1/4 de hoja 200 W|roto orbital 5\" 300 W", (59_800, 98_700)),
            line("27112717", "Pistola de calor {}", "1 500 W|2 000 W con pantalla", (48_900, 89_400)),
            line("23271409", "Soldadora inversora {}", "130 A 127 V|200 A 127/220 V", (198_000, 389_000)),
            line("40151601", "Compresor de aire {}", "25 l 2 HP|50 l 2.5 HP|100 l 3 HP", (249_000, 689_000)),
            line("26111604", "Generador a gasolina {}", "2 500 W|3 500 W|6 500 W", (498_000, 1_490_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "HER-CON",
        category: "Brocas, discos y consumibles",
        brands: &["Brocalia", "Kelbrun"],
        lines: &[
            line("27112841", "Broca de alta velocidad para metal {}", r#"1/16"|1/8"|3/16"|1/4"|5/16"|3/8"|1/2""#, (890, 13_800)),
            line("27111543", "Broca para concreto zanco recto {}", r#"3/16" x 4"|1/4" x 4"|5/16" x 6"|3/8" x 6"|1/2" x 6""#, (1480, 6780)),
            line("27111543", "Broca SDS Plus {}", r#"1/4" x 6"|3/8" x 6"|1/2" x 8"|5/8" x 12""#, (3460, 15_700)),
            line("27111539", "Broca plana para madera {}", r#"1/2"|5/8"|3/4"|1""#, (3180, 5460)),
            line("27112838", "Disco de corte para metal {}", r#"4 1/2" x 1 mm|4 1/2" x 1.6 mm|7" x 1.6 mm|9" x 2 mm|14" x 2.8 mm"#, (1390, 9870)),
            line("27112838", "Disco de diamante {}", r#"segmentado 4 1/2"|continuo 4 1/2"|turbo 7"|segmentado 14""#, (8960, 129_000)),
            line("31191506", "Disco laminado (flap) 4 1/2\" grano {}", "40|60|80|120", (3780, 4260)),
            line("31191506", "Disco de desbaste para metal {}", r#"4 1/2" x 6 mm|7" x 6 mm|9" x 6 mm"#, (2890, 7420)),
            line("27112802", "Segueta bimetálica 12\" de {}", "18 dientes|24 dientes|32 dientes", (2380, 2690)),
            line("27112802", "Disco de sierra circular {}", r#"7 1/4" 24 dientes|7 1/4" 40 dientes|10" 60 dientes"#, (12_900, 48_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "HER-REF",
        category: "Refacciones de herramienta",
        brands: &["Kelbrun"],
        subkind: "componente",
        lines: &[
            line("26101404", "Carbones para {}, par", r#"esmeriladora 4 1/2"|taladro 1/2"|rotomartillo SDS Plus"#, (3960, 8420)),
            line("27112824", "Broquero con llave {}", r#"3/8"|1/2""#, (11_800, 16_900)),
            line("26111701", "Batería de ion de litio {}", "12 V 2 Ah|18 V 2 Ah|20 V 4 Ah", (48_900, 119_000)),
            line("27112011", "Mango de madera {}", "para pala|para pico|para marro 8 lb|para martillo", (3890, 9870)),
        ],
        ..GOODS
    },
];
