"use strict";
// Asks /top.json every two seconds and draws charts of the answers, which this browser's tab keeps.
const EVERY = 2000, KEPT = 450, NS = "http://www.w3.org/2000/svg", STORE = "svc-top";
const amount = (value) => value == null ? "–" : value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${(value / 1e3).toFixed(1)}k` : Number.isInteger(value) || value >= 10 ? value.toFixed(0) : value.toFixed(1);
const duration = (s) => s == null ? "–" : s < 0.01 ? `${(s * 1e3).toFixed(1)} ms` : s < 1 ? `${(s * 1e3).toFixed(0)} ms` : s < 10 ? `${s.toFixed(1)} s` : s < 120 ? `${s.toFixed(0)} s` : s < 7200 ? `${(s / 60).toFixed(0)} min` : s < 172800 ? `${(s / 3600).toFixed(0)} h` : `${(s / 86400).toFixed(0)} d`;
const bytes = (value) => value < 2 ** 30 ? `${(value / 2 ** 20).toFixed(0)} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`;
const percent = (value) => value == null ? "–" : `${(value * 100).toFixed(0)} %`;
const largest = (figures) => Math.max(0, ...Object.values(figures));

// Each chart has at most three lines; `of` takes a line's value from a view, null where it is unknown.
const CHARTS = [
  { title: "Requests a second", text: amount, lines: [["all", (v) => v.requests.per_second], ["refused", (v) => v.requests.refused], ["failed", (v) => v.requests.failed]] },
  { title: "Duration", text: duration, lines: [["p50", (v) => v.requests.p50], ["p99", (v) => v.requests.p99]] },
  { title: "Being answered", text: amount, now: true, lines: [["requests", (v) => v.requests.in_flight], ["clients connected", (v) => v.clients]] },
  { title: "Oldest due item", text: duration, now: true, lines: [["of all queues", (v) => largest(v.queues)], ["deliveries", (v) => v.queues.deliveries ?? 0], ["stampings", (v) => v.queues.stampings ?? 0]] },
  { title: "Connections to the database", text: amount, now: true, lines: [["used", (v) => v.database.used], ["idle", (v) => v.database.idle], ["most", (v) => v.database.max]] },
  { title: "Processors in use", text: percent, lines: [["of one", (v) => v.process.cpu]] },
  { title: "Memory", text: bytes, now: true, lines: [["resident", (v) => v.process.memory]] },
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
    svg.setAttribute("aria-label", `${chart.title}: ${said.join(", ")}; ${chart.text(most)} at the most`);
    top.textContent = `up to ${chart.text(most)}`;
    since.textContent = `last ${duration(width / 1000)}`;
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
  const work = [["Stampings", outcomes.stampings], ["Cancellations", outcomes.cancellations], ["Webhooks", outcomes.deliveries], ["E-mails", outcomes.emails]];
  const done = work.flatMap(([kind, counts]) => positive(counts).map(([outcome, count]) => [`${kind}: ${outcome}`, amount(count)]));
  const failures = positive(outcomes.failures).map(([cause, count]) => [`Failed: ${cause}`, failing(count)]);
  const span = outcomes.since_start ? "since the start" : `in the last ${duration(outcomes.span)}`;
  const waiting = [...positive(view.queues).map(([queue, age]) => [queue, { text: `due for ${duration(age)}`, wrong: age > 60 }]), ...positive(view.held).map(([reason, count]) => [`held: ${reason}`, failing(count)])];
  document.getElementById("tables").replaceChildren(
    table("Operations", ["Operation", "a second", "failed", "p50", "p99"], view.operations.map((o) => [o.operation, amount(o.per_second), failing(o.failed), duration(o.p50), duration(o.p99)]), "None was asked for.", true),
    table("Companies", ["Company", "a second"], view.companies.map((c) => [String(c.empresa), amount(c.per_second)]), "None asked for anything."),
    table("Queues", ["What waits", "how long or how much"], waiting, "Nothing is due."),
    table(`Work ${span}`, ["Outcome", "times"], [...done, ...failures], "Nothing was done."),
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
    const clock = view.clock_offset != null && Math.abs(view.clock_offset) > 60 ? `; its clock is ${duration(Math.abs(view.clock_offset))} ${view.clock_offset > 0 ? "ahead of" : "behind"} the database's` : "";
    say(`Version ${view.version}; ${view.since_start ? "averages since the start" : "averages of a few seconds"}${clock}`, clock !== "");
  } catch (error) {
    take(null, Date.now());
    say(`The server does not answer (${error.message}); trying again`, true);
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
