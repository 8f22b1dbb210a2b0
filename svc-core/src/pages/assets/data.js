// The demo's data: lists, page by page, and each record whole. Requests go through the development proxy.
const { keyId, apiKey, baseUrl } = document.body.dataset;
const panel = document.getElementById("list");
const tabs = [...document.querySelectorAll("[role=tab]")];
const headers = { Authorization: `Bearer ${apiKey}`, "X-Svc-Key-Id": keyId };
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

async function request(path) {
  const answer = await fetch(`/docs/api${path}`, { headers });
  if (!answer.ok) throw new Error((await answer.json()).error?.mensaje ?? answer.statusText);
  return answer;
}

/** A value as text: times without their zone, nothing for null. */
function shown(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2");
}

/** Opens a file of a document in a tab of its own. */
async function openFile(path) {
  const blob = await (await request(path)).blob();
  window.open(URL.createObjectURL(blob), "_blank");
}

function whole(record, path) {
  const files = make("p", { className: "files" });
  if (path.startsWith("/facturas") && record.uuid) {
    for (const kind of ["pdf", "xml"]) {
      const button = make("button", { type: "button", textContent: kind.toUpperCase() });
      button.addEventListener("click", () => openFile(`/facturas/${record.clave}/${kind}`));
      files.append(button);
    }
  }
  const close = make("button", { type: "button", textContent: say("Close", "Cerrar") });
  files.append(close);
  const text = make("pre", { tabIndex: 0 }, make("code", { textContent: JSON.stringify(record, null, 2) }));
  const dialog = make("dialog", {}, text, files);
  dialog.setAttribute("aria-label", `${path.split("?")[0]} ${record.clave}`);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function table(records, columns, path) {
  const numeric = (column) => records.every((record) => record[column] === null || /^-?[\d.]+$/.test(shown(record[column])));
  const numbers = new Set(columns.filter((column) => column !== "clave" && numeric(column)));
  const cell = (name, column, content) => make(name, { className: numbers.has(column) ? "number" : "" }, content);
  const head = make("tr", {}, ...columns.map((column) => cell("th", column, column)));
  const rows = records.map((record) => {
    const button = make("button", { type: "button", textContent: shown(record.clave) });
    button.addEventListener("click", () => whole(record, path));
    const cells = columns.map((column) => cell("td", column, column === "clave" ? button : shown(record[column])));
    return make("tr", {}, ...cells);
  });
  return make("div", { className: "table", tabIndex: 0 }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

let turn = 0;

/** Shows a page of the tab's list, and how to go on. An answer that comes after the next request is not drawn. */
async function show(tab, cursor) {
  turn += 1;
  const own = turn;
  const path = `${tab.dataset.path}${tab.dataset.path.includes("?") ? "&" : "?"}limite=20${cursor ? `&cursor=${cursor}` : ""}`;
  const said = make("p", { className: "request" }, make("code", { textContent: `GET ${baseUrl}${path}` }));
  panel.replaceChildren(said);
  try {
    const page = await (await request(path)).json();
    if (own !== turn) return;
    panel.append(table(page.datos, tab.dataset.columns.split(" "), tab.dataset.path));
    if (page.datos.length === 0) panel.append(make("p", { textContent: say("Nothing here.", "Aquí no hay nada.") }));
    if (page.hay_mas) {
      const next = make("button", { type: "button", className: "next", textContent: say("Next page", "Página siguiente") });
      next.addEventListener("click", () => show(tab, page.siguiente));
      panel.append(next);
    }
  } catch (error) {
    if (own !== turn) return;
    panel.append(make("p", { className: "wrong", textContent: error.message }));
  }
}

function choose(tab, focus) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
  }
  if (focus) tab.focus();
  history.replaceState(null, "", `#${tabs.indexOf(tab)}`);
  show(tab);
}

tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) choose(tabs[(place + step + tabs.length) % tabs.length], true);
  });
});
choose(tabs[Number(location.hash.slice(1))] ?? tabs[0]);
