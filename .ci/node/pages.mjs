// Reads /docs and /top in Chromium as people do: both languages, light and dark, at desktop and phone width.
// SVC_CHROMIUM names the browser, SVC_SCREENSHOTS a folder for screenshots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { SVC_BASE_URL, SVC_CHROMIUM, SVC_SCREENSHOTS, SVC_TOP_URL } = process.env;
const site = SVC_BASE_URL.replace(/\/api\/v1$/, "");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const browser = await chromium.launch({ executablePath: SVC_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Opens a page; `done` checks that nothing failed and nothing came from elsewhere. */
async function open(colorScheme, viewport) {
  const context = await browser.newContext({ colorScheme, viewport });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (said) => ["error", "warning"].includes(said.type()) && faults.push(said.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("requestfailed", (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${site}/`) && !url.startsWith(`${SVC_TOP_URL}/`) && !/^(data|blob):/.test(url)) faults.push(`${url} is from elsewhere`);
  });
  const done = async () => {
    assert.deepEqual(faults, []);
    await context.close();
  };
  return { page, done };
}

/** Checks every page. */
async function look(page, name, colorScheme) {
  const shown = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    seen: window.innerWidth,
    light: getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).every((part) => Number(part) > 200),
  }));
  assert(shown.width <= shown.seen, `${name} is ${shown.width} wide on a screen of ${shown.seen}`);
  assert.equal(shown.light, colorScheme === "light", `${name} is not ${colorScheme}`);
  if (SVC_SCREENSHOTS) await page.screenshot({ path: `${SVC_SCREENSHOTS}/${name}.png` });
}

/** Checks that assistive technology and keyboards can use a page of ours. */
async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => `${page.url()} ${id}: ${nodes[0].html}`), []);
}

async function reference(page, query) {
  await page.goto(`${site}/docs/reference${query}`);
  await page.locator("#reference h1").first().waitFor();
}

let looked = 0;
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [language, query] of [["en", ""], ["es", "?lang=es"]]) {
      const { page, done } = await open(colorScheme, viewport);
      const name = (what) => `${size}-${colorScheme}-${language}-${what}`;
      await reference(page, query);
      await look(page, name("reference"), colorScheme);
      await page.goto(`${site}/docs/guides${query}`);
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      const guides = await page.locator("main .cards a").evaluateAll((links) => links.map((link) => link.href));
      assert(guides.length >= 10);
      const others = ["/docs", "/docs/events", "/docs/data"].map((path) => `${site}${path}${query}`);
      for (const url of [page.url(), ...others, ...guides]) {
        await page.goto(url);
        if (url.includes("/docs/data")) await page.locator("#list tbody tr").first().waitFor();
        await look(page, name(new URL(url).pathname.split("/").pop()), colorScheme);
        // Code scrolls within its box.
        const outside = await page.locator("main pre").evaluateAll((blocks) => blocks.filter((block) => block.getBoundingClientRect().right > window.innerWidth).length);
        assert.equal(outside, 0, url);
        await accessible(page);
        looked += 1;
      }
      await done();
    }
  }
}

// The operators' page: charts of what the demo was just asked for.
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, done } = await open(colorScheme, viewport);
    await page.goto(`${SVC_TOP_URL}/top`);
    await page.getByRole("cell", { name: "GET /clientes", exact: true }).waitFor();
    // A line needs two readings.
    await page.locator("path.a[d*=L]").first().waitFor({ state: "attached" });
    assert.equal(await page.getByRole("img", { name: /^Requests a second: all / }).count(), 1);
    await look(page, `${size}-${colorScheme}-top`, colorScheme);
    await accessible(page);
    // A reader who comes back finds the charts as they were.
    await page.reload();
    await page.locator("path.a[d*=L]").first().waitFor({ state: "attached" });
    await done();
  }
}

// With the keyboard alone: first the links, then the search, which finds an operation and opens it.
const { page, done } = await open("light", SIZES.desktop);
await reference(page, "");
const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
for (const expected of ["Skip to the content", "Business operations API", "Home", "Guides", "Reference", "Events", "Español", "◐"]) {
  await page.keyboard.press("Tab");
  assert.equal(await focused(), expected);
}
await page.keyboard.press("Tab");
assert.match(await focused(), /Search/);
await page.keyboard.press("Control+k");
await page.getByRole("combobox").waitFor();
await page.keyboard.type("List customers");
await page.getByRole("option").first().getByText("List customers").waitFor();
await page.keyboard.press("ArrowDown");
await page.keyboard.press("Enter");
await page.waitForURL(/#.*\/GET\/clientes$/);

// Requests a list through the demo's proxy.
await page.locator("button", { hasText: "Test Request" }).filter({ hasText: "(get /clientes)" }).click();
const answered = page.waitForResponse((response) => response.url().startsWith(`${site}/docs/api?scalar_url=`));
await page.getByRole("button", { name: /^Send/ }).last().click();
const answer = await answered;
assert.equal(answer.status(), 200, await answer.text());
assert.equal((await answer.json()).datos.length, 30, answer.url());
await page.getByText("Público en general").first().waitFor();
if (SVC_SCREENSHOTS) await page.screenshot({ path: `${SVC_SCREENSHOTS}/tried.png` });
await done();
await browser.close();
console.log(`pages: ${looked} guides and 8 references looked at; search, keyboard and a request and /top tried`);
