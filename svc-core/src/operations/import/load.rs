//! Reads the lines and writes their records in batches.

use std::collections::{HashMap, HashSet};
use std::time::Duration;
use std::{io, thread};

use async_trait::async_trait;
use serde::de::IgnoredAny;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::{BadLine, BadLines, Existing, ImportError, ImportMoment, ImportRun, Rules, require_exact_integers};
use crate::error::Error;
use crate::json::{Fault, Json};
use crate::store::{BatchError, Conflict, ImportBatch, StoreError, Tx};

/// How many records one statement writes.
const BATCH: usize = 1_000;

/// How many batches are read ahead while another is written.
const AHEAD: usize = 2;

/// How long a transaction is silent while it waits for lines.
const SILENCE: Duration = Duration::from_secs(4);

/// How many such times it waits for the next batch: ten minutes in all.
const SILENCES: u32 = 150;

/// Records with the numbers of their lines, and the lines that are no records.
struct ReadBatch<R> {
    numbers: Vec<u64>,
    rows: Vec<R>,
    bad: Vec<BadLine>,
    /// The lines after the last bad one that could be named; the input has been read to its end.
    unread: u64,
    is_last: bool,
}

impl<R> ReadBatch<R> {
    fn count(&self) -> u64 {
        self.rows.len() as u64 + self.bad.len() as u64 + self.unread
    }
}

impl<L: Iterator<Item = io::Result<Vec<u8>>> + Send + 'static> ImportRun<'_, L> {
    pub(super) async fn load<R: Rules>(&mut self, tx: &mut dyn Tx, at: ImportMoment<'_>) -> Result<u64, ImportError> {
        let (mut count, mut late, mut found) = (0, Vec::new(), BadLines::default());
        let lines = self.lines.take().ok_or_else(|| Error::internal("the lines were read before"))?;
        let mut batches = lines.read_ahead::<R>();
        loop {
            let batch = next(tx, &mut batches).await?;
            let batch = batch.ok_or_else(|| Error::internal("the lines could not be read"))??;
            let is_last = batch.is_last;
            if found.is_full() {
                found.unread += batch.count();
            } else {
                let written = self.write(tx, batch, at, &mut late, &mut found).await?;
                count += written;
                if written > 0 {
                    (self.progress)(count);
                }
            }
            if is_last {
                break;
            }
        }
        if !found.lines.is_empty() {
            return Err(ImportError::Lines(found.in_order()));
        }
        set_late_parents::<R>(tx, &late).await?;
        Ok(count)
    }

    /// Writes a batch without the records that the database refuses, so that the bad lines after
    /// them are found too; returns how many were written.
    async fn write<R: Rules>(
        &mut self,
        tx: &mut dyn Tx,
        batch: ReadBatch<R>,
        at: ImportMoment<'_>,
        late: &mut Vec<LateParent>,
        found: &mut BadLines,
    ) -> Result<u64, ImportError> {
        let ReadBatch { mut numbers, mut rows, bad, unread, .. } = batch;
        found.lines.extend(bad);
        found.unread += unread;
        if self.existing == Existing::Skipped {
            skip_taken(tx, &mut numbers, &mut rows).await?;
        }
        while !rows.is_empty() {
            let mut batch = Records { numbers: &numbers, rows: &mut rows, at, late: Vec::new() };
            match tx.write_batch(&mut batch).await {
                Ok(()) => {
                    late.append(&mut batch.late);
                    break;
                }
                Err(BatchError::Record { at, conflict }) => {
                    found.lines.push(refused(numbers.remove(at), &conflict));
                    rows.remove(at);
                    if found.is_full() {
                        found.unread += (rows.len() - at) as u64;
                        break;
                    }
                }
                Err(BatchError::Failed(error)) => return Err(error.into()),
            }
        }
        Ok(rows.len() as u64)
    }
}

/// The next batch. While it is waited for, the transaction is kept open: the database closes one
/// that is silent for long.
async fn next<R>(
    tx: &mut dyn Tx,
    batches: &mut mpsc::Receiver<Result<ReadBatch<R>, ImportError>>,
) -> Result<Option<Result<ReadBatch<R>, ImportError>>, ImportError> {
    for _ in 0..SILENCES {
        if let Ok(batch) = timeout(SILENCE, batches.recv()).await {
            return Ok(batch);
        }
        tx.now().await?;
    }
    let late = io::Error::new(io::ErrorKind::TimedOut, "the next lines did not come in time");
    Err(ImportError::Read { line: 0, source: late })
}

/// Drops the records whose clave the company or an earlier record has.
async fn skip_taken<R: Rules>(tx: &mut dyn Tx, numbers: &mut Vec<u64>, rows: &mut Vec<R>) -> Result<(), StoreError> {
    let given: Vec<i64> = rows.iter_mut().filter_map(|row| *row.clave()).collect();
    if given.is_empty() {
        return Ok(());
    }
    let mut taken: HashSet<i64> = tx.taken_claves(&R::SPEC, &given).await?.into_iter().collect();
    let kept: Vec<bool> = rows.iter_mut().map(|row| row.clave().is_none_or(|clave| taken.insert(clave))).collect();
    let mut each = kept.iter();
    numbers.retain(|_| each.next().is_some_and(|kept| *kept));
    let mut each = kept.iter();
    rows.retain(|_| each.next().is_some_and(|kept| *kept));
    Ok(())
}

/// A batch of records, with the numbers of their lines.
struct Records<'a, R> {
    numbers: &'a [u64],
    rows: &'a mut [R],
    at: ImportMoment<'a>,
    late: Vec<LateParent>,
}

#[async_trait]
impl<R: Rules> ImportBatch for Records<'_, R> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    async fn write(&mut self, tx: &mut dyn Tx, count: usize) -> Result<(), StoreError> {
        self.late = insert(tx, &self.numbers[..count], &mut self.rows[..count], self.at).await?;
        Ok(())
    }
}

/// A record that was written without its parent, which had not come yet.
struct LateParent {
    line: u64,
    clave: i64,
    parent: i64,
}

/// Writes records. Returns those written without their parent, which may come later.
async fn insert<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    at: ImportMoment<'_>,
) -> Result<Vec<LateParent>, StoreError> {
    R::look_up(rows, tx, at).await?;
    let given: Vec<Option<i64>> = rows.iter_mut().map(|row| *row.clave()).collect();
    let claves = tx.assign_claves(&R::SPEC, &given).await?;
    let late = take_late_parents(tx, numbers, rows, &claves).await?;
    for (row, clave) in rows.iter_mut().zip(claves) {
        *row.clave() = Some(clave);
        row.normalize(clave, at).map_err(|fault| Conflict::Value(fault.field().to_owned()))?;
    }
    let mut values = Vec::with_capacity(rows.len() * R::SPEC.columns.len());
    for row in rows.iter() {
        row.values(&mut values);
    }
    tx.insert_records(&R::SPEC, &values).await?;
    R::follow_up(rows, tx, at).await?;
    Ok(late)
}

/// Clears the parents that exist neither in the company nor earlier in this batch. `claves` belong
/// to `rows`.
async fn take_late_parents<R: Rules>(
    tx: &mut dyn Tx,
    numbers: &[u64],
    rows: &mut [R],
    claves: &[i64],
) -> Result<Vec<LateParent>, StoreError> {
    let Some((_, parents)) = R::PARENT else { return Ok(Vec::new()) };
    let (mut earlier, mut elsewhere) = (HashSet::with_capacity(claves.len()), HashSet::new());
    for (row, clave) in rows.iter().zip(claves) {
        elsewhere.extend(row.parent().filter(|parent| !earlier.contains(parent)));
        earlier.insert(*clave);
    }
    if elsewhere.is_empty() {
        return Ok(Vec::new());
    }
    let missing: HashSet<i64> = tx.missing_parents(parents, &Vec::from_iter(elsewhere)).await?.into_iter().collect();
    let mut late = Vec::new();
    for ((row, clave), line) in rows.iter_mut().zip(claves).zip(numbers) {
        if let Some(parent) = row.parent().filter(|parent| missing.contains(parent)) {
            row.clear_parent();
            late.push(LateParent { line: *line, clave: *clave, parent });
        }
    }
    Ok(late)
}

/// Sets the parents that came after their children. Refuses the first line whose parent never came,
/// and the first whose parent descends from it: one record of every such circle came before its
/// parent.
async fn set_late_parents<R: Rules>(tx: &mut dyn Tx, late: &[LateParent]) -> Result<(), ImportError> {
    let Some((field, parents)) = R::PARENT.filter(|_| !late.is_empty()) else { return Ok(()) };
    let named: HashSet<i64> = late.iter().map(|late| late.parent).collect();
    let missing: HashSet<i64> = tx.missing_parents(parents, &Vec::from_iter(named)).await?.into_iter().collect();
    if let Some(orphan) = late.iter().find(|late| missing.contains(&late.parent)) {
        let text = format!("{field}: no existe en la empresa ni en el archivo");
        return Err(ImportError::Lines(BadLine { line: orphan.line, text }.into()));
    }
    let children: Vec<_> = late.iter().map(|late| (late.clave, late.parent)).collect();
    tx.set_parents(parents, &children).await?;
    let claves: Vec<i64> = late.iter().map(|late| late.clave).collect();
    let circles = circles(tx.lineage(parents, &claves).await?);
    if let Some(own) = late.iter().find(|late| circles.contains(&late.clave)) {
        let text = format!("{field}: desciende del propio registro");
        return Err(ImportError::Lines(BadLine { line: own.line, text }.into()));
    }
    Ok(())
}

/// The records that descend from themselves.
fn circles(mut parents: HashMap<i64, Option<i64>>) -> HashSet<i64> {
    let starts: Vec<i64> = parents.keys().copied().collect();
    let mut found = HashSet::new();
    for mut clave in starts {
        let mut way = Vec::new();
        // What was walked once leads nowhere new.
        while let Some(parent) = parents.remove(&clave).flatten() {
            way.push(clave);
            clave = parent;
        }
        let back = way.iter().position(|passed| *passed == clave).unwrap_or(way.len());
        found.extend(way.drain(back..));
    }
    found
}

/// A line that the database refuses.
fn refused(line: u64, conflict: &Conflict) -> BadLine {
    let text = match conflict {
        Conflict::Reference(_) => "no existe en la empresa",
        Conflict::Ambiguous(_) => "hay varias con ese nombre; hace falta la clave de una",
        Conflict::Value(_) => "no es válido",
        Conflict::MainWarehouse => "la sucursal ya tiene almacén principal",
        Conflict::Rfc(_) | Conflict::Sku | Conflict::Uuid | Conflict::Clave | Conflict::Name | Conflict::Taken(_) => {
            "ya existe en la empresa o en el archivo"
        }
    };
    BadLine { line, text: format!("{}: {text}", conflict.field()) }
}

/// Explains NDJSON to clients that send something else.
const NDJSON: &str = "el archivo es NDJSON: en cada línea un objeto JSON completo, sin corchetes alrededor ni comas entre \
                      las líneas";

/// The input, line by line.
pub(super) struct Lines<L> {
    input: L,
    /// The number of the last line read, from 1.
    line: u64,
    /// How many lines are bad so far.
    bad: usize,
}

impl<L: Iterator<Item = io::Result<Vec<u8>>>> Lines<L> {
    pub(super) fn new(input: L) -> Self {
        Self { input, line: 0, bad: 0 }
    }

    /// Reads and validates records while others are written. It has its own thread, because the
    /// input may never end and nobody waits for it.
    fn read_ahead<R: Rules + 'static>(mut self) -> mpsc::Receiver<Result<ReadBatch<R>, ImportError>>
    where
        L: Send + 'static,
    {
        let (batches, received) = mpsc::channel(AHEAD);
        thread::spawn(move || {
            loop {
                let batch = self.batch::<R>();
                let is_last = batch.as_ref().map_or(true, |batch| batch.is_last);
                // The receiver is gone if the import has failed.
                if batches.blocking_send(batch).is_err() || is_last {
                    return;
                }
            }
        });
        received
    }

    /// Reads to the end without looking at the lines.
    pub(super) async fn pass_over(mut self) -> Result<(), ImportError>
    where
        L: Send + 'static,
    {
        let (read, ended) = oneshot::channel();
        thread::spawn(move || {
            let outcome = loop {
                match self.next_line() {
                    Ok(Some(_)) => {}
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            // Nobody waits for it if the request is gone.
            let _ = read.send(outcome);
        });
        ended.await.unwrap_or_else(|_| Err(Error::internal("the lines could not be read").into()))
    }

    /// The next line that is not empty, with its number.
    fn next_line(&mut self) -> Result<Option<(u64, Vec<u8>)>, ImportError> {
        for bytes in self.input.by_ref() {
            self.line += 1;
            let bytes = bytes.map_err(|source| ImportError::Read { line: self.line, source })?;
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some((self.line, bytes)));
            }
        }
        Ok(None)
    }

    /// The next records and bad lines. After the last bad line that can be named, the rest is only
    /// counted; after one that is not NDJSON at all, nothing is.
    fn batch<R: Rules>(&mut self) -> Result<ReadBatch<R>, ImportError> {
        let mut batch = ReadBatch { numbers: Vec::new(), rows: Vec::new(), bad: Vec::new(), unread: 0, is_last: false };
        while batch.rows.len() < BATCH {
            let Some((line, bytes)) = self.next_line()? else {
                batch.is_last = true;
                break;
            };
            match record::<R>(bytes) {
                Ok(record) => {
                    batch.numbers.push(line);
                    batch.rows.push(record);
                }
                Err(NoRecord::Bad(text)) => {
                    batch.bad.push(BadLine { line, text });
                    self.bad += 1;
                }
                Err(NoRecord::NoNdjson) => {
                    batch.bad.push(BadLine { line, text: NDJSON.to_owned() });
                    batch.is_last = true;
                    break;
                }
            }
            if self.bad == BadLines::MAX {
                while self.next_line()?.is_some() {
                    batch.unread += 1;
                }
                batch.is_last = true;
                break;
            }
        }
        Ok(batch)
    }
}

/// Why a line is no record.
enum NoRecord {
    /// Something is wrong with it.
    Bad(String),
    /// It begins an array, or an object that does not end in it.
    NoNdjson,
}

fn record<R: Rules>(bytes: Vec<u8>) -> Result<R, NoRecord> {
    let is_part = match bytes.trim_ascii().first() {
        Some(b'[') => true,
        Some(b'{') => serde_json::from_slice::<IgnoredAny>(&bytes).is_err_and(|error| error.is_eof()),
        _ => false,
    };
    if is_part {
        return Err(NoRecord::NoNdjson);
    }
    let json = Json::parse(bytes.into()).map_err(|text| NoRecord::Bad(text.into_owned()))?;
    let bad = |fault: Fault| NoRecord::Bad(fault.to_string());
    let record: R = json.read().map_err(bad)?;
    require_exact_integers(&record).and_then(|()| record.check()).map_err(bad)?;
    Ok(record)
}
