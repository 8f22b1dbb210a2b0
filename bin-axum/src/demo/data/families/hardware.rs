//! Ferretería: fasteners, anchors, nails, locks, chains, welding.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "FER-TOR",
        category: "Tornillos y pijas",
        brands: &["Tolvar", "Ferranto"],
        lines: &[
            line("31161620", "Tornillo hexagonal grado 5 {} galvanizado", r#"1/4" x 1"|1/4" x 2"|5/16" x 1 1/2"|3/8" x 2"|3/8" x 3"|1/2" x 2"|1/2" x 4"|5/8" x 4""#, (112, 2890)),
            line("31161620", "Tornillo hexagonal grado 8 {} pavonado", r#"5/16" x 1"|3/8" x 1 1/2"|1/2" x 2"|1/2" x 3"|5/8" x 3"|3/4" x 4""#, (380, 5240)),
            line("31161621", "Tornillo coche cabeza redonda {} galvanizado", r#"1/4" x 2"|5/16" x 3"|3/8" x 4"|3/8" x 6"|1/2" x 6""#, (165, 1875)),
            line("31161508", "Pija para madera cabeza plana {} tropicalizada", r#"6 x 1/2"|8 x 3/4"|8 x 1"|10 x 1 1/2"|10 x 2"|12 x 3""#, (18, 142)),
            line("31161507", "Pija autotaladrante cabeza hexagonal {} con rondana de neopreno", r#"8 x 3/4"|10 x 1"|12 x 1"|12 x 1 1/2"|14 x 2"|14 x 3""#, (64, 412)),
            line("31161532", "Tornillo Allen cabeza cilíndrica {} acero aleado negro", "M4 x 16 mm|M5 x 20 mm|M6 x 25 mm|M8 x 30 mm|M10 x 40 mm|M12 x 50 mm", (95, 1360)),
            line("31161618", "Varilla roscada {} x 1 m galvanizada", r#"1/4"|5/16"|3/8"|1/2"|5/8"|3/4""#, (1480, 13_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-PIJ",
        category: "Tornillos y pijas",
        unit: "Caja",
        brands: &["Tolvar"],
        lines: &[
            line("31161509", "Pija para panel de yeso cuerda fina {} fosfatada, caja con 1 000", r#"6 x 1"|6 x 1 1/4"|6 x 1 5/8"|6 x 2"|8 x 2 1/2""#, (13_850, 31_200)),
            line("31162201", "Remache pop de aluminio {}, caja con 100", r#"1/8" x 1/4"|1/8" x 3/8"|5/32" x 1/2"|3/16" x 1/2"|3/16" x 3/4""#, (3290, 9860)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-TUE",
        category: "Tuercas y rondanas",
        brands: &["Tolvar", "Ferranto"],
        lines: &[
            line("31161727", "Tuerca hexagonal grado 5 {} galvanizada", r#"1/4"|5/16"|3/8"|1/2"|5/8"|3/4"|1""#, (32, 1190)),
            line("31161717", "Tuerca mariposa {} galvanizada", r#"3/16"|1/4"|5/16"|3/8""#, (88, 365)),
            line("31161807", "Rondana plana estándar {} galvanizada", r#"3/16"|1/4"|5/16"|3/8"|1/2"|5/8"|3/4""#, (14, 460)),
            line("31161811", "Rondana de presión {} pavonada", r#"1/4"|5/16"|3/8"|1/2"|5/8""#, (17, 240)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-ANC",
        category: "Anclas y taquetes",
        brands: &["Anclario"],
        lines: &[
            line("31161607", "Taquete expansivo de acero tipo camisa {}", r#"1/4" x 1 3/8"|5/16" x 1 1/2"|3/8" x 1 7/8"|1/2" x 3""#, (420, 1980)),
            line("31162102", "Ancla de cuña galvanizada {}", r#"1/4" x 2 1/4"|3/8" x 3"|1/2" x 4 1/4"|5/8" x 6"|3/4" x 8""#, (610, 5480)),
            line("31162105", "Ancla química epóxica, cartucho {}", "300 ml|385 ml|585 ml", (31_400, 62_500)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-TAQ",
        category: "Anclas y taquetes",
        unit: "Paquete",
        brands: &["Anclario"],
        lines: &[line("31162103", "Taquete de plástico {}, bolsa con 100 piezas", r#"1/4" gris|5/16" gris|3/8" gris|1/2" gris|1/4" con pija 8 x 1 1/4""#, (1950, 8940))],
        ..GOODS
    },
    Family {
        prefix: "FER-CLA",
        category: "Clavos y alambres",
        unit: "Kilogramo",
        lines: &[
            line("31162006", "Clavo estándar con cabeza {}", r#"4"|3 1/2"|3"|2 1/2"|2"|1 1/2"|1""#, (2890, 3640)),
            line("31162004", "Clavo para concreto negro {}", r#"1"|1 1/2"|2"|2 1/2"|3""#, (6120, 7380)),
            line("31152209", "Alambre {}", "recocido calibre 18|recocido calibre 16|galvanizado calibre 14|galvanizado calibre 12", (2870, 4490)),
            line("31162404", "Grapa galvanizada para cerca {}", r#"1""#, (4120, 4380)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-PUA",
        category: "Clavos y alambres",
        unit: "Rollo",
        brands: &["Ferranto"],
        lines: &[
            line("31152002", "Alambre de púas galvanizado calibre 12.5, rollo de {}", "180 m|340 m", (89_500, 158_000)),
            line("11162108", "Malla ciclónica galvanizada calibre 12.5, {} x 20 m", "1.00 m|1.50 m|2.00 m", (98_000, 189_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-CER",
        category: "Cerrajería y herrajes",
        brands: &["Cerrojal", "Ferranto"],
        lines: &[
            line("46171501", "Candado de latón gancho corto {}", "20 mm|30 mm|38 mm|50 mm|60 mm", (3480, 22_900)),
            line("46171508", "Candado de combinación de {}", "3 dígitos|4 dígitos", (6950, 11_800)),
            line("31162402", "Cerradura de sobreponer {}", "derecha|izquierda|doble cilindro derecha|doble cilindro izquierda", (21_900, 46_800)),
            line("31162402", "Cerradura de perilla {} acabado níquel satinado", "para baño|para recámara|para entrada", (13_900, 21_500)),
            line("31162403", "Bisagra cuadrada de acero latonado {}", r#"2"|2 1/2"|3"|3 1/2"|4""#, (890, 3260)),
            line("31162403", "Bisagra tubular para herrería {}", r#"3/8"|1/2"|5/8"|3/4"|1""#, (480, 2950)),
            line("31162407", "Pasador de barril galvanizado {}", r#"2"|3"|4"|6""#, (1120, 3870)),
            line("46171503", "Juego de 3 candados con la misma llave {}", "40 mm|50 mm", (24_900, 36_700)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-CAD",
        category: "Cadenas, cables y cuerdas",
        unit: "Metro",
        brands: &["Ferranto"],
        lines: &[
            line("31151607", "Cadena de acero galvanizada eslabón corto {}", r#"1/8"|3/16"|1/4"|5/16"|3/8""#, (1890, 13_400)),
            line("31151503", "Cuerda de polipropileno trenzada {}", "4 mm|6 mm|8 mm|10 mm|12 mm|16 mm", (310, 2460)),
            line("31151505", "Cable de acero galvanizado 7 x 7 {}", r#"1/16"|1/8"|3/16"|1/4""#, (590, 2980)),
        ],
        ..GOODS
    },
    Family {
        prefix: "FER-SOL",
        category: "Soldadura",
        unit: "Kilogramo",
        brands: &["Soldanza"],
        lines: &[
            line("23271810", "Electrodo para acero al carbono E-6013 {}", r#"3/32"|1/8"|5/32""#, (6890, 7980)),
            line("23271810", "Electrodo de bajo hidrógeno E-7018 {}", r#"3/32"|1/8"|5/32""#, (7480, 8890)),
            line("23271813", "Microalambre ER70S-6 {}", "0.030\"|0.035\"|0.045\"", (6250, 7140)),
        ],
        ..GOODS
    },
];
