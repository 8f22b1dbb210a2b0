//! Edits of the small records that can be imported, by one mechanism over their declarations and
//! the rules of their imports.
//!
//! A field that is left out keeps its value. `null` and "" mean what a missing field means in an
//! import. Afterwards the whole record must satisfy the rules of its import.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::IgnoredAny;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::domain::words::{Status, WarehouseStatus};
use crate::error::{Code, Error};
use crate::json::{Fault, Json};
use crate::operation::{Cx, Input, Operation, Spec};
use crate::operations::import::{HEAD_OFFICE, ImportMoment, Rules, require_exact_integers};
use crate::record::bank_account::{BankAccount, BankAccountChanges, BankAccountImport};
use crate::record::branch::{Branch, BranchChanges, BranchImport};
use crate::record::brand::{Brand, BrandChanges, BrandImport};
use crate::record::category::{Category, CategoryChanges, CategoryImport};
use crate::record::loss_reason::{LossReason, LossReasonChanges};
use crate::record::price::{Price, PriceChanges, PriceImport};
use crate::record::stage::{Stage, StageChanges, StageImport};
use crate::record::supplier::{Supplier, SupplierChanges};
use crate::record::unit::{Unit, UnitChanges};
use crate::record::warehouse::{Warehouse, WarehouseChanges, WarehouseImport};
use crate::record::{Changes, Import, List, Value as Column};
use crate::schema::{self, with_field};
use crate::store::{Conflict, Parents, Renamed, StoreError};

/// Changes some fields of a record of the list `L`.
#[derive(Debug)]
pub(crate) struct Edit<L: Editable> {
    clave: i64,
    changes: L::Changes,
}

/// The answer: the record's clave under the record's name.
#[derive(Debug)]
pub(crate) struct Edited<L> {
    clave: i64,
    of: PhantomData<fn() -> L>,
}

impl<L: Editable> Serialize for Edited<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(L::NAME, self.clave)])
    }
}

impl<L: Editable> JsonSchema for Edited<L> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}Edited", <L as JsonSchema>::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let clave = generator.subschema_for::<i64>();
        json_schema!({ "type": "object", "properties": { L::NAME: clave }, "required": [L::NAME] })
    }
}

/// A record that is edited by the rules of its import.
pub(crate) trait Editable: List + schemars::JsonSchema {
    /// The fields that may be changed.
    type Changes: Changes<Import: Rules> + std::fmt::Debug;
    /// The specification of its edit.
    const SPEC: Spec;
    /// The member of the answer that holds the clave.
    const NAME: &'static str;

    /// Copies the fields that were sent into the record.
    fn merge(changes: &Self::Changes, record: &mut ImportOf<Self>) {
        changes.apply(record);
    }

    /// Refuses what only an edit can break. The record already satisfies the rules of its import.
    fn validate(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &ImportOf<Self>,
        after: &ImportOf<Self>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = (cx, clave, before, after);
        async { Ok(()) }
    }

    /// Changes other records that the changed one would conflict with.
    fn make_way(cx: &mut Cx<'_>, clave: i64, after: &ImportOf<Self>) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = (cx, clave, after);
        async { Ok(()) }
    }

    /// Changes other records as a consequence.
    fn follow_up(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &ImportOf<Self>,
        after: &ImportOf<Self>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let _ = (cx, clave, before, after);
        async { Ok(()) }
    }
}

type ImportOf<L> = <<L as Editable>::Changes as Changes>::Import;

impl<L: Editable> Input for Edit<L> {
    fn read(input: &Json) -> Result<Self, Fault> {
        let (clave, rest) = input.take_optional("clave")?;
        let clave = clave.ok_or_else(|| Fault::new(Code::DatoRequerido, "clave", "es obligatorio"))?;
        // The service sets this time itself.
        let (modificado, rest) = rest.take_optional::<IgnoredAny>("modificado")?;
        if modificado.is_some() {
            return Err(Fault::new(Code::CampoNoPermitido, "modificado", "no es un campo de esta operación"));
        }
        Ok(Self { clave, changes: rest.read()? })
    }

    fn schema() -> Schema {
        let mut schema = schema::of::<L::Changes>();
        if let Some(fields) = schema.ensure_object().get_mut("properties").and_then(Value::as_object_mut) {
            fields.remove("modificado");
        }
        let mut schema = with_field(schema, "clave", json!({ "type": "integer", "format": "int64" }));
        schema.insert("required".to_owned(), json!(["clave"]));
        schema
    }
}

impl<L: Editable> Operation for Edit<L> {
    const SPEC: Spec = L::SPEC;
    type Output = Edited<L>;

    async fn run(&self, cx: &mut Cx<'_>) -> Result<Edited<L>, Error> {
        let clave = self.clave;
        let missing = || Error::field(Code::NoEncontrado, "clave", format_args!("{clave} no existe en la empresa"));
        let mut current = Vec::new();
        if !cx.tx.lock_record(&L::LIST, clave, &mut |row| L::write(row, &mut current).map(drop)).await? {
            return Err(missing());
        }
        // The list's item is a valid line of an import, except that `modificado` becomes now.
        let shown = Json::parse(current.into()).map_err(Error::internal)?;
        let (_, shown) = shown.take_optional::<IgnoredAny>("modificado").map_err(Error::internal)?;
        let unreadable = |fault: Fault| Error::internal(fault);
        let mut before: ImportOf<L> = shown.read().map_err(unreadable)?;
        let mut after = [shown.read::<ImportOf<L>>().map_err(unreadable)?];
        L::merge(&self.changes, &mut after[0]);
        require_exact_integers(&after[0])?;
        after[0].check()?;
        let at = ImportMoment { now: cx.now, company: cx.company };
        ImportOf::<L>::look_up(&mut after, cx.tx, at).await.map_err(refused)?;
        let [mut after] = after;
        before.normalize(clave, at)?;
        after.normalize(clave, at)?;
        if let (Some((field, parents)), Some(parent)) = (ImportOf::<L>::PARENT, after.parent())
            && !cx.tx.missing_parents(parents, &[parent]).await?.is_empty()
        {
            return Err(Error::field(Code::ReferenciaInvalida, field, "no existe en la empresa"));
        }
        L::validate(cx, clave, &before, &after).await?;
        let (old, new) = (columns(&before), columns(&after));
        if old != new {
            L::make_way(cx, clave, &after).await?;
            cx.tx.update_record(&ImportOf::<L>::SPEC, clave, &new).await.map_err(refused)?;
            L::follow_up(cx, clave, &before, &after).await?;
        }
        Ok(Edited { clave, of: PhantomData })
    }
}

fn columns<R: Import>(record: &R) -> Vec<Column<'_>> {
    let mut values = Vec::with_capacity(R::SPEC.columns.len());
    record.values(&mut values);
    values
}

/// Turns what the database refuses into an error that names the field.
fn refused(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(Conflict::Reference(field)) => {
            Error::field(Code::ReferenciaInvalida, &field, "no existe en la empresa")
        }
        StoreError::Conflict(Conflict::Value(field)) => Error::field(Code::DatoInvalido, &field, "no es válido"),
        StoreError::Conflict(Conflict::MainWarehouse) => {
            Error::field(Code::DatoInvalido, "principal", "la sucursal ya tiene almacén principal")
        }
        StoreError::Conflict(conflict) => Error::field(Code::DatoInvalido, conflict.field(), "ya existe en la empresa"),
        other => other.into(),
    }
}

fn wrong_state(field: &str, text: &str) -> Error {
    Error::field(Code::EstadoInvalido, field, text)
}

impl Editable for Supplier {
    type Changes = SupplierChanges;
    const SPEC: Spec = Spec::new().named("supplier.edit").each_time();
    const NAME: &'static str = "proveedor";
}

impl Editable for Brand {
    type Changes = BrandChanges;
    const SPEC: Spec = Spec::new().named("brand.edit").each_time();
    const NAME: &'static str = "marca";

    async fn follow_up(cx: &mut Cx<'_>, clave: i64, before: &BrandImport, after: &BrandImport) -> Result<(), Error> {
        if before.nombre != after.nombre {
            cx.tx.mark_renamed(Renamed::Brand(clave), cx.now).await?;
        }
        Ok(())
    }
}

impl Editable for Unit {
    type Changes = UnitChanges;
    const SPEC: Spec = Spec::new().named("unit.edit").each_time();
    const NAME: &'static str = "unidad";
}

impl Editable for LossReason {
    type Changes = LossReasonChanges;
    const SPEC: Spec = Spec::new().named("loss-reason.edit").each_time();
    const NAME: &'static str = "motivo_perdida";
}

impl Editable for Category {
    type Changes = CategoryChanges;
    const SPEC: Spec = Spec::new().named("category.edit").each_time();
    const NAME: &'static str = "categoria";

    /// The categories above a category must not lead back to it.
    async fn validate(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &CategoryImport,
        after: &CategoryImport,
    ) -> Result<(), Error> {
        let Some(parent) = after.parent().filter(|_| before.padre != after.padre) else { return Ok(()) };
        let above = cx.tx.lineage(Parents::Categories, &[parent]).await?;
        if above.contains_key(&clave) {
            return Err(wrong_state("padre", "está debajo de la propia categoría"));
        }
        Ok(())
    }

    async fn follow_up(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &CategoryImport,
        after: &CategoryImport,
    ) -> Result<(), Error> {
        if before.nombre != after.nombre {
            cx.tx.mark_renamed(Renamed::Category(clave), cx.now).await?;
        }
        Ok(())
    }
}

impl Editable for Price {
    type Changes = PriceChanges;
    const SPEC: Spec = Spec::new().named("price.edit").each_time();
    const NAME: &'static str = "precio";

    /// A SKU that is sent replaces the product, as in an import. A price that moves to another list
    /// does not take the former list's name there.
    fn merge(changes: &PriceChanges, price: &mut PriceImport) {
        changes.apply(price);
        if changes.lista.get().is_some() && changes.lista_nombre.get().is_none() {
            price.lista_nombre = None;
        }
        if changes.sku.get().is_some_and(Option::is_some) && changes.producto.get().is_none() {
            price.producto = None;
        }
    }
}

impl Editable for BankAccount {
    type Changes = BankAccountChanges;
    const SPEC: Spec = Spec::new().named("bank-account.edit").each_time();
    const NAME: &'static str = "cuenta_bancaria";

    /// An account with a balance keeps its currency.
    async fn validate(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &BankAccountImport,
        after: &BankAccountImport,
    ) -> Result<(), Error> {
        let saldo = cx.tx.lock_bank_account(clave).await?.map(|account| account.saldo).unwrap_or_default();
        if before.moneda.as_deref() != after.moneda.as_deref() && !saldo.is_zero() {
            return Err(wrong_state("moneda", "la cuenta tiene saldo"));
        }
        Ok(())
    }
}

impl Editable for Branch {
    type Changes = BranchChanges;
    const SPEC: Spec = Spec::new().named("branch.edit").each_time();
    const NAME: &'static str = "sucursal";

    /// The head office stays active: sales of the API belong to it.
    async fn validate(_: &mut Cx<'_>, clave: i64, _: &BranchImport, after: &BranchImport) -> Result<(), Error> {
        match after.estatus {
            Some(Status::Inactivo) if clave == HEAD_OFFICE => Err(wrong_state("estatus", "es la matriz")),
            _ => Ok(()),
        }
    }
}

impl Editable for Warehouse {
    type Changes = WarehouseChanges;
    const SPEC: Spec = Spec::new().named("warehouse.edit").each_time();
    const NAME: &'static str = "almacen";

    /// A warehouse that holds or owes stock is not deleted, and a branch's main one is neither
    /// deleted nor taken from it: another one becomes the main one first.
    async fn validate(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &WarehouseImport,
        after: &WarehouseImport,
    ) -> Result<(), Error> {
        const FIRST: &str = "es el almacén principal de su sucursal; antes haga principal a otro";
        if after.is_deleted() && cx.tx.is_warehouse_stocked(clave).await? {
            return Err(Code::AlmacenConExistencia.into());
        }
        let field = match before.principal {
            Some(true) if after.is_deleted() => "estatus",
            Some(true) if after.principal != Some(true) => "principal",
            Some(true) if after.sucursal != before.sucursal => "sucursal",
            _ => return Ok(()),
        };
        let branch = after.sucursal.unwrap_or(HEAD_OFFICE);
        if field == "sucursal" && !cx.tx.lock_branch(branch).await? {
            return Err(Error::field(Code::ReferenciaInvalida, field, "no existe en la empresa"));
        }
        Err(wrong_state(field, FIRST))
    }

    /// A new main warehouse replaces the branch's former one.
    async fn make_way(cx: &mut Cx<'_>, clave: i64, after: &WarehouseImport) -> Result<(), Error> {
        match (after.principal, after.sucursal) {
            (Some(true), Some(sucursal)) if !after.is_deleted() => {
                Ok(cx.tx.unset_other_main_warehouses(sucursal, clave).await?)
            }
            _ => Ok(()),
        }
    }

    async fn follow_up(
        cx: &mut Cx<'_>,
        clave: i64,
        before: &WarehouseImport,
        after: &WarehouseImport,
    ) -> Result<(), Error> {
        if (&before.codigo, before.sucursal) != (&after.codigo, after.sucursal) {
            cx.tx.mark_renamed(Renamed::Warehouse(clave), cx.now).await?;
        }
        Ok(())
    }
}

impl WarehouseImport {
    fn is_deleted(&self) -> bool {
        self.estatus == Some(WarehouseStatus::Eliminado)
    }
}

impl Editable for Stage {
    type Changes = StageChanges;
    const SPEC: Spec = Spec::new().named("stage.edit").each_time();
    const NAME: &'static str = "etapa";

    /// A stage that has opportunities keeps its type: their status follows from it.
    async fn validate(cx: &mut Cx<'_>, clave: i64, before: &StageImport, after: &StageImport) -> Result<(), Error> {
        if before.tipo != after.tipo && cx.tx.is_stage_used(clave).await? {
            return Err(wrong_state("tipo", "la etapa tiene oportunidades"));
        }
        Ok(())
    }
}
