//! Checks the rules of `migrations/README.md` that show in a migration's text.

use std::collections::BTreeSet;
use std::path::Path;

use sqlx::migrate::{Migration, Migrator};

use super::migrate::statements;
use super::{MIGRATOR, metadata_migrator};

/// The files before it are the schema of the first release.
const FIRST: i64 = 9;

/// The made-up release that tests deploy.
async fn next() -> Migrator {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/next"));
    Migrator::new(folder).await.expect("the folder")
}

/// The beginning of the line that names the release that stopped using what a migration removes.
const UNUSED_SINCE: &str = "-- unused since ";

#[tokio::test]
async fn migrations_keep_the_rules() {
    let next = next().await;
    let release = version(env!("CARGO_PKG_VERSION")).expect("a release");
    let found: Vec<_> = MIGRATOR
        .iter()
        .chain(next.iter())
        .flat_map(|one| {
            let found = if one.version < FIRST { text_faults(one.sql.as_str()) } else { faults(one, release) };
            found.into_iter().map(|fault| format!("{:04}: {fault}", one.version))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_file_of_migrations_is_compiled_in() {
    for (folder, migrator) in [("migrations", &*MIGRATOR), ("migrations/metadata", &metadata_migrator())] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<_> =
            names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "sql")).collect();
        files.sort_unstable();
        let known = migrator.iter().map(|one| format!("{:04}_{}.sql", one.version, one.description.replace(' ', "_")));
        assert_eq!(known.collect::<Vec<_>>(), files);
        for (one, file) in migrator.iter().zip(&files) {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            assert_eq!((one.sql.as_str(), one.no_tx), (text.as_str(), text.starts_with("-- no-transaction")), "{file}");
        }
    }
}

type Release = [u64; 3];

fn version(text: &str) -> Option<Release> {
    let parts: Result<Vec<u64>, _> = text.trim().split('.').map(str::parse).collect();
    parts.ok()?.try_into().ok()
}

/// A statement as words, without comments.
type StatementWords = Vec<String>;

/// The statement's words: brackets and commas are words of their own, and unquoted words are in
/// capitals.
fn words(statement: &str) -> StatementWords {
    let code: Vec<&str> = statement.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    let spaced = code.join(" ").replace('(', " ( ").replace(')', " ) ").replace(',', " , ");
    spaced.split_whitespace().map(str::to_uppercase).collect()
}

/// Whether `words` begins with these; `_` matches any word.
fn begins(words: &[String], with: &str) -> bool {
    let with: Vec<&str> = with.split(' ').collect();
    words.len() >= with.len() && with.iter().zip(words).all(|(with, word)| *with == "_" || with == word)
}

fn has(words: &[String], phrase: &str) -> bool {
    (0..words.len()).any(|at| begins(&words[at..], phrase))
}

fn without(words: &[String], optional: &[&str]) -> StatementWords {
    words.iter().filter(|word| !optional.contains(&word.as_str())).cloned().collect()
}

/// The parts of an ALTER TABLE, from the fourth word on, split at commas outside brackets.
fn actions(alter: &[String]) -> Vec<StatementWords> {
    let (mut actions, mut depth) = (vec![Vec::new()], 0);
    for word in &alter[3..] {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                actions.push(Vec::new());
                continue;
            }
            _ => {}
        }
        actions.last_mut().expect("the first action").push(word.clone());
    }
    actions
}

struct File<'f> {
    no_tx: bool,
    /// The tables that the migration creates.
    tables: BTreeSet<String>,
    /// The constraints that it adds.
    constraints: BTreeSet<String>,
    /// Whether it names the release that stopped using what it removes.
    is_unused: bool,
    statements: &'f [StatementWords],
}

/// The faults that a distributed engine finds in any file.
fn text_faults(sql: &str) -> Vec<String> {
    let is_comment = |line: &str| line.trim_start().starts_with("--");
    let mut found = Vec::new();
    if sql.lines().any(|line| !is_comment(line) && line.trim_end().trim_end_matches(';').contains(';')) {
        found.push("a semicolon ends a statement and its line".to_owned());
    }
    if sql.lines().any(|line| is_comment(line) && line.ends_with(';')) {
        found.push("a comment has no semicolon at its end".to_owned());
    }
    let words = words(sql);
    let refused = ["DEFERRABLE", "CREATE TRIGGER", "CREATE CONSTRAINT TRIGGER"];
    found.extend(refused.iter().filter(|phrase| has(&words, phrase)).map(|phrase| format!("no {phrase}")));
    found
}

/// The faults of a migration that is part of `release`.
fn faults(migration: &Migration, release: Release) -> Vec<String> {
    let sql = migration.sql.as_str();
    let mut found = text_faults(sql);
    let marks: Vec<_> = sql.lines().filter_map(|line| line.strip_prefix(UNUSED_SINCE)).map(version).collect();
    if marks.iter().any(|since| since.is_none_or(|since| since >= release)) {
        found.push(format!("`{UNUSED_SINCE}` names a release before this one"));
    }
    // Split as it is run, or at every semicolon.
    let texts: Vec<&str> = if migration.no_tx { statements(sql).collect() } else { sql.split(';').collect() };
    let statements: Vec<StatementWords> = texts.into_iter().map(words).filter(|words| !words.is_empty()).collect();
    let tables = statements.iter().map(|words| without(words, &["IF", "NOT", "EXISTS"]));
    let tables = tables.filter(|words| begins(words, "CREATE TABLE _")).map(|words| words[2].clone()).collect();
    let constraints = statements.iter().flat_map(|words| {
        let at = (0..words.len()).filter(|at| begins(&words[*at..], "ADD CONSTRAINT _"));
        at.map(|at| words[at + 2].clone()).collect::<Vec<_>>()
    });
    let constraints = constraints.collect();
    let file =
        File { no_tx: migration.no_tx, tables, constraints, is_unused: !marks.is_empty(), statements: &statements };
    for (at, words) in statements.iter().enumerate() {
        found.extend(file.fault(at, words).map(|fault| format!("{fault}: {}", words.join(" "))));
        found.extend(file.alter_faults(words).into_iter().map(|fault| format!("{fault}: {}", words.join(" "))));
    }
    found
}

impl File<'_> {
    fn fault(&self, at: usize, words: &[String]) -> Option<&'static str> {
        let plain = without(words, &["UNIQUE", "IF", "NOT", "EXISTS", "ONLY"]);
        let is_concurrent = has(words, "CONCURRENTLY");
        let stands_alone = begins(&plain, "CREATE INDEX CONCURRENTLY")
            || begins(words, "DROP INDEX CONCURRENTLY IF EXISTS")
            || (begins(&plain, "ALTER TABLE _ VALIDATE CONSTRAINT _") && plain.len() == 6);
        if self.no_tx && !stands_alone {
            return Some("not a statement for outside a transaction");
        }
        if !self.no_tx && is_concurrent {
            return Some("CONCURRENTLY works outside a transaction only: `-- no-transaction`");
        }
        if begins(&plain, "CREATE INDEX") {
            let on = plain.iter().position(|word| word == "ON").and_then(|on| plain.get(on + 1));
            if !is_concurrent && !on.is_some_and(|table| self.tables.contains(table)) {
                return Some("an index of an existing table is built CONCURRENTLY");
            }
            let dropped = at.checked_sub(1).map(|before| &self.statements[before]);
            if is_concurrent
                && !dropped
                    .is_some_and(|drop| begins(drop, "DROP INDEX CONCURRENTLY IF EXISTS _") && drop[5] == plain[3])
            {
                return Some("what is left of an interrupted build is dropped first");
            }
        }
        let takes = ["DROP TABLE", "DROP VIEW", "DROP SEQUENCE", "DROP FUNCTION", "DROP TYPE", "TRUNCATE"];
        if takes.iter().any(|taking| begins(words, taking)) && !self.is_unused {
            return Some("the release before this one may use it: `-- unused since`");
        }
        let never = ["BEGIN", "COMMIT", "ROLLBACK", "LOCK", "CLUSTER", "VACUUM", "REINDEX", "SET", "RESET"];
        never.iter().any(|never| begins(words, never)).then_some("not a statement for a migration")
    }

    fn alter_faults(&self, words: &[String]) -> Vec<&'static str> {
        let plain = without(words, &["IF", "EXISTS", "ONLY"]);
        if !begins(&plain, "ALTER TABLE _") {
            let renames = begins(&plain, "ALTER") && has(&plain, "RENAME");
            return Vec::from_iter((renames && !self.is_unused).then_some("the old name is in use: `-- unused since`"));
        }
        if self.tables.contains(&plain[2]) {
            return Vec::new();
        }
        actions(&plain).iter().filter_map(|action| self.action_fault(&without(action, &["COLUMN"]))).collect()
    }

    fn action_fault(&self, action: &[String]) -> Option<&'static str> {
        if begins(action, "VALIDATE CONSTRAINT _") {
            let is_added_here = self.constraints.contains(&action[2]);
            return is_added_here.then_some("a constraint is validated in a later file than it is added in");
        }
        if begins(action, "ADD CONSTRAINT") {
            let is_quick = has(action, "NOT VALID") || has(action, "USING INDEX");
            return (!is_quick).then_some("a constraint is added NOT VALID");
        }
        let unnamed = ["ADD CHECK", "ADD FOREIGN KEY", "ADD UNIQUE", "ADD PRIMARY KEY", "ADD EXCLUDE"];
        if unnamed.iter().any(|unnamed| begins(action, unnamed)) {
            return Some("a constraint has a name, and is added NOT VALID");
        }
        if begins(action, "ADD") {
            if has(action, "NOT NULL") && !has(action, "DEFAULT") {
                return Some("the release before this one writes nothing into it: nullable, or with a default");
            }
            let scans = ["CHECK", "REFERENCES", "UNIQUE", "PRIMARY", "GENERATED", "SERIAL", "BIGSERIAL"];
            return scans.iter().any(|word| has(action, word)).then_some("a new column has no constraint of its own");
        }
        let takes = begins(action, "DROP _") && !["CONSTRAINT", "NOT"].contains(&action[1].as_str())
            || begins(action, "RENAME")
            || begins(action, "ALTER _ TYPE")
            || begins(action, "ALTER _ SET DATA TYPE")
            || begins(action, "ALTER _ SET NOT NULL")
            || begins(action, "ALTER _ DROP DEFAULT");
        (takes && !self.is_unused).then_some("the release before this one may need it: `-- unused since`")
    }
}

/// The faults of this text, as part of release 0.3.0.
fn broken_rules(sql: &'static str) -> Vec<String> {
    let no_tx = sql.starts_with("-- no-transaction");
    let simple = sqlx::migrate::MigrationType::Simple;
    let sql = sqlx::SqlStr::from_static(sql);
    faults(&Migration::new(FIRST, "x".into(), simple, sql, no_tx), [0, 3, 0])
}

#[test]
fn compatible_migrations_pass() {
    for sql in [
        "CREATE TABLE x (a bigint PRIMARY KEY, b text NOT NULL CHECK (b <> ''));\nCREATE UNIQUE INDEX x_b ON x (b);",
        "CREATE TABLE IF NOT EXISTS x (a int);\nALTER TABLE x ADD CONSTRAINT x_a CHECK (a > 0);",
        "ALTER TABLE clientes ADD COLUMN a text, ADD COLUMN b numeric(5, 2) NOT NULL DEFAULT 0;",
        "ALTER TABLE clientes ADD CONSTRAINT c CHECK (a IN (1, 2)) NOT VALID;",
        "ALTER TABLE clientes ADD CONSTRAINT c FOREIGN KEY (empresa, a) REFERENCES x NOT VALID, DROP CONSTRAINT d;",
        "ALTER TABLE clientes VALIDATE CONSTRAINT c;",
        "ALTER TABLE clientes ADD CONSTRAINT c UNIQUE USING INDEX clientes_c;\nALTER TABLE y ALTER COLUMN a DROP NOT NULL;",
        "-- unused since 0.2.0\nALTER TABLE clientes DROP COLUMN a, ALTER b SET NOT NULL;\nDROP TABLE y;",
        "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS i;\nCREATE UNIQUE INDEX CONCURRENTLY i ON x (a) WHERE b = 'c';\n",
        "-- no-transaction\nALTER TABLE clientes VALIDATE CONSTRAINT c;\n",
    ] {
        let found = broken_rules(sql);
        assert_eq!(found, [""; 0], "{sql}");
    }
}

#[test]
fn incompatible_migrations_are_found() {
    for (sql, fault) in [
        ("CREATE INDEX i ON clientes (a);", "CONCURRENTLY"),
        ("CREATE INDEX CONCURRENTLY i ON clientes (a);", "no-transaction"),
        ("-- no-transaction\nCREATE INDEX CONCURRENTLY i ON clientes (a);\n", "dropped first"),
        (
            "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS j;\nCREATE INDEX CONCURRENTLY i ON x (a);\n",
            "dropped first",
        ),
        ("-- no-transaction\nALTER TABLE clientes ADD COLUMN a text;\n", "outside"),
        ("-- no-transaction\nUPDATE clientes SET a = 1; UPDATE clientes SET a = 2;\n", "ends a statement"),
        ("ALTER TABLE clientes ADD a int; ALTER TABLE clientes ADD b int;", "ends a statement"),
        ("-- no-transaction\n-- Why;\nDROP INDEX CONCURRENTLY IF EXISTS j;\n", "comment"),
        ("ALTER TABLE clientes ADD CONSTRAINT c CHECK (a > 0);", "NOT VALID"),
        ("ALTER TABLE clientes ADD COLUMN a int, ADD CHECK (a > 0);", "name"),
        (
            "ALTER TABLE clientes ADD CONSTRAINT c CHECK (a > 0) NOT VALID;\nALTER TABLE clientes VALIDATE CONSTRAINT c;",
            "later file",
        ),
        ("ALTER TABLE clientes ADD COLUMN a int NOT NULL;", "nullable"),
        ("ALTER TABLE clientes ADD a int REFERENCES x;", "constraint of its own"),
        ("alter table clientes drop column a;", "unused since"),
        ("ALTER TABLE IF EXISTS ONLY clientes DROP a;", "unused since"),
        ("ALTER TABLE clientes RENAME COLUMN a TO b;", "unused since"),
        ("ALTER INDEX i RENAME TO j;", "unused since"),
        ("ALTER TABLE clientes ALTER COLUMN a TYPE text;", "unused since"),
        ("ALTER TABLE clientes ALTER a SET NOT NULL;", "unused since"),
        ("DROP TABLE clientes;", "unused since"),
        ("-- unused since 0.3.0\nDROP TABLE clientes;", "before this one"),
        ("-- unused since then\nDROP TABLE clientes;", "before this one"),
        ("SET lock_timeout = 0;", "not a statement"),
        ("CREATE TABLE x (a int, CONSTRAINT x_a FOREIGN KEY (a) REFERENCES y DEFERRABLE);", "DEFERRABLE"),
        ("CREATE TRIGGER t AFTER INSERT ON clientes EXECUTE FUNCTION f();", "TRIGGER"),
    ] {
        let found = broken_rules(sql);
        assert!(found.iter().any(|one| one.contains(fault)), "{sql}: {found:?}");
    }
}
