//! Subscribers in process: durable, in order for each record, and never held up by one event.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use serde_json::json;
use svc_core::domain::clock::{Clock as _, SystemClock};
use svc_core::json::Json;
use svc_core::operation::{Cx, Operation as _};
use svc_core::operations::{CreateCustomer, MoveClock};
use svc_core::subscribers::{
    ReceivedEvent, Subscriber, SubscriberReport, SubscriberStart, abandoned_events, retry_abandoned, run_subscribers,
};
use svc_core::webhooks::deliver_due;
use svc_core::{Api, Budget, Code, Context, ContextBuilder, Error, Providers, clean_up};
use svc_test_kit::{Actor, BASE_URL, Company, World};

use crate::own_events::Kept;
use crate::own_part::{key, sale, with_part};
use crate::parcels::{self, with_parcels};

/// What a subscriber was handed: company, type and record.
type Handed = Arc<Mutex<Vec<(i64, String, i64)>>>;

/// Keeps what it is handed, and fails at the customers of `fails`: number of the company and clave.
#[derive(Clone, Default)]
struct Customers {
    handed: Handed,
    fails: Arc<Mutex<HashSet<(i64, i64)>>>,
}

impl Subscriber for Customers {
    const NAME: &'static str = "prueba.clientes";
    const KINDS: &'static [&'static str] = &["cliente.creado", "cliente.actualizado"];

    async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error> {
        let record = (cx.company.id.0, event.recurso_clave);
        if self.fails.lock().expect("not poisoned").contains(&record) {
            return Err(Code::ReferenciaInvalida.into());
        }
        assert_eq!(event.datos["cliente"], event.recurso_clave);
        self.handed.lock().expect("not poisoned").push((record.0, event.tipo.clone(), record.1));
        Ok(())
    }
}

impl Customers {
    fn taken(&self) -> Vec<(i64, String, i64)> {
        std::mem::take(&mut *self.handed.lock().expect("not poisoned"))
    }

    fn fail_at(&self, company: &Company, clave: i64) {
        self.fails.lock().expect("not poisoned").insert((company.id.0, clave));
    }

    fn mend(&self) {
        self.fails.lock().expect("not poisoned").clear();
    }
}

pub(crate) fn builder(world: &World) -> ContextBuilder {
    Context::builder(world.used_store().clone(), BASE_URL).clock(world.clock.clone())
}

fn context(world: &World, customers: &Customers) -> Context {
    builder(world).subscriber(customers.clone()).build().expect("a context")
}

async fn pass(context: &Context) -> SubscriberReport {
    run_subscribers(context, Budget::unlimited()).await.expect("a pass")
}

async fn customer(actor: &Actor) -> i64 {
    actor.post("/clientes", json!({"nombre": "Ana"})).await.ok(201)["cliente"].as_i64().expect("a clave")
}

/// Edits a customer, and lets the group of changes become an event.
async fn edit(world: &World, actor: &Actor, clave: i64) {
    actor.put(&format!("/clientes/{clave}"), json!({"nombre": format!("Ana {clave}")})).await.ok(200);
    world.clock.advance(TimeDelta::minutes(6));
    deliver_due(world.api.context(), &Kept::default(), Budget::unlimited()).await.expect("a pass");
}

#[tokio::test]
async fn each_event_counts_once_for_each_company_across_restarts() {
    let (world, context) = with_part().await;
    let api = Api::new(&context);
    let scopes = ["paqueteria:read", "paqueteria:write"];
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (key(&company, &scopes, &api).await, key(&other, &scopes, &api).await);
    assert!(pass(&context).await.is_empty());
    let venta = sale(&ana).await;
    ana.post("/paqueteria/envios", json!({"venta": venta, "guia": "1"})).await.ok(201);
    sale(&ana).await;
    sale(&eva).await;
    let counts = async |company: &Company| {
        let counts = "SELECT ventas, envios FROM paqueteria_tablero WHERE empresa = $1";
        sqlx::query_as::<_, (i64, i64)>(counts).bind(company.id.0).fetch_optional(world.pool()).await.expect("counts")
    };
    assert_eq!(pass(&context).await.atendidos, 4);
    assert_eq!((counts(&company).await, counts(&other).await), (Some((2, 1)), Some((1, 0))));
    // A process that starts again goes on where the last one was, and two at once share the events.
    for _ in 0..30 {
        sale(&eva).await;
    }
    let again = || with_parcels(builder(&world)).build().expect("a context");
    let (one, two) = (again(), again());
    let (first, second) = tokio::join!(pass(&one), pass(&two));
    let rest = pass(&one).await;
    assert_eq!(first.atendidos + second.atendidos + rest.atendidos, 30, "{first:?} {second:?} {rest:?}");
    assert_eq!((counts(&company).await, counts(&other).await), (Some((2, 1)), Some((31, 0))));
    assert!(pass(&again()).await.is_empty());
}

#[tokio::test]
async fn an_event_that_fails_holds_up_its_record_alone() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (company.admin().await, other.admin().await);
    pass(&context).await;
    customers.fail_at(&company, 1);
    for _ in 0..2 {
        customer(&ana).await;
    }
    customer(&eva).await;
    edit(&world, &ana, 1).await;
    edit(&world, &ana, 2).await;
    let report = pass(&context).await;
    assert_eq!((report.atendidos, report.pospuestos, report.detenidos), (3, 1, 1), "{report:?}");
    let (mut handed, own) = (customers.taken(), company.id.0);
    handed.sort();
    let created = |company: &Company, clave| (company.id.0, "cliente.creado".to_owned(), clave);
    let edited = |clave| (own, "cliente.actualizado".to_owned(), clave);
    let mut expected = vec![created(&company, 2), created(&other, 1), edited(2)];
    expected.sort();
    assert_eq!(handed, expected);
    assert!(pass(&context).await.is_empty(), "it is not due yet");

    // Mended, the record's events come in their order.
    customers.mend();
    world.clock.advance(TimeDelta::seconds(11));
    assert_eq!(pass(&context).await.atendidos, 2);
    assert_eq!(customers.taken(), [created(&company, 1), edited(1)]);
    assert_eq!(world.sql::<i64>("SELECT count(*) FROM suscripciones_detenidas").await, 0);
}

#[tokio::test]
async fn an_event_that_fails_too_often_is_given_up_and_can_be_tried_again() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let company = world.company().await;
    let ana = company.admin().await;
    pass(&context).await;
    customers.fail_at(&company, 1);
    customer(&ana).await;
    let mut attempts = 0;
    while pass(&context).await.abandonados == 0 {
        attempts += 1;
        world.clock.advance(TimeDelta::hours(13));
    }
    assert_eq!(attempts, 7, "the eighth was the last");
    let given_up = abandoned_events(&context, company.id, ("", 0), 10).await.expect("a list");
    let [event] = &given_up[..] else { panic!("{given_up:?}") };
    assert_eq!((event.subscriber.as_str(), event.recurso_clave, event.intentos), (Customers::NAME, 1, 8));
    assert!(event.error.starts_with("referencia_invalida: "), "{}", event.error);
    let other = world.company().await;
    assert_eq!(abandoned_events(&context, other.id, ("", 0), 10).await.expect("a list"), []);

    // Later events of the record go on.
    customers.mend();
    edit(&world, &ana, 1).await;
    assert_eq!(pass(&context).await.atendidos, 1);
    let retry = |company: &Company| retry_abandoned(&context, company.id, Customers::NAME, event.evento);
    assert!(!retry(&other).await.expect("another company has none"));
    assert!(retry(&company).await.expect("it is due"));
    assert_eq!(pass(&context).await.atendidos, 1);
    assert!(!retry(&company).await.expect("it is done"));
    let tipos: Vec<_> = customers.taken().into_iter().map(|(_, tipo, _)| tipo).collect();
    assert_eq!(tipos, ["cliente.actualizado", "cliente.creado"]);
}

#[tokio::test]
async fn a_record_goes_on_after_an_event_that_grew_too_old_while_it_was_held() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let company = world.company().await;
    let ana = company.admin().await;
    pass(&context).await;
    customers.fail_at(&company, 1);
    customer(&ana).await;
    edit(&world, &ana, 1).await;
    let report = pass(&context).await;
    assert_eq!((report.pospuestos, report.detenidos), (1, 1), "{report:?}");
    // The clean-up of another process removes the first event.
    let removed = sqlx::query("DELETE FROM eventos WHERE tipo = 'cliente.creado'").execute(world.pool()).await;
    assert_eq!(removed.expect("it is removed").rows_affected(), 1);
    customers.mend();
    world.clock.advance(TimeDelta::seconds(11));
    assert_eq!(pass(&context).await.atendidos, 1);
    ana.put("/clientes/1", json!({"telefono": "5512345678"})).await.ok(200);
    edit(&world, &ana, 1).await;
    assert_eq!(pass(&context).await.atendidos, 1);
    let tipos: Vec<_> = customers.taken().into_iter().map(|(_, tipo, _)| tipo).collect();
    assert_eq!(tipos, ["cliente.actualizado", "cliente.actualizado"]);
    assert_eq!(world.sql::<i64>("SELECT count(*) FROM suscripciones_detenidas").await, 0);
}

#[tokio::test]
async fn what_was_given_up_is_removed_after_a_month() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let company = world.company().await;
    pass(&context).await;
    customers.fail_at(&company, 1);
    customer(&company.admin().await).await;
    while pass(&context).await.abandonados == 0 {
        world.clock.advance(TimeDelta::hours(13));
    }
    let aged = async |days: i32| {
        let change = "UPDATE suscripciones_detenidas SET abandonada = now() - make_interval(days => $1)";
        sqlx::query(change).bind(days).execute(world.pool()).await.expect("it is older");
        clean_up(&context).await.expect("a pass");
        world.sql::<i64>("SELECT count(*) FROM suscripciones_detenidas").await
    };
    assert_eq!((aged(29).await, aged(32).await), (1, 0));
}

#[tokio::test]
async fn background_work_runs_them() {
    let world = World::new().await;
    // Background work removes what is a month old by the database's clock.
    world.clock.advance(SystemClock.now() - world.clock.now());
    let customers = Customers::default();
    let context = context(&world, &customers);
    let ana = world.company().await.admin().await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let background = context.clone();
    let work = tokio::spawn(async move {
        background.work(Providers::default(), async { stopped.await.unwrap_or_default() }).await;
    });
    let mut handed = Vec::new();
    for _ in 0..100 {
        // The first may happen before the subscriber begins.
        world.clock.advance(TimeDelta::milliseconds(10));
        customer(&ana).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        handed.append(&mut customers.taken());
        if !handed.is_empty() {
            break;
        }
    }
    drop(stop);
    work.await.expect("work ends");
    assert!(!handed.is_empty());
}

#[tokio::test]
async fn what_is_due_goes_by_the_services_clock_in_a_company_whose_own_is_ahead() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let test = world.test_company().await;
    let ana = test.admin().await;
    pass(&context).await;
    context.run(test.id, &MoveClock::Forward(TimeDelta::days(40))).await.expect("it is moved");
    customers.fail_at(&test, 1);
    customer(&ana).await;
    assert_eq!(pass(&context).await.pospuestos, 1);
    customers.mend();
    world.clock.advance(TimeDelta::seconds(11));
    assert_eq!(pass(&context).await.atendidos, 1, "after ten seconds, and not in 40 days");
    assert_eq!(customers.taken(), [(test.id.0, "cliente.creado".to_owned(), 1)]);
}

/// Fails after it has written.
struct Unfinished;

impl Subscriber for Unfinished {
    const NAME: &'static str = "prueba.inconcluso";
    const KINDS: &'static [&'static str] = &["cliente.creado"];
    const START: SubscriberStart = SubscriberStart::Kept;

    async fn on(&self, cx: &mut Cx<'_>, _: &ReceivedEvent) -> Result<(), Error> {
        let mut own = svc_store_postgres::own_tables(cx.tx)?;
        let write = "INSERT INTO paqueteria_tablero (empresa) VALUES ($1)";
        sqlx::query(write).bind(own.company()).execute(own.executor()).await.expect("it writes");
        panic!("after the effect");
    }
}

#[tokio::test]
async fn a_failure_undoes_the_effect_and_a_panic_is_one() {
    let world = World::new().await;
    parcels::migrate(&world.store).await.expect("migrated");
    let ana = world.company().await.admin().await;
    customer(&ana).await;
    let context = builder(&world).subscriber(Unfinished).build().expect("a context");
    let report = pass(&context).await;
    assert_eq!((report.atendidos, report.pospuestos), (0, 1), "{report:?}");
    assert_eq!(world.sql::<i64>("SELECT count(*) FROM paqueteria_tablero").await, 0);
}

#[tokio::test]
async fn a_new_subscriber_begins_now_or_at_the_oldest_kept_event() {
    struct FromTheBeginning(Customers);

    impl Subscriber for FromTheBeginning {
        const NAME: &'static str = "prueba.todo";
        const KINDS: &'static [&'static str] = Customers::KINDS;
        const START: SubscriberStart = SubscriberStart::Kept;

        async fn on(&self, cx: &mut Cx<'_>, event: &ReceivedEvent) -> Result<(), Error> {
            self.0.on(cx, event).await
        }
    }

    let world = World::new().await;
    let ana = world.company().await.admin().await;
    customer(&ana).await;
    world.clock.advance(TimeDelta::seconds(1));
    let (now, kept) = (Customers::default(), Customers::default());
    let both = || {
        let both = builder(&world).subscriber(now.clone()).subscriber(FromTheBeginning(kept.clone()));
        both.build().expect("a context")
    };
    assert_eq!(pass(&both()).await.atendidos, 1);
    assert_eq!((now.taken().len(), kept.taken().len()), (0, 1));
    customer(&ana).await;
    // A company that is made later is read from its first event, by both.
    let eva = world.company().await.admin().await;
    customer(&eva).await;
    assert_eq!(pass(&both()).await.atendidos, 4);
    assert_eq!((now.taken().len(), kept.taken().len()), (2, 2));
}

#[tokio::test]
async fn a_pass_stays_within_its_budget_and_serves_companies_in_turn() {
    let world = World::new().await;
    let customers = Customers::default();
    let context = context(&world, &customers);
    let (company, other) = (world.company().await, world.company().await);
    let (ana, eva) = (company.admin().await, other.admin().await);
    pass(&context).await;
    for _ in 0..70 {
        customer(&ana).await;
    }
    customer(&eva).await;
    let few = run_subscribers(&context, Budget::unlimited().max_records(41)).await.expect("a pass");
    assert_eq!(few.atendidos, 41);
    let of_other = customers.taken().iter().filter(|(company, ..)| *company == other.id.0).count();
    assert_eq!(of_other, 1, "it does not wait for all of the first");
    assert_eq!(pass(&context).await.atendidos, 30);
    let claves: Vec<_> = customers.taken().into_iter().map(|(.., clave)| clave).collect();
    assert_eq!(claves, (41..=70).collect::<Vec<_>>());
}

/// Makes a customer for each that was made, a second later by the clock.
struct Echo(Arc<World>);

impl Subscriber for Echo {
    const NAME: &'static str = "prueba.eco";
    const KINDS: &'static [&'static str] = &["cliente.creado"];
    const START: SubscriberStart = SubscriberStart::Kept;

    async fn on(&self, cx: &mut Cx<'_>, _: &ReceivedEvent) -> Result<(), Error> {
        self.0.clock.advance(TimeDelta::seconds(1));
        let another = Json::parse_object(br#"{"nombre":"Eco"}"#).expect("an object").read::<CreateCustomer>();
        another.expect("a customer").run(cx).await.map(|_| ())
    }
}

#[tokio::test]
async fn a_pass_hands_over_what_was_there_when_it_began_while_its_time_lasts() {
    let world = Arc::new(World::new().await);
    let ana = world.company().await.admin().await;
    let context = builder(&world).subscriber(Echo(Arc::clone(&world))).build().expect("a context");
    for _ in 0..5 {
        customer(&ana).await;
    }
    assert_eq!(pass(&context).await.atendidos, 5, "none of those that it made");
    let until = world.clock.now() + TimeDelta::seconds(3);
    let timed = run_subscribers(&context, Budget::unlimited().until(until)).await.expect("a pass");
    assert_eq!(timed.atendidos, 3);
    assert_eq!(pass(&context).await.atendidos, 5);
}

/// Panics before there is a future.
struct Hasty;

impl Subscriber for Hasty {
    const NAME: &'static str = "prueba.precipitado";
    const KINDS: &'static [&'static str] = &["cliente.creado"];
    const START: SubscriberStart = SubscriberStart::Kept;

    fn on(&self, _: &mut Cx<'_>, event: &ReceivedEvent) -> impl Future<Output = Result<(), Error>> + Send {
        assert_ne!(event.recurso_clave, 1, "the first customer");
        async { Ok(()) }
    }
}

#[tokio::test]
async fn a_panic_outside_the_future_holds_up_its_event_alone() {
    let world = World::new().await;
    let ana = world.company().await.admin().await;
    for _ in 0..2 {
        customer(&ana).await;
    }
    let context = builder(&world).subscriber(Hasty).build().expect("a context");
    let report = pass(&context).await;
    assert_eq!((report.atendidos, report.pospuestos), (1, 1), "{report:?}");
}

#[tokio::test]
async fn what_cannot_be_a_subscriber_is_named_when_the_context_is_built() {
    struct OfNothing;

    impl Subscriber for OfNothing {
        const NAME: &'static str = "nada";
        const KINDS: &'static [&'static str] = &["cliente.creado", "cliente.perdido"];

        async fn on(&self, _: &mut Cx<'_>, _: &ReceivedEvent) -> Result<(), Error> {
            Ok(())
        }
    }

    let world = World::new().await;
    let said = |builder: ContextBuilder| builder.build().expect_err("refused").to_string();
    let unknown = said(builder(&world).subscriber(OfNothing));
    assert!(unknown.contains("OfNothing") && unknown.contains("cliente.perdido"), "{unknown}");
    let twice = said(builder(&world).subscriber(Customers::default()).subscriber(Customers::default()));
    assert!(twice.contains(Customers::NAME), "{twice}");
}
