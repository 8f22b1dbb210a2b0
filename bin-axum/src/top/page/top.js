"use strict";
// Asks /top.json every two seconds and draws charts of the answers, which this browser's tab keeps.
const EVERY = 2000, KEPT = 450, NS = "http://www.w3.org/2000/svg", STORE = "svc-top";
const amount = (value) => value == null ? "–" : value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${(value / 1e3).toFixed(1)}k` : Number.isInteger(value) || value >= 10 ? value.toFixed(0) : value.toFixed(1);
const duration = (s) => s == null ? "–" : s < 0.01 ? `${(s * 1e3).toFixed(1)} ms` : s < 1 ? `${(s * 1e3).toFixed(0)} ms` : s < 10 ? `${s.toFixed(1)} s` : s < 120 ? `${s.toFixed(0)} s` : s < 7200 ? `${(s / 60).toFixed(0)} min` : s < 172800 ? `${(s / 3600).toFixed(0)} h` : `${(s / 86400).toFixed(0)} d`;
const bytes = (value) => value < 2 ** 30 ? `${(value / 2 ** 20).toFixed(0)} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`;
const percent = (value) => value == null ? "–" : `${(value * 100).toFixed(0)} %`;
const largest = (figures) => Math.max(0, ...Object.values(figures));

// The texts for browsers that are set to Spanish; names of outcomes, queues and causes are those of /metrics.
const SPANISH = {
  "Requests a second": "Peticiones por segundo", "all": "todas", "refused": "rechazadas", "failed": "fallidas",
  "Duration": "Duración", "p50": "p50", "p99": "p99",
  "Being answered": "En curso", "requests": "peticiones", "clients connected": "clientes conectados",
  "Oldest due item": "Pendiente más antiguo", "of all queues": "de todas las colas", "deliveries": "entregas", "stampings": "timbrados",
  "Connections to the database": "Conexiones a la base de datos", "used": "en uso", "idle": "libres", "most": "máximo",
  "Processors in use": "Procesadores en uso", "of one": "de uno", "Memory": "Memoria", "resident": "residente",
  "{}; {} at the most": "{}; {} como máximo", "up to {}": "hasta {}", "last {}": "últimos {}",
  "Stampings": "Timbrados", "Cancellations": "Cancelaciones", "Webhooks": "Webhooks", "E-mails": "Correos", "Failed: {}": "Falló: {}",
  "since the start": "desde el inicio", "in the last {}": "en los últimos {}", "due for {}": "vencido hace {}", "held: {}": "detenidos: {}",
  "Operations": "Operaciones", "Operation": "Operación", "a second": "por segundo", "None was asked for.": "No se pidió ninguna.",
  "Companies": "Empresas", "Company": "Empresa", "None asked for anything.": "Ninguna pidió nada.",
  "Queues": "Colas", "What waits": "Qué espera", "how long or how much": "cuánto tiempo o cuántos", "Nothing is due.": "No hay nada vencido.",
  "Work {}": "Trabajo {}", "Outcome": "Resultado", "times": "veces", "Nothing was done.": "No se hizo nada.",
  "ahead of": "adelantado respecto de", "behind": "atrasado respecto de", "; its clock is {} {} the database's": "; su reloj está {} {} el de la base de datos",
  "Version {}; {}{}": "Versión {}; {}{}", "averages since the start": "promedios desde el inicio", "averages of a few seconds": "promedios de unos segundos",
  "Asking the server …": "Preguntando al servidor …", "Charts": "Gráficas", "The server does not answer ({}); trying again": "El servidor no responde ({}); se intenta de nuevo",
};
const inSpanish = navigator.language.startsWith("es");
const local = (text, ...values) => values.reduce((made, value) => made.replace("{}", () => value), (inSpanish && SPANISH[text]) || text);
if (inSpanish) document.documentElement.lang = "es";
document.getElementById("status").textContent = local("Asking the server …");
document.getElementById("charts").setAttribute("aria-label", local("Charts"));

// Each chart has at most three lines; `of` takes a line's value from a view, null where it is unknown.
const CHARTS = [
  { title: local("Requests a second"), text: amount, lines: [[local("all"), (v) => v.requests.per_second], [local("refused"), (v) => v.requests.refused], [local("failed"), (v) => v.requests.failed]] },
  { title: local("Duration"), text: duration, lines: [[local("p50"), (v) => v.requests.p50], [local("p99"), (v) => v.requests.p99]] },
  { title: local("Being answered"), text: amount, now: true, lines: [[local("requests"), (v) => v.requests.in_flight], [local("clients connected"), (v) => v.clients]] },
  { title: local("Oldest due item"), text: duration, now: true, lines: [[local("of all queues"), (v) => largest(v.queues)], [local("deliveries"), (v) => v.queues.deliveries ?? 0], [local("stampings"), (v) => v.queues.stampings ?? 0]] },
  { title: local("Connections to the database"), text: amount, now: true, lines: [[local("used"), (v) => v.database.used], [local("idle"), (v) => v.database.idle], [local("most"), (v) => v.database.max]] },
  { title: local("Processors in use"), text: percent, lines: [[local("of one"), (v) => v.process.cpu]] },
  { title: local("Memory"), text: bytes, now: true, lines: [[local("resident"), (v) => v.process.memory]] },
];

function element(name, attributes = {}, ...children) {
  const made = name === "svg" || name === "path" || name === "line" ? document.createElementNS(NS, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A reading is its time and the values of all charts' lines. An average since the start is no value of that moment.
const values = (view) => CHARTS.map((chart) => chart.lines.map(([, of]) => view && (chart.now || !view.since_start) ? of(view) : null));
let history = [];
try {
  const kept = JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
  if (kept.every(({ values }) => values.length === CHARTS.length)) history = kept;
} catch { /* What an earlier version kept is of no use. */ }
addEventListener("pagehide", () => sessionStorage.setItem(STORE, JSON.stringify(history)));

const drawn = CHARTS.map((chart) => {
  const legend = chart.lines.map(([name], at) => element("li", { class: "abc"[at] }, name));
  const paths = chart.lines.map((_, at) => element("path", { class: "abc"[at] }));
  const grid = [0, 50, 100].map((y) => element("line", { class: "grid", x1: 0, x2: 100, y1: y, y2: y }));
  const svg = element("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": chart.title }, ...grid, ...paths);
  const [top, since] = [element("span"), element("span")];
  const scale = element("div", { class: "scale" }, top, since);
  document.getElementById("charts").append(element("figure", {}, element("figcaption", {}, chart.title, element("ul", {}, ...legend)), svg, scale));
  return { legend, paths, svg, top, since };
});

function drawCharts() {
  const last = history.at(-1), first = history[0];
  if (!last) return;
  const width = Math.max(last.at - first.at, 1);
  CHARTS.forEach((chart, number) => {
    const { legend, paths, svg, top, since } = drawn[number];
    const most = Math.max(0, ...history.flatMap((reading) => reading.values[number].filter((value) => value != null)));
    paths.forEach((path, line) => {
      let pen = "M";
      const points = history.map((reading) => {
        const value = reading.values[number][line];
        if (value == null) { pen = "M"; return ""; }
        const point = `${pen}${(100 * (reading.at - first.at) / width).toFixed(2)} ${(100 - (most ? 100 * value / most : 0)).toFixed(2)}`;
        pen = "L";
        return point;
      });
      path.setAttribute("d", points.join(""));
    });
    const said = chart.lines.map(([name], line) => `${name} ${chart.text(last.values[number][line])}`);
    said.forEach((text, line) => { legend[line].textContent = text; });
    svg.setAttribute("aria-label", `${chart.title}: ${local("{}; {} at the most", said.join(", "), chart.text(most))}`);
    top.textContent = local("up to {}", chart.text(most));
    since.textContent = local("last {}", duration(width / 1000));
  });
}

function table(title, head, rows, nothing, wide = false) {
  const cells = (row) => row.map((cell) => typeof cell === "object" ? element("td", cell.wrong ? { class: "wrong" } : {}, cell.text) : element("td", {}, cell));
  const body = rows.length ? rows.map((row) => element("tr", {}, ...cells(row))) : [element("tr", {}, element("td", { colspan: head.length }, nothing))];
  const names = element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)));
  return element("table", wide ? { class: "wide" } : {}, element("caption", {}, title), element("thead", {}, names), element("tbody", {}, ...body));
}

const failing = (value) => ({ text: amount(value), wrong: value > 0 });
const positive = (figures) => Object.entries(figures).filter(([, value]) => value > 0);

function drawTables(view) {
  const { outcomes } = view;
  const work = [[local("Stampings"), outcomes.stampings], [local("Cancellations"), outcomes.cancellations], [local("Webhooks"), outcomes.deliveries], [local("E-mails"), outcomes.emails]];
  const done = work.flatMap(([kind, counts]) => positive(counts).map(([outcome, count]) => [`${kind}: ${outcome}`, amount(count)]));
  const failures = positive(outcomes.failures).map(([cause, count]) => [local("Failed: {}", cause), failing(count)]);
  const span = outcomes.since_start ? local("since the start") : local("in the last {}", duration(outcomes.span));
  const waiting = [...positive(view.queues).map(([queue, age]) => [queue, { text: local("due for {}", duration(age)), wrong: age > 60 }]), ...positive(view.held).map(([reason, count]) => [local("held: {}", reason), failing(count)])];
  document.getElementById("tables").replaceChildren(
    table(local("Operations"), [local("Operation"), local("a second"), local("failed"), "p50", "p99"], view.operations.map((o) => [o.operation, amount(o.per_second), failing(o.failed), duration(o.p50), duration(o.p99)]), local("None was asked for."), true),
    table(local("Companies"), [local("Company"), local("a second")], view.companies.map((c) => [String(c.empresa), amount(c.per_second)]), local("None asked for anything.")),
    table(local("Queues"), [local("What waits"), local("how long or how much")], waiting, local("Nothing is due.")),
    table(local("Work {}", span), [local("Outcome"), local("times")], [...done, ...failures], local("Nothing was done.")),
  );
}

function say(text, wrong) {
  const status = document.getElementById("status");
  // The same words again would be read out again.
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("wrong", wrong);
}

function take(view, at) {
  history.push({ at, values: values(view) });
  history = history.filter((reading) => reading.at <= at).slice(-KEPT);
  drawCharts();
}

async function look() {
  // A page that nobody sees asks nothing.
  if (document.hidden) return;
  try {
    const answer = await fetch("top.json", { signal: AbortSignal.timeout(5000) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const view = await answer.json();
    take(view, Date.now());
    drawTables(view);
    const clock = view.clock_offset != null && Math.abs(view.clock_offset) > 60 ? local("; its clock is {} {} the database's", duration(Math.abs(view.clock_offset)), view.clock_offset > 0 ? local("ahead of") : local("behind")) : "";
    const averages = view.since_start ? local("averages since the start") : local("averages of a few seconds");
    say(local("Version {}; {}{}", view.version, averages, clock), clock !== "");
  } catch (error) {
    take(null, Date.now());
    say(local("The server does not answer ({}); trying again", error.message), true);
  }
}

const pause = (time) => new Promise((done) => setTimeout(done, time));
(async () => {
  for (;;) {
    await look();
    await pause(EVERY);
  }
})();
document.addEventListener("visibilitychange", look);
