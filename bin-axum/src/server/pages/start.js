// Shows the reference. Nothing is loaded from elsewhere: no fonts, no telemetry, no services of the viewer's makers.
const spanish = new URLSearchParams(location.search).get("lang") === "es";
const tryIt = document.body.dataset.tryIt === "yes";
document.documentElement.lang = spanish ? "es" : "en";
Scalar.createApiReference("#reference", {
  url: spanish ? "/openapi.json?lang=es" : "/openapi.json",
  servers: tryIt ? [{ url: "/docs/api", description: "This demo, through its development proxy" }] : undefined,
  hideTestRequestButton: !tryIt,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "json",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});
