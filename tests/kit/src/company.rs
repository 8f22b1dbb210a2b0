//! Companies of tests: their keys, users, settings and imports.

use std::io;

use bytes::Bytes;
use serde_json::Value;
use svc_core::Error;
use svc_core::domain::company::CompanyId;
use svc_core::domain::scope::{KeyScopes, Scope, Scopes};
use svc_core::json::Json;
use svc_core::operation::Operation;
use svc_core::operations::{CreateKey, CreateUser, DisableUser, EditCompany};
use svc_core::stamping::{SandboxStamper, cancel_asked};
use svc_core::store::{CompanyChange, NewUser, Store as _};

use crate::{Actor, Existing, Resource, World, certificate};

/// A company of a test's world.
#[derive(Clone)]
pub struct Company {
    /// The world it is in.
    pub world: World,
    /// Its number in the world's database.
    pub id: CompanyId,
    /// Clave of its owner, its first user.
    pub owner: i64,
}

/// A key with every scope, owned by the company's owner, as [`Company::key`] takes it; a test
/// changes the fields it is about.
pub fn any_key() -> CreateKey {
    CreateKey { usuario: None, scopes: Scopes::all().into(), expires: None, accept_terms: true }
}

impl Company {
    /// An actor whose key has every scope.
    pub async fn admin(&self) -> Actor {
        self.key(any_key()).await
    }

    /// An actor whose key has these scopes only.
    pub async fn actor(&self, scopes: &[Scope]) -> Actor {
        self.key(CreateKey { scopes: scopes.iter().copied().collect::<Scopes>().into(), ..any_key() }).await
    }

    /// An actor whose key has the scopes of these names, a host's among them.
    pub async fn key_with(&self, scopes: &[&str]) -> Actor {
        self.key(CreateKey { scopes: KeyScopes::of_words(scopes.iter().copied()), ..any_key() }).await
    }

    /// An actor with a key made from `key`.
    pub async fn key(&self, key: CreateKey) -> Actor {
        let created = self.run(&key).await.expect("a key");
        Actor::new(self.world.api.clone(), created.key_id, created.api_key)
    }

    /// Runs a back-office action.
    ///
    /// # Errors
    ///
    /// The refusal of the action.
    pub async fn run<O: Operation>(&self, operation: &O) -> Result<O::Output, Error> {
        self.world.office.run(self.id, operation).await
    }

    /// Runs the back-office action of that name; returns its answer.
    ///
    /// # Errors
    ///
    /// The refusal of the action.
    pub async fn run_by_name(&self, name: &str, input: &Value) -> Result<Value, Error> {
        let input = Json::parse_object(input.to_string().as_bytes()).expect("an object");
        let output = self.world.office.run_by_name(self.id, name, &input).await?;
        if matches!(name, "invoice.cancel" | "payment.cancel") {
            // As the command line does, with the sandbox.
            cancel_asked(&self.world.office, Some(&SandboxStamper), self.id).await?;
        }
        Ok(serde_json::from_slice(&output).expect("an action answers JSON"))
    }

    /// Rehearses the back-office action of that name; returns its answer and the types of its
    /// events.
    ///
    /// # Errors
    ///
    /// The refusal of the action.
    pub async fn rehearse_by_name(&self, name: &str, input: &Value) -> Result<(Value, Vec<&'static str>), Error> {
        let input = Json::parse_object(input.to_string().as_bytes()).expect("an object");
        let (output, events) = self.world.office.rehearse_by_name(self.id, name, &input).await?;
        Ok((serde_json::from_slice(&output).expect("an action answers JSON"), events))
    }

    /// The file that a named read returns; none if no read has that name.
    ///
    /// # Errors
    ///
    /// The refusal of the read.
    pub async fn download(&self, name: &str, input: &Value) -> Result<Option<Bytes>, Error> {
        let input = Json::parse_object(input.to_string().as_bytes()).expect("an object");
        self.world.office.download(self.id, name, &input).await
    }

    /// Creates a user; returns their clave.
    pub async fn user(&self, nombre: &str, vendedor: bool) -> i64 {
        let user = NewUser { nombre: nombre.to_owned(), correo: None, vendedor };
        self.run(&CreateUser(user)).await.expect("a user").usuario
    }

    /// Ends a user's access to the company.
    pub async fn disable_user(&self, usuario: i64) {
        self.run(&DisableUser { usuario }).await.expect("the user is disabled");
    }

    /// Claves that name no active salesperson of the company: a user who is none, one who left, one
    /// of another company, and no user.
    pub async fn not_salespeople(&self) -> [i64; 6] {
        let clerk = self.user("Cajera", false).await;
        let gone = self.user("Vendedor que se fue", true).await;
        self.disable_user(gone).await;
        let other = self.world.company().await;
        let mut elsewhere = other.owner;
        while elsewhere <= gone {
            elsewhere = other.user("De otra empresa", true).await;
        }
        [clerk, gone, elsewhere, i64::MAX, 0, -1]
    }

    /// Changes settings, which must be acceptable.
    pub async fn edit(&self, change: CompanyChange) {
        self.run(&EditCompany(change)).await.expect("the company is edited");
    }

    /// Loads a certificate that is valid for twenty years, and completes the data that
    /// a company needs to issue invoices: RFC, regime and postal code. The API caches a company for
    /// a few seconds with the keys that were used, so load it before the first request.
    pub async fn load_certificate(&self) {
        let mut tx = self.world.store.begin(self.id).await.expect("a transaction");
        let company = tx.company().await.expect("the company is read").expect("the company exists");
        drop(tx);
        self.edit(CompanyChange {
            regimen: company.regimen.is_none().then_some(601),
            cp: company.cp.is_none().then(|| "06700".to_owned()),
            ..CompanyChange::default()
        })
        .await;
        self.run(&certificate::valid()).await.expect("the certificate is loaded");
    }

    /// Imports records and returns how many; an error is its text.
    ///
    /// # Errors
    ///
    /// The refusal of the import.
    pub async fn import(&self, resource: Resource, records: &[Value]) -> Result<u64, String> {
        let lines: Vec<_> = records.iter().map(|record| Ok(record.to_string().into_bytes())).collect();
        self.import_lines(resource, lines).await
    }

    /// Imports records, all of which must be valid.
    pub async fn load(&self, resource: Resource, records: &[Value]) {
        let outcome = self.import(resource, records).await;
        assert_eq!(outcome, Ok(records.len() as u64), "{}", resource.name());
    }

    /// Imports lines unchanged and returns how many records they were; an error is its text.
    ///
    /// # Errors
    ///
    /// The refusal of the import.
    pub async fn import_lines<L>(&self, resource: Resource, lines: L) -> Result<u64, String>
    where
        L: IntoIterator<Item = io::Result<Vec<u8>>>,
        L::IntoIter: Send + 'static,
    {
        self.import_lines_reporting(resource, lines, &mut |_| ()).await
    }

    /// Imports records and passes over those whose clave is taken; returns how many were imported.
    ///
    /// # Errors
    /// The refusal of the import.
    pub async fn import_new(&self, resource: Resource, records: &[Value]) -> Result<u64, String> {
        let lines: Vec<_> = records.iter().map(|record| Ok(record.to_string().into_bytes())).collect();
        let (context, mut progress) = (self.world.api.context(), |_| ());
        let run = context.import(self.id, resource, Existing::Skipped, lines.into_iter(), &mut progress);
        run.await.map(|done| done.importados).map_err(|error| error.to_string())
    }

    /// Every record of a resource, as an export gives it.
    ///
    /// # Panics
    /// If it cannot be exported.
    pub async fn export(&self, resource: Resource) -> Vec<Value> {
        let mut export = self.world.api.context().export(self.id, resource).await.expect("an export");
        let mut records = Vec::new();
        while let Some(lines) = export.next().await.expect("lines") {
            let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            records.extend(lines.map(|line| serde_json::from_slice::<Value>(line).expect("a record")));
        }
        records
    }

    /// The same; `progress` gets the number of records imported so far.
    ///
    /// # Errors
    ///
    /// The refusal of the import.
    pub async fn import_lines_reporting<L>(
        &self,
        resource: Resource,
        lines: L,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64, String>
    where
        L: IntoIterator<Item = io::Result<Vec<u8>>>,
        L::IntoIter: Send + 'static,
    {
        let lines = lines.into_iter();
        self.world
            .office
            .import(self.id, resource, Existing::Refused, lines, progress)
            .await
            .map(|done| done.importados)
            .map_err(|error| error.to_string())
    }
}
