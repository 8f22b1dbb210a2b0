//! Pinturas: paint, waterproofing, solvents, sealants and what they are put on with.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "PIN-VIN",
        category: "Pinturas vinílicas",
        unit: "Cubeta",
        brands: &["Pintaral", "Tintelar"],
        lines: &[
            line("31211506", "Pintura vinílica acrílica lavable mate {} 19 l", "blanca|blanco ostión|arena|gris plata|durazno|verde olivo|azul colonial|terracota", (104_000, 128_000)),
            line("31211506", "Pintura vinílica económica {} 19 l", "blanca|marfil|gris", (58_900, 62_400)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-GAL",
        category: "Pinturas vinílicas",
        unit: "Galón",
        brands: &["Pintaral", "Tintelar"],
        lines: &[line("31211506", "Pintura vinílica acrílica satinada {} 4 l", "blanca|blanco ostión|arena|gris plata|azul colonial|terracota", (28_900, 34_600))],
        ..GOODS
    },
    Family {
        prefix: "PIN-ESM",
        category: "Esmaltes y barnices",
        unit: "Litro",
        brands: &["Tintelar"],
        lines: &[
            line("31211501", "Esmalte alquidálico brillante {} 1 l", "blanco|negro|gris perla|rojo bermellón|azul holandés|verde bandera|amarillo canario|café tabaco", (11_800, 13_900)),
            line("31211518", "Primario anticorrosivo {} 1 l", "rojo óxido|gris", (9870, 10_600)),
            line("31211707", "Barniz marino {} 1 l", "transparente|nogal|caoba", (16_400, 18_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-AER",
        category: "Aerosoles",
        brands: &["Tintelar"],
        lines: &[
            line("31211507", "Pintura en aerosol {} 400 ml", "blanco brillante|negro mate|negro brillante|rojo|azul|amarillo|verde|gris máquina", (4780, 5290)),
            line("31211507", "Pintura en aerosol especial {} 400 ml", "aluminio alta temperatura|cromo|dorado|fluorescente naranja", (7380, 9640)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-IMP",
        category: "Impermeabilizantes",
        unit: "Cubeta",
        brands: &["Impermar"],
        lines: &[
            line("12164905", "Impermeabilizante acrílico {} 19 l", "3 años blanco|3 años rojo|5 años blanco|5 años rojo|7 años blanco|10 años blanco", (84_900, 239_000)),
            line("12164902", "Impermeabilizante asfáltico base agua {} 19 l", "negro|con fibra negro", (58_700, 71_200)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-SOL",
        category: "Solventes",
        unit: "Litro",
        brands: &["Tintelar", "Selladur"],
        lines: &[
            line("31211803", "Thinner {} 1 l", "estándar|americano|acrílico", (3890, 6480)),
            line("31211803", "Aguarrás {} 1 l", "mineral|puro de pino", (4270, 9840)),
            line("31211801", "Removedor de pintura {} 1 l", "en gel", (13_200, 13_800)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-SEL",
        category: "Selladores y adhesivos",
        brands: &["Selladur"],
        lines: &[
            line("31201632", "Silicón {} cartucho 280 ml", "acético transparente|acético blanco|neutro transparente|alta temperatura rojo|antihongos blanco", (5240, 9860)),
            line("31201606", "Sellador acrílico pintable {} cartucho 300 ml", "blanco|gris", (4680, 4890)),
            line("31201635", "Sellador de poliuretano {} cartucho 300 ml", "blanco|gris|negro", (11_900, 12_900)),
            line("31201630", "Espuma de poliuretano {}", "300 ml|500 ml|750 ml para pistola", (8980, 18_700)),
            line("31201623", "Adhesivo de contacto {}", "135 ml|500 ml|1 l|4 l", (3780, 56_900)),
            line("31201610", "Pegamento blanco para madera {}", "125 g|250 g|500 g|1 kg", (1890, 9450)),
            line("31201607", "Resina epóxica de dos componentes {}", "jeringa 25 ml|50 g|250 g", (5890, 21_800)),
            line("31201605", "Resanador para muro {}", "500 g|1 kg|4 kg", (2980, 14_600)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-ACC",
        category: "Accesorios para pintar",
        brands: &["Brochalia"],
        lines: &[
            line("31211904", "Brocha de cerda natural mango de madera {}", r#"1"|1 1/2"|2"|3"|4"|5"|6""#, (980, 8470)),
            line("31211906", "Rodillo para pintar con maneral 9\" {}", "superficie lisa|semirrugosa|rugosa", (5280, 6980)),
            line("31211917", "Repuesto de felpa 9\" {}", "felpa corta|felpa media|felpa larga", (2860, 3790)),
            line("31211909", "Charola para pintar {}", "9\" de plástico|9\" metálica", (2790, 5460)),
            line("31201503", "Cinta para enmascarar {} x 50 m", r#"1/2"|3/4"|1"|2""#, (1690, 6480)),
            line("31191501", "Lija de agua grano {}", "80|120|180|220|320|400|600|1000", (640, 820)),
            line("31191504", "Lija de esmeril grano {}", "40|60|80|100|120", (980, 1270)),
            line("27112601", "Espátula flexible {} mango de plástico", r#"1"|2"|3"|4"|6""#, (1840, 5690)),
            line("31211908", "Pistola para pintar {}", "de gravedad 600 ml|de succión 1 l|HVLP profesional", (49_800, 189_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PIN-MAT",
        category: "Igualación de color",
        unit: "Litro",
        brands: &["Tintelar"],
        subkind: "materia_prima",
        lines: &[
            line("31211503", "Pasta entonadora universal {}", "negro|óxido rojo|óxido amarillo|azul ftalo|verde ftalo|magenta", (18_900, 46_700)),
            line("31211512", "Base para entintar {}", "pastel|media|profunda", (8640, 9270)),
        ],
        ..GOODS
    },
];
