//! Plomería: pipe and fittings, valves, bathroom, pumps and tanks.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "PLO-TUB",
        category: "Tubería y conexiones",
        unit: "Tramo",
        brands: &["Tubarel"],
        lines: &[
            line("40171517", "Tubo de PVC sanitario {} x 6 m", r#"1 1/2"|2"|3"|4"|6""#, (11_900, 98_700)),
            line("40171518", "Tubo de CPVC {} x 3.05 m", r#"1/2"|3/4"|1"|1 1/4""#, (7480, 29_600)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-TBM",
        category: "Tubería y conexiones",
        unit: "Tramo",
        brands: &["Cobrelia"],
        lines: &[
            line("40171511", "Tubo de cobre rígido tipo M {} x 6.10 m", r#"1/2"|3/4"|1"|1 1/4""#, (58_900, 196_000)),
            line("40171501", "Tubo de acero galvanizado cédula 40 {} x 6.40 m", r#"1/2"|3/4"|1"|1 1/2"|2""#, (61_200, 217_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-PVC",
        category: "PVC sanitario",
        brands: &["Tubarel"],
        lines: &[
            line("40172808", "Codo de PVC sanitario 90° {}", r#"1 1/2"|2"|3"|4"|6""#, (640, 9870)),
            line("40172808", "Codo de PVC sanitario 45° {}", r#"1 1/2"|2"|3"|4""#, (590, 2980)),
            line("40174608", "Tee de PVC sanitario {}", r#"2"|3"|4"|6""#, (1390, 15_800)),
            line("40175208", "Yee de PVC sanitario {}", r#"2"|3"|4"|4" x 2""#, (1560, 5230)),
            line("40172608", "Cople de PVC sanitario {}", r#"1 1/2"|2"|3"|4""#, (480, 2140)),
            line("40173608", "Reducción de PVC sanitario {}", r#"2" x 1 1/2"|3" x 2"|4" x 2"|4" x 3""#, (780, 2870)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-CPV",
        category: "CPVC",
        brands: &["Tubarel", "Hidrelia"],
        lines: &[
            line("40172809", "Codo de CPVC 90° {}", r#"1/2"|3/4"|1""#, (290, 1580)),
            line("40174609", "Tee de CPVC {}", r#"1/2"|3/4"|1""#, (370, 2150)),
            line("40172609", "Cople de CPVC {}", r#"1/2"|3/4"|1""#, (240, 1190)),
            line("40171709", "Adaptador de CPVC {}", r#"macho 1/2"|hembra 1/2"|macho 3/4"|hembra 3/4""#, (420, 1290)),
            line("40172409", "Tapa de CPVC {}", r#"1/2"|3/4"|1""#, (190, 840)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-COB",
        category: "Cobre",
        brands: &["Cobrelia"],
        lines: &[
            line("40172812", "Codo de cobre 90° {} soldable", r#"1/2"|3/4"|1"|1 1/4""#, (1290, 9380)),
            line("40174612", "Tee de cobre {} soldable", r#"1/2"|3/4"|1"|1 1/4""#, (1980, 13_400)),
            line("40172612", "Cople de cobre {} soldable", r#"1/2"|3/4"|1""#, (760, 3490)),
            line("40174912", "Tuerca unión de cobre {}", r#"1/2"|3/4"|1""#, (6890, 18_600)),
            line("40172521", "Conector de cobre {}", r#"rosca exterior 1/2"|rosca interior 1/2"|rosca exterior 3/4"|rosca interior 3/4""#, (2180, 5460)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-GAL",
        category: "Galvanizado",
        brands: &["Hidrelia"],
        lines: &[
            line("40172806", "Codo galvanizado 90° {}", r#"1/2"|3/4"|1"|1 1/2"|2""#, (1140, 9250)),
            line("40174606", "Tee galvanizada {}", r#"1/2"|3/4"|1"|1 1/2""#, (1490, 7480)),
            line("40172606", "Cople galvanizado {}", r#"1/2"|3/4"|1"|2""#, (980, 6140)),
            line("40174906", "Tuerca unión galvanizada {}", r#"1/2"|3/4"|1""#, (3690, 7280)),
            line("40173506", "Tapón macho galvanizado {}", r#"1/2"|3/4"|1""#, (740, 1980)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-VAL",
        category: "Válvulas y llaves",
        brands: &["Grifalia", "Hidrelia"],
        lines: &[
            line("40141607", "Válvula de esfera de latón roscable {}", r#"1/2"|3/4"|1"|1 1/4"|1 1/2"|2""#, (8750, 69_800)),
            line("40141613", "Válvula de compuerta de bronce {}", r#"1/2"|3/4"|1"|2""#, (14_900, 87_600)),
            line("40141643", "Válvula check columpio de bronce {}", r#"1/2"|3/4"|1"|2""#, (16_800, 79_400)),
            line("40141610", "Válvula de flotador para tinaco {}", r#"1/2" plástico|1/2" alta presión|3/4" alta presión|1""#, (8690, 41_200)),
            line("40141652", "Válvula reguladora de presión {}", r#"1/2"|3/4"|1""#, (48_900, 129_000)),
            line("30181701", "Llave de nariz {} con rosca para manguera", r#"1/2" cromada|1/2" de latón|3/4" de latón"#, (7890, 15_600)),
            line("30181701", "Llave angular {}", r#"1/2" x 1/2"|1/2" x 3/8"|doble salida 1/2""#, (6240, 13_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-BAN",
        category: "Baño y cocina",
        brands: &["Grifalia", "Acuanta"],
        lines: &[
            line("30181700", "Mezcladora para lavabo 4\" {}", "manerales de cruz|manerales de palanca|acabado negro mate", (39_800, 118_000)),
            line("30181700", "Monomando para {}", "lavabo bajo|fregadero cuello de ganso|regadera empotrado", (64_500, 189_000)),
            line("30181503", "Regadera {} cromada", "chorro fijo|cuadrada 8\"|redonda 10\"|de teléfono 5 funciones", (12_900, 74_600)),
            line("30181505", "WC de una pieza {}", "4.8 litros blanco|4.8 litros hueso|doble descarga blanco", (238_000, 396_000)),
            line("30181505", "WC de dos piezas {}", "6 litros blanco|4.8 litros blanco|4.8 litros alargado", (128_000, 214_000)),
            line("30181504", "Lavabo cerámico {}", "de pedestal blanco|de sobreponer redondo|de sobreponer rectangular", (58_900, 142_000)),
            line("30181603", "Asiento para WC {}", "redondo blanco|alargado blanco|cierre lento blanco", (14_900, 49_800)),
            line("30181600", "Toallero de barra {}", "45 cm cromado|60 cm cromado|60 cm negro mate", (13_800, 32_500)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-ACC",
        category: "Baño y cocina",
        brands: &["Acuanta", "Hidrelia"],
        lines: &[
            line("40142513", "Cespol {}", "de PVC para lavabo|de PVC para fregadero|cromado para lavabo|de bote para piso 4\"", (3980, 18_700)),
            line("40142008", "Manguera alimentadora de acero inoxidable {}", "para lavabo 40 cm|para lavabo 55 cm|para WC 35 cm|para WC 45 cm|para boiler 60 cm", (3690, 9480)),
            line("40141759", "Coladera de piso {}", "de acero inoxidable 4\" x 4\"|de hierro fundido|lineal 60 cm", (7820, 69_700)),
            line("31162906", "Abrazadera sin fin de acero inoxidable {}", r#"1/2" a 3/4"|3/4" a 1"|1" a 1 1/2"|2" a 3""#, (580, 1790)),
            line("31201514", "Cinta selladora de PTFE {}", r#"1/2" x 7 m|3/4" x 7 m|3/4" x 13 m"#, (390, 1480)),
            line("31201617", "Cemento para {}", "PVC bote 145 ml|PVC bote 250 ml|CPVC bote 250 ml|PVC bote 500 ml", (4380, 14_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-REF",
        category: "Refacciones de plomería",
        brands: &["Acuanta", "Grifalia"],
        subkind: "componente",
        lines: &[
            line("40141639", "Válvula de llenado para WC {}", "universal ajustable|silenciosa", (7860, 12_400)),
            line("40141640", "Sapo para válvula de descarga de WC {}", "2\"|3\"", (1980, 4690)),
            line("30181811", "Cartucho cerámico para monomando {}", "35 mm|40 mm", (8480, 10_900)),
            line("30181811", "Empaque de hule para llave {}", r#"3/8"|1/2"|3/4""#, (64, 128)),
        ],
        ..GOODS
    },
    Family {
        prefix: "PLO-BOM",
        category: "Bombas, tinacos y calentadores",
        brands: &["Hidrelia", "Acuanta"],
        lines: &[
            line("40151510", "Bomba periférica {} 127 V", "1/2 HP|3/4 HP|1 HP", (89_800, 164_000)),
            line("40151503", "Bomba centrífuga {}", "1/2 HP 127 V|3/4 HP 127 V|1 HP 127 V|1 1/2 HP 220 V|2 HP 220 V", (189_000, 498_000)),
            line("40151513", "Bomba sumergible {}", "para agua limpia 1/2 HP|para agua limpia 1 HP|para lodos 1 HP", (168_000, 389_000)),
            line("40151566", "Equipo hidroneumático {}", "1/2 HP con tanque de 24 l|3/4 HP con tanque de 50 l|1 HP con tanque de 100 l", (298_000, 689_000)),
            line("24111810", "Tinaco tricapa {} con accesorios", "450 l|600 l|750 l|1 100 l|2 500 l", (139_000, 598_000)),
            line("24111810", "Cisterna de polietileno {}", "2 800 l|5 000 l|10 000 l", (798_000, 2_390_000)),
            line("40101825", "Calentador de agua {} gas LP", "de depósito 40 l|de paso 6 l/min|de paso 9 l/min|instantáneo 13 l/min", (298_000, 689_000)),
            line("40161502", "Filtro de agua {}", "de sedimentos 10\"|de carbón activado 10\"|de tres etapas", (28_900, 174_000)),
        ],
        ..GOODS
    },
];
