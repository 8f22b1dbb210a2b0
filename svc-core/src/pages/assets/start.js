// Shows the reference. Nothing is loaded from elsewhere: no fonts, no telemetry, no services of the viewer's makers.
const spanish = document.documentElement.lang === "es";
const tryIt = document.body.dataset.tryIt === "yes";
Scalar.createApiReference("#reference", {
  url: document.body.dataset.document,
  servers: tryIt ? [{ url: "/docs/api", description: spanish ? "Esta demo, por su proxy de desarrollo" : "This demo, through its development proxy" }] : undefined,
  hideTestRequestButton: !tryIt,
  localization: { locale: document.documentElement.lang },
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "json",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});
