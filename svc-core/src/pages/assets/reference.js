// Shows the reference. Nothing is loaded from elsewhere: no fonts, no telemetry, no services of the viewer's makers.
const { tryIt, document: described, keyId, apiKey } = document.body.dataset;

/** Puts the status of a first answer before that of a repetition: keys that are numbers come in ascending order. */
function inOrder(description) {
  for (const operation of Object.values(description.paths ?? {}).flatMap((path) => Object.values(path))) {
    const responses = operation?.responses;
    const first = responses && ["201", "202"].find((status) => status in responses);
    if (!first || !("200" in responses)) continue;
    const { [first]: made, 200: repeated, ...others } = responses;
    // A space that nobody sees makes them other than numbers.
    const all = [[first, made], ["200", repeated], ...Object.entries(others)];
    operation.responses = Object.fromEntries(all.map(([status, response]) => [`${status}\u200b`, response]));
  }
  return description;
}

/** Leaves what may be left out of a request out of the one that is shown: the viewer would put a first choice in. */
function onlyRequired(description) {
  const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path));
  const shared = Object.values(description.components?.parameters ?? {});
  for (const parameter of [...shared, ...operations.flatMap((operation) => operation?.parameters ?? [])]) {
    const { schema, required } = parameter;
    const value = schema?.const ?? schema?.enum?.[0] ?? schema?.examples?.[0] ?? schema?.default;
    if (schema && !required) parameter.examples = { default: { value: String(value ?? ""), "x-disabled": true } };
  }
  return description;
}

/** Tells assistive technology what the viewer leaves out. */
function describeControls() {
  const reference = document.getElementById("reference");
  const spoken = (english, spanish) => (document.documentElement.lang === "es" ? spanish : english);
  for (const button of reference.querySelectorAll(".scalar-code-copy:not([aria-label])")) button.ariaLabel = spoken("Copy", "Copiar");
  for (const field of reference.querySelectorAll("[role=combobox][contenteditable]:not([aria-expanded])")) {
    field.ariaLabel = field.dataset.placeholder;
    field.ariaExpanded = "false";
  }
  // What a voice asks for is what is seen.
  for (const button of reference.querySelectorAll(".show-more[aria-label]")) {
    const seen = button.textContent.trim();
    if (!button.ariaLabel.includes(seen)) button.ariaLabel = `${seen}: ${button.ariaLabel}`;
  }
  // The page has a banner of its own; this one names the place that is read.
  for (const header of reference.querySelectorAll("header:not([role])")) {
    header.role = "none";
    header.parentElement.role = "region";
    header.parentElement.ariaLabel = spoken("Place", "Lugar");
  }
  // Regions are told apart by their names; these have one name on the whole page.
  for (const card of reference.querySelectorAll(".response-card[role=region]")) card.role = "group";
}

async function draw() {
  new MutationObserver(describeControls).observe(document.getElementById("reference"), { childList: true, subtree: true });
  const description = onlyRequired(await (await fetch(described)).json());
  Scalar.createApiReference("#reference", {
    content: inOrder(description),
    // Requests are shown with the API's own address, and sent through the development proxy.
    proxyUrl: tryIt === "yes" ? "/docs/api" : undefined,
    hideTestRequestButton: tryIt !== "yes",
    authentication: apiKey
      ? { preferredSecurityScheme: ["key", "keyId"], securitySchemes: { key: { token: apiKey }, keyId: { value: keyId } } }
      : undefined,
    localization: { locale: document.documentElement.lang },
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    hideDarkModeToggle: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
    documentDownloadType: "json",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  });
}

draw();
