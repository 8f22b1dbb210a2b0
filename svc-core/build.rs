//! Compiles the SAT catalogues of `catalogos/` into tables that the library embeds, so that nothing
//! is parsed at run time.
//!
//! Written to `OUT_DIR`:
//!
//! - `codigo_postal.bin`: 100,000 bytes, one a postal code: 0 not in the catalogue, else 1 + its
//!   border mark (0 none, 1 north, 2 south) + 3 × the place of its time zone in `TIME_ZONES`
//! - `clave_prod_serv.bin`: the eight-digit codes as sorted little-endian `u32`
//! - `clave_unidad.bin`: the unit keys, zero-padded to four ASCII bytes and read as big-endian
//!   numbers, sorted, little-endian `u32`
//! - `sat.rs`: the small catalogues as sorted Rust arrays, and what their keys mean in words
//!
//! Data that is not as described stops the build with file and line.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

/// The time zones (`huso`) of the postal codes, in the order of `domain::sat::TIME_ZONES`.
const TIME_ZONES: [&str; 5] = [
    "Tiempo del Centro",
    "Tiempo del Centro en Frontera",
    "Tiempo del Pacífico",
    "Tiempo del Noroeste",
    "Tiempo del Sureste",
];

/// The catalogues whose keys are put into words, sorted.
const DESCRIBED: [&str; 10] = [
    "forma_pago.csv",
    "meses.csv",
    "metodo_pago.csv",
    "moneda.csv",
    "objeto_imp.csv",
    "pais.csv",
    "periodicidad.csv",
    "regimen.csv",
    "tipo_relacion.csv",
    "uso_cfdi.csv",
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=catalogos");
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            println!("cargo::error={}", fault.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<(), String> {
    let source = env::var("CARGO_MANIFEST_DIR").map_err(|e| format!("CARGO_MANIFEST_DIR: {e}"))?;
    let source = Path::new(&source).join("catalogos");
    let out = env::var("OUT_DIR").map_err(|e| format!("OUT_DIR: {e}"))?;
    let read = |file| Table::read(&source, file);
    let write = |file: &str, bytes: &[u8]| {
        fs::write(Path::new(&out).join(file), bytes).map_err(|e| format!("{out}/{file}: {e}"))
    };

    write("codigo_postal.bin", &postal_codes(&read("codigo_postal.csv")?)?)?;
    write("clave_prod_serv.bin", &sorted_numbers(&read("clave_prod_serv.csv")?, |key| digits(key, 8))?)?;
    write("clave_unidad.bin", &sorted_numbers(&read("clave_unidad.csv")?, unit_code)?)?;

    let regimes = read("regimen.csv")?;
    let uses = read("uso_cfdi.csv")?;
    let parts = [
        regime_array(&regimes)?,
        use_array(&uses, &matrix(&read("regimen_uso.csv")?, &regimes, &uses)?)?,
        key_array("PAYMENT_FORMS", &read("forma_pago.csv")?)?,
        key_array("PAYMENT_METHODS", &read("metodo_pago.csv")?)?,
        key_array("TAX_OBJECTS", &read("objeto_imp.csv")?)?,
        currency_array(&read("moneda.csv")?)?,
        country_array(&read("pais.csv")?)?,
        vat_array(&read("iva.csv")?)?,
        rate_array(&read("tasa_cuota.csv")?)?,
        description_array(&DESCRIBED.map(read).into_iter().collect::<Result<Vec<_>, _>>()?)?,
        grouping_array(&read("codigo_agrupador.csv")?)?,
    ];
    write("sat.rs", parts.join("\n").as_bytes())
}

fn postal_codes(table: &Table) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; 100_000];
    for (code, row) in table.keyed("cp")? {
        let index: usize = digits(code, 5).ok_or_else(|| row.fault("cp is not five digits"))?;
        let border = match row.cell("estimulo_frontera")? {
            "0" => 1,
            "1" => 2,
            "2" => 3,
            other => return Err(row.fault(format_args!("estimulo_frontera is {other:?}, not 0, 1 or 2"))),
        };
        let huso = row.cell("huso")?;
        let zone = TIME_ZONES.iter().zip(0..).find(|(name, _)| **name == huso).map(|(_, place): (_, u8)| place);
        let zone = zone.ok_or_else(|| row.fault(format_args!("huso {huso:?} is not one that is known")))?;
        bytes[index] = border + 3 * zone;
    }
    Ok(bytes)
}

fn sorted_numbers(table: &Table, number: fn(&str) -> Option<u32>) -> Result<Vec<u8>, String> {
    let mut numbers = Vec::new();
    for (key, row) in table.keyed("clave")? {
        numbers.push(number(key).ok_or_else(|| row.fault(format_args!("malformed clave {key:?}")))?);
    }
    numbers.sort_unstable();
    Ok(numbers.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn unit_code(key: &str) -> Option<u32> {
    let mut bytes = [0; 4];
    if !key.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    bytes.get_mut(..key.len())?.copy_from_slice(key.as_bytes());
    Some(u32::from_be_bytes(bytes))
}

fn regime_array(table: &Table) -> Result<String, String> {
    let mut entries = Vec::new();
    for (key, row) in table.keyed("clave")? {
        let clave: u16 = digits(key, 3).ok_or_else(|| row.fault("clave is not three digits"))?;
        let (fisica, moral) = (row.flag("fisica")?, row.flag("moral")?);
        entries.push(format!("TaxRegime {{ clave: {clave}, fisica: {fisica}, moral: {moral} }}"));
    }
    Ok(array("REGIMES", "TaxRegime", &entries))
}

fn use_array(table: &Table, matrix: &BTreeMap<String, Vec<String>>) -> Result<String, String> {
    let mut entries = Vec::new();
    for (key, row) in table.keyed("clave")? {
        let (fisica, moral) = (row.flag("fisica")?, row.flag("moral")?);
        let regimes = matrix.get(key).ok_or_else(|| row.fault("clave is no column of regimen_uso.csv"))?;
        // The matrix was derived from this column: if they part, one of the two files was refreshed
        // and the other was not.
        let mut listed: Vec<&str> = row.cell("regimenes")?.split_whitespace().collect();
        listed.sort_unstable();
        if listed != *regimes {
            return Err(row.fault("regimenes disagrees with regimen_uso.csv"));
        }
        let regimes = regimes.join(", ");
        entries.push(format!("CfdiUse {{ clave: {key:?}, fisica: {fisica}, moral: {moral}, regimes: &[{regimes}] }}"));
    }
    Ok(array("CFDI_USES", "CfdiUse", &entries))
}

/// The regimes of each use, sorted, after checking that rows and columns are those of the two
/// catalogues.
fn matrix(table: &Table, regimes: &Table, uses: &Table) -> Result<BTreeMap<String, Vec<String>>, String> {
    let (rows, regimes) = (table.keyed("regimen")?, regimes.keyed("clave")?);
    if !rows.keys().eq(regimes.keys()) {
        return Err(format!("{}: its regimes are not those of regimen.csv", table.file));
    }
    for (key, row) in &rows {
        if row.flag("fisica")? != regimes[key].flag("fisica")? || row.flag("moral")? != regimes[key].flag("moral")? {
            return Err(row.fault("person types disagree with regimen.csv"));
        }
    }
    let columns = table.columns.iter().filter(|name| !["regimen", "fisica", "moral"].contains(&name.as_str()));
    let uses = uses.keyed("clave")?;
    let mut matrix = BTreeMap::new();
    for name in columns {
        if !uses.contains_key(name.as_str()) {
            return Err(format!("{}: column {name:?} is no use of uso_cfdi.csv", table.file));
        }
        let mut allowed = Vec::new();
        for (regime, row) in &rows {
            if row.flag(name)? {
                allowed.push((*regime).to_owned());
            }
        }
        matrix.insert(name.clone(), allowed);
    }
    Ok(matrix)
}

fn key_array(name: &str, table: &Table) -> Result<String, String> {
    let entries: Vec<String> = table.keyed("clave")?.keys().map(|key| format!("{key:?}")).collect();
    Ok(array(name, "&str", &entries))
}

fn currency_array(table: &Table) -> Result<String, String> {
    let mut entries = Vec::new();
    for (key, row) in table.keyed("clave")? {
        let decimals: u8 = digits(row.cell("decimales")?, 1).ok_or_else(|| row.fault("decimales is not one digit"))?;
        entries.push(format!("({key:?}, {decimals})"));
    }
    Ok(array("CURRENCIES", "(&str, u8)", &entries))
}

fn country_array(table: &Table) -> Result<String, String> {
    // Sorted by number: the key's text sorts otherwise ("100" before "30").
    let mut entries = BTreeMap::new();
    let mut tax_ids = Vec::new();
    for (iso, row) in table.keyed("clave")? {
        let text = row.cell("clave_interna")?;
        let clave: i64 = text.parse().map_err(|_| row.fault("clave_interna is no integer"))?;
        if iso.len() != 3 || !iso.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err(row.fault("clave is not three capital letters"));
        }
        if entries.insert(clave, format!("({clave}, {iso:?})")).is_some() {
            return Err(row.fault("repeated clave_interna"));
        }
        // Residents of Mexico have no tax id but their RFC.
        match row.cell("patron_identidad_tributaria")? {
            "" => {}
            _ if iso == "MEX" => {}
            pattern => {
                let count = pattern.strip_prefix("[0-9]{").and_then(|rest| rest.strip_suffix('}'));
                let count: usize = count
                    .and_then(|count| count.parse().ok())
                    .ok_or_else(|| row.fault("patron_identidad_tributaria is not a number of digits"))?;
                tax_ids.push(format!("({iso:?}, {count})"));
            }
        }
    }
    let countries = array("COUNTRIES", "(i64, &str)", &entries.into_values().collect::<Vec<_>>());
    Ok(countries + &array("TAX_ID_DIGITS", "(&str, usize)", &tax_ids))
}

fn vat_array(table: &Table) -> Result<String, String> {
    let mut entries = Vec::new();
    for (key, row) in table.keyed("clave_api")? {
        let vat = match (row.cell("tipo_factor")?, row.cell("tasa_o_cuota")?) {
            ("Exento", "") => "Vat::Exempt".to_owned(),
            ("Tasa", rate) => {
                let millionths: u32 = rate
                    .strip_prefix("0.")
                    .and_then(|decimals| digits(decimals, 6))
                    .ok_or_else(|| row.fault("tasa_o_cuota is not of the form 0.160000"))?;
                format!("Vat::Rate {{ millionths: {millionths} }}")
            }
            _ => return Err(row.fault("neither an exemption nor a rate")),
        };
        entries.push(format!("({key:?}, {vat})"));
    }
    Ok(array("VAT", "(&str, Vat)", &entries))
}

/// The rates of taxes, each a single value or a range, in millionths.
fn rate_array(table: &Table) -> Result<String, String> {
    let mut entries = Vec::new();
    for record in &table.records {
        let row = Row { table, record };
        let millionths = |column| {
            let (whole, decimals) =
                row.cell(column)?.split_once('.').ok_or_else(|| row.fault("a rate without a point"))?;
            let number = digits::<u32>(decimals, 6).zip(whole.parse::<u32>().ok());
            number.map(|(part, whole)| whole * 1_000_000 + part).ok_or_else(|| row.fault("a rate of another form"))
        };
        let max = millionths("valor")?;
        let least = match row.cell("tipo")? {
            "Fijo" => max,
            "Rango" => millionths("minimo")?,
            other => return Err(row.fault(format_args!("tipo is {other:?}, not Fijo or Rango"))),
        };
        let factor = match row.cell("tipo_factor")? {
            factor @ ("Tasa" | "Cuota") => factor,
            other => return Err(row.fault(format_args!("tipo_factor is {other:?}, not Tasa or Cuota"))),
        };
        let (impuesto, charged, withheld) = (row.cell("impuesto")?, row.flag("traslado")?, row.flag("retencion")?);
        entries.push(format!(
            "TaxRates {{ impuesto: {impuesto:?}, factor: Factor::{factor}, least: {least}, max: {max}, charged: {charged}, withheld: {withheld} }}"
        ));
    }
    Ok(array("TAX_RATES", "TaxRates", &entries))
}

fn description_array(tables: &[Table]) -> Result<String, String> {
    let mut entries = Vec::new();
    for table in tables {
        let name = table.file.trim_end_matches(".csv");
        for (key, row) in table.keyed("clave")? {
            let text = row.cell("descripcion")?.trim().trim_end_matches('.');
            entries.push(format!("(({name:?}, {key:?}), {text:?})"));
        }
    }
    Ok(array("DESCRIPTIONS", "((&str, &str), &str)", &entries))
}

fn grouping_array(table: &Table) -> Result<String, String> {
    let mut entries = Vec::new();
    for (key, row) in table.keyed("codigo")? {
        entries.push(format!("({key:?}, {:?})", row.cell("nombre")?));
    }
    Ok(array("GROUPING_CODES", "(&str, &str)", &entries))
}

fn array(name: &str, item: &str, entries: &[String]) -> String {
    let mut code = format!("pub(super) static {name}: [{item}; {}] = [\n", entries.len());
    for entry in entries {
        // Writing to a String cannot fail.
        let _ = writeln!(code, "    {entry},");
    }
    code + "];\n"
}

/// `text` as a number if it is exactly `length` ASCII digits.
fn digits<N: std::str::FromStr>(text: &str, length: usize) -> Option<N> {
    (text.len() == length && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// A CSV file with a header line.
struct Table {
    file: &'static str,
    columns: Vec<String>,
    records: Vec<Record>,
}

struct Record {
    line: usize,
    cells: Vec<String>,
}

/// One record together with the table that names its columns.
struct Row<'t> {
    table: &'t Table,
    record: &'t Record,
}

impl Table {
    fn read(folder: &Path, file: &'static str) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join(file)).map_err(|e| format!("catalogos/{file}: {e}"))?;
        let text = text.replace("\r\n", "\n");
        let mut records = parse(&text).map_err(|(line, fault)| format!("{file}:{line}: {fault}"))?.into_iter();
        let columns = records.next().ok_or_else(|| format!("{file}: empty"))?.cells;
        let records: Vec<Record> = records.collect();
        if records.is_empty() {
            return Err(format!("{file}: no rows"));
        }
        for Record { line, cells } in &records {
            if cells.len() != columns.len() {
                return Err(format!("{file}:{line}: {} fields, the header has {}", cells.len(), columns.len()));
            }
        }
        Ok(Self { file, columns, records })
    }

    /// The rows by the text of their key column; empty and repeated keys are faults.
    fn keyed(&self, column: &str) -> Result<BTreeMap<&str, Row<'_>>, String> {
        let mut rows = BTreeMap::new();
        for record in &self.records {
            let row = Row { table: self, record };
            let key = row.cell(column)?;
            if key.is_empty() || rows.contains_key(key) {
                return Err(row.fault(format_args!("empty or repeated {column} {key:?}")));
            }
            rows.insert(key, row);
        }
        Ok(rows)
    }
}

impl<'t> Row<'t> {
    fn cell(&self, column: &str) -> Result<&'t str, String> {
        let index = self.table.columns.iter().position(|name| name == column);
        let index = index.ok_or_else(|| format!("{}: no column {column:?}", self.table.file))?;
        Ok(&self.record.cells[index])
    }

    fn flag(&self, column: &str) -> Result<bool, String> {
        match self.cell(column)? {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(self.fault(format_args!("{column} is {other:?}, not 0 or 1"))),
        }
    }

    fn fault(&self, fault: impl Display) -> String {
        format!("{}:{}: {fault}", self.table.file, self.record.line)
    }
}

/// RFC 4180: fields may be quoted, a quoted field may hold commas, line breaks and doubled quotes.
fn parse(text: &str) -> Result<Vec<Record>, (usize, &'static str)> {
    let mut records = Vec::new();
    let (mut line, mut start) = (1, 1);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    while chars.peek().is_some() {
        if chars.next_if_eq(&'"').is_some() {
            loop {
                match chars.next() {
                    Some('"') if chars.next_if_eq(&'"').is_none() => break,
                    Some(c) => {
                        line += usize::from(c == '\n');
                        cell.push(c);
                    }
                    None => return Err((start, "unclosed quote")),
                }
            }
        } else {
            while let Some(c) = chars.next_if(|c| !matches!(c, ',' | '\n' | '\r' | '"')) {
                cell.push(c);
            }
        }
        cells.push(std::mem::take(&mut cell));
        match chars.next() {
            // A comma at the very end of the file opens one more, empty, field.
            Some(',') if chars.peek().is_some() => {}
            Some(',') => return Err((line, "the file ends within a row")),
            Some('\n') | None => {
                records.push(Record { line: start, cells: std::mem::take(&mut cells) });
                line += 1;
                start = line;
            }
            Some(_) => return Err((line, "a quote or text where a comma or the end of the line belongs")),
        }
    }
    Ok(records)
}
