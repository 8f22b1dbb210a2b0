//! Slow requests of one company.

use std::fmt::Write as _;

use crate::crowd::Crowd;
use crate::database::Database;
use crate::figures::{Figures, said};
use crate::stage::{Pace, Stage};

/// As many concurrent requests as a company may have.
const IN_FLIGHT: usize = 10;

/// Lines of a large sale.
const LINES: usize = 500;

/// Ten concurrent searches all the time. Nine of their words are in every product, and so are the
/// parts of the last, which is in none: every product is read.
pub(super) async fn searches(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    let (other, many) = (stage.ground.other.id, pace.backlog / 3);
    let database = &stage.ground.database;
    database
        .run(&format!(
            "INSERT INTO productos (empresa, clave, sku, estatus, tipo, subtipo, busqueda)
             SELECT {other}, n, 'S-' || n, 'activo', 'normal', 'terminado', 's-' || n || ' tornado bordado dorado norma mirador'
             FROM generate_series(1, {many}) n"
        ))
        .await;
    database.run("VACUUM ANALYZE productos").await;
    let mut play = stage.calm(pace).await;
    let actor = stage.other();
    let crowd = Crowd::of(IN_FLIGHT, move |_| {
        let actor = actor.clone();
        async move {
            actor.get("/productos?buscar=tornado+bordado+dorado+norma+mirador+tornad+borda+dorad+norm+adora").await.0
        }
    });
    play.last().await;
    play.notes.push(format!("the company itself, in {many} products: {}", said(&crowd.end().await)));
    play.over();
    play.audit(&stage.ground).await
}

/// Ten PDFs with many lines are drawn all the time.
pub(super) async fn drawings(pace: Pace) -> Figures {
    let stage = Stage::new().await;
    keep(&stage.ground.database, stage.ground.other.id, 1, true, &document(LINES)).await;
    let mut play = stage.calm(pace).await;
    let actor = stage.other();
    let crowd = Crowd::of(IN_FLIGHT, move |_| {
        let actor = actor.clone();
        async move { actor.get("/facturas/1/pdf").await.0 }
    });
    play.last().await;
    play.notes.push(format!("the company itself: {}", said(&crowd.end().await)));
    play.over();
    play.audit(&stage.ground).await
}

/// A stamped document with this many lines, with the parts that printing needs.
pub(super) fn document(lines: usize) -> String {
    let mut xml = r#"<cfdi:Comprobante Version="4.0" Serie="A" Folio="1" Fecha="2026-10-12T12:00:00" Sello="c2VsbG8xMjM0"
        SubTotal="1.00" Total="1.16" Moneda="MXN" TipoDeComprobante="I" LugarExpedicion="06700">
        <cfdi:Emisor Rfc="EKU9003173C9" Nombre="ESCUELA KEMPER URGATE" RegimenFiscal="601"/>
        <cfdi:Receptor Rfc="XIA190128J61" Nombre="ANA" DomicilioFiscalReceptor="06700" RegimenFiscalReceptor="601" UsoCFDI="G03"/>
        <cfdi:Conceptos>"#
        .to_owned();
    for line in 1..=lines {
        write!(
            xml,
            r#"<cfdi:Concepto ClaveProdServ="31161500" NoIdentificacion="A-{line}" Cantidad="3" ClaveUnidad="H87"
               Descripcion="Tornillo de acero inoxidable con cabeza hexagonal y rosca fina, número {line}"
               ValorUnitario="33.333333" Importe="100.00" ObjetoImp="02"><cfdi:Impuestos><cfdi:Traslados><cfdi:Traslado
               Base="100.00" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.160000" Importe="16.00"/></cfdi:Traslados>
               </cfdi:Impuestos></cfdi:Concepto>"#
        )
        .expect("memory");
    }
    xml + r#"</cfdi:Conceptos><cfdi:Complemento><tfd:TimbreFiscalDigital Version="1.1"
        UUID="5ad427b5-2b1e-4d3c-9f0a-1b2c3d4e5f60" FechaTimbrado="2026-10-12T12:00:04" RfcProvCertif="SPR190613I52"
        SelloCFD="c2VsbG8xMjM0" NoCertificadoSAT="30001000000500003456" SelloSAT="c2VsbG8="/></cfdi:Complemento>
        </cfdi:Comprobante>"#
}

/// Inserts a document into a company's registry.
pub(super) async fn keep(database: &Database, empresa: i64, factura: i64, stamped: bool, xml: &str) {
    let mut connection = database.connect().await.expect("a connection");
    let estatus = if stamped { "vigente" } else { "en_espera" };
    sqlx::query("INSERT INTO facturas (empresa, clave, estatus, fecha) VALUES ($1, $2, $3, now())")
        .bind(empresa)
        .bind(factura)
        .bind(estatus)
        .execute(&mut connection)
        .await
        .expect("a record");
    sqlx::query("INSERT INTO facturas_xml (empresa, factura, timbrado, xml, guardado) VALUES ($1, $2, $3, $4, now())")
        .bind(empresa)
        .bind(factura)
        .bind(stamped)
        .bind(zlib(xml.as_bytes()))
        .execute(&mut connection)
        .await
        .expect("a document");
}

/// In the format of RFC 1950, uncompressed.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut written = vec![0x78, 0x01];
    let mut chunks = bytes.chunks(0xffff).peekable();
    while let Some(chunk) = chunks.next() {
        let length = u16::try_from(chunk.len()).expect("a chunk");
        written.push(u8::from(chunks.peek().is_none()));
        written.extend(length.to_le_bytes());
        written.extend((!length).to_le_bytes());
        written.extend(chunk);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    written.extend((b << 16 | a).to_be_bytes());
    written
}
