//! Construction, safety, garden, kits, services, and what the company only buys for itself.

use super::family::{Family, GOODS, line};

#[rustfmt::skip]
pub(super) const FAMILIES: &[Family] = &[
    Family {
        prefix: "CON-CEM",
        category: "Cementantes y yesos",
        unit: "Saco",
        brands: &["Pedrenal"],
        lines: &[
            line("30111601", "Cemento gris CPC 30R {}", "25 kg|50 kg", (12_400, 23_600)),
            line("30111504", "Mortero {}", "para albañilería 50 kg|autonivelante 25 kg", (17_800, 31_900)),
            line("30111603", "Cal hidratada {}", "25 kg", (6890, 7240)),
            line("30111701", "Yeso {}", "para construcción 40 kg|supremo 25 kg", (9870, 13_600)),
            line("31201600", "Adhesivo para piso {} 20 kg", "cerámico gris|cerámico blanco|porcelánico blanco", (9480, 24_700)),
        ],
        ..GOODS
    },
    Family {
        prefix: "CON-ACE",
        category: "Acero de refuerzo",
        unit: "Tramo",
        subkind: "materia_prima",
        lines: &[
            line("30102404", "Varilla corrugada grado 42 {} x 12 m", r#"3/8"|1/2"|5/8"|3/4""#, (14_900, 59_800)),
            line("30103623", "Castillo electrosoldado prefabricado {} x 6 m", "12 x 12-4|15 x 15-4|15 x 20-4", (19_800, 28_700)),
        ],
        ..GOODS
    },
    Family {
        prefix: "CON-HER",
        category: "Herramienta de albañilería",
        brands: &["Manoferro"],
        lines: &[
            line("27112201", "Cuchara de albañil {}", r#"punta 7"|punta 8"|tipo Filadelfia 9""#, (7890, 13_800)),
            line("27112202", "Llana {}", r#"lisa 11"|dentada 1/4"|de esponja|de madera"#, (6980, 14_200)),
            line("27112004", "Pala {} mango largo", "cuadrada|redonda", (16_900, 18_700)),
            line("27111605", "Zapapico {} con mango", "5 lb|7 lb", (24_800, 32_600)),
            line("24101507", "Carretilla {}", "4.5 ft³ llanta neumática|5.5 ft³ llanta neumática|6 ft³ llanta imponchable", (98_700, 179_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "SEG-EPP",
        category: "Seguridad industrial",
        brands: &["Guardiel"],
        lines: &[
            line("46181704", "Casco de seguridad con matraca {}", "blanco|amarillo|azul|naranja", (9860, 11_200)),
            line("46181802", "Lentes de seguridad {}", "claros|oscuros|antiempañantes", (2980, 6740)),
            line("46181507", "Chaleco de seguridad con reflejante {}", "naranja unitalla|verde limón unitalla|naranja con bolsas", (4890, 13_600)),
            line("46181703", "Careta para soldar {}", "fija sombra 11|electrónica sombra 9-13", (14_900, 78_600)),
            line("46182002", "Respirador {}", "N95 desechable|de media cara con cartuchos", (1490, 39_800)),
            line("46182201", "Faja sacrolumbar con tirantes talla {}", "chica|mediana|grande", (12_800, 13_900)),
        ],
        ..GOODS
    },
    Family {
        prefix: "SEG-PAR",
        category: "Seguridad industrial",
        unit: "Par",
        brands: &["Guardiel"],
        lines: &[
            line("46181504", "Guantes {}", "de látex corrugado|de carnaza cortos|de nitrilo|de piel para electricista", (2690, 18_900)),
            line("46181604", "Botas de seguridad con casquillo talla {}", "25|26|27|28|29", (54_800, 58_900)),
            line("46181901", "Tapones auditivos {}", "desechables|reutilizables con cordón", (290, 1480)),
        ],
        ..GOODS
    },
    Family {
        prefix: "JAR-RIE",
        category: "Riego y jardinería",
        brands: &["Jardelia"],
        lines: &[
            line("40142008", "Manguera para jardín reforzada {}", r#"1/2" x 10 m|1/2" x 15 m|1/2" x 30 m|3/4" x 30 m"#, (13_900, 74_600)),
            line("21101803", "Aspersor {}", "de estaca|oscilante|de impacto de bronce", (4890, 34_700)),
            line("27112007", "Tijera de poda {}", r#"8"|para seto 20"|de mango largo 28""#, (12_400, 38_700)),
            line("27112001", "Machete {} pulido", r#"14"|18"|22""#, (8460, 12_900)),
            line("27112003", "Rastrillo {}", "metálico 14 dientes|de plástico 22 dientes", (9760, 12_800)),
            line("47131604", "Escoba {}", "de mijo|de plástico angular|metálica para jardín", (5480, 12_300)),
        ],
        ..GOODS
    },
    Family {
        prefix: "JAR-FER",
        category: "Riego y jardinería",
        unit: "Saco",
        brands: &["Jardelia"],
        tax: "0",
        lines: &[line("10171605", "Fertilizante triple 17 granulado {}", "5 kg|25 kg|50 kg", (14_900, 89_800))],
        ..GOODS
    },
    Family {
        prefix: "VAR-AGU",
        category: "Varios",
        tax: "0",
        lines: &[line("50202301", "Agua purificada en garrafón {}", "20 l", (2900, 3400))],
        ..GOODS
    },
    Family {
        prefix: "VAR-LIB",
        category: "Varios",
        tax: "EX",
        lines: &[line("55101509", "Libro: manual práctico de {}", "instalaciones eléctricas|instalaciones hidráulicas", (16_800, 19_400))],
        ..GOODS
    },
    Family {
        prefix: "KIT-GEN",
        category: "Herramienta",
        unit: "Kit",
        brands: &["Quetzaro", "Manoferro"],
        kit: true,
        lines: &[
            line("27113201", "Kit de herramienta para el hogar {}", "12 piezas|25 piezas|60 piezas con maletín", (24_900, 98_700)),
            line("27113204", "Kit de electricista {}", "básico con multímetro|profesional con cinturón", (58_900, 128_000)),
            line("31211900", "Kit para pintar {}", "rodillo, charola y brocha|rodillo, extensión, charola y cinta", (11_800, 19_700)),
            line("40141700", "Kit de instalación para {}", "lavabo: cespol, llaves y mangueras|WC: cuello, llave y manguera|boiler: mangueras y válvulas", (18_900, 39_800)),
        ],
        ..GOODS
    },
    Family {
        prefix: "SRV-GEN",
        category: "Servicios",
        unit: "Servicio",
        kind: "virtual_con_precio",
        lines: &[
            line("78101801", "Flete local {}", "hasta 10 km|de 10 a 25 km|con maniobras de descarga", (12_000, 58_000)),
            line("78101802", "Flete foráneo {}", "consolidado|camión completo", (85_000, 680_000)),
            line("73121601", "Corte de tubo o varilla a la medida{}", "", (800, 900)),
            line("72151501", "Instalación de luminarios{}", "", (14_000, 15_000)),
            line("72154109", "Mantenimiento de bomba centrífuga{}", "", (38_000, 42_000)),
            line("72141702", "Renta de {} por día", "rotomartillo|generador 3 500 W|andamio, un cuerpo", (9000, 32_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "SRV-ADM",
        category: "Servicios",
        unit: "Actividad",
        kind: "virtual_sin_precio",
        lines: &[
            line("84111506", "Anticipo de cliente{}", "", (0, 0)),
            line("84111506", "Bonificación por volumen{}", "", (0, 0)),
            line("84111506", "Diferencia por garantía{}", "", (0, 0)),
        ],
        ..GOODS
    },
    Family {
        prefix: "GAS-INT",
        category: "Gastos internos",
        unit: "Actividad",
        kind: "gasto",
        lines: &[
            line("83101803", "Energía eléctrica de {}", "la bodega|la sucursal", (480_000, 790_000)),
            line("14111507", "Papelería y papel para impresora{}", "", (60_000, 90_000)),
            line("78102205", "Mensajería y paquetería{}", "", (18_000, 22_000)),
            line("15101514", "Gasolina para reparto{}", "", (150_000, 180_000)),
            line("76111501", "Servicio de limpieza{}", "", (240_000, 260_000)),
        ],
        ..GOODS
    },
    Family {
        prefix: "JAR-INS",
        category: "Riego y jardinería",
        brands: &["Jardelia"],
        taxes: &[("ieps_tasa", "0.06")],
        lines: &[line("10191509", "Insecticida {}", "en aerosol 400 ml|concentrado 1 l", (6_900, 28_400))],
        ..GOODS
    },
    Family {
        prefix: "SRV-PRO",
        category: "Servicios",
        unit: "Servicio",
        kind: "virtual_con_precio",
        taxes: &[("retencion_isr", "0.1"), ("retencion_iva", "0.106667")],
        lines: &[line("80101500", "Honorarios de asesoría en obra{}", "", (90_000, 95_000))],
        ..GOODS
    },
];
