// Reads /docs and /top in Chromium as people do: both languages, light and dark, at desktop and phone width.
// They are served by a demo with an office.
// SVC_CHROMIUM names the browser, SVC_SCREENSHOTS a folder for screenshots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { SVC_API_KEY, SVC_BASE_URL, SVC_CHROMIUM, SVC_KEY_ID, SVC_SCREENSHOTS, SVC_TOP_URL } = process.env;
const site = SVC_BASE_URL.replace(/\/api\/v1$/, "");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const browser = await chromium.launch({ executablePath: SVC_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Opens a page; `done` checks that nothing failed and nothing came from elsewhere. */
async function open(colorScheme, viewport, locale = "en-US") {
  const context = await browser.newContext({ colorScheme, viewport, locale });
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

/** Checks that assistive technology and keyboards can use a page. */
async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => `${page.url()} ${id}: ${nodes[0].html}`), []);
}

/** Checks that code scrolls within its box, which lies within the screen. */
async function boxed(page) {
  const { blocks, outside } = await page.evaluate(() => {
    const blocks = [...document.querySelectorAll("pre")].filter((block) => block.offsetParent !== null);
    const outside = blocks.filter((block) => {
      const box = block.closest(".code, .scalar-card, dialog") ?? block;
      // What scrolls is the code itself or something between it and its box.
      let shown = block;
      while (shown !== box && !/auto|scroll/.test(getComputedStyle(shown).overflowX)) shown = shown.parentElement;
      const [inner, outer] = [shown, box].map((one) => one.getBoundingClientRect().right);
      const stays = /auto|scroll/.test(getComputedStyle(shown).overflowX) || block.scrollWidth <= block.clientWidth;
      return !stays || inner > outer || outer > document.documentElement.clientWidth;
    });
    return { blocks: blocks.length, outside: outside.map((block) => block.textContent.slice(0, 60)) };
  });
  assert.deepEqual(outside, [], page.url());
  return blocks;
}

/** Opens the page of a viewer. */
async function reference(page, path, query) {
  await page.goto(`${site}${path}${query}`);
  await page.locator("#reference h1").first().waitFor();
}

/** Checks that the place which a link has led to, and which has the focus, has no frame: it is no control. */
async function unframed(page, place) {
  await page.waitForFunction((end) => document.activeElement?.id.endsWith(end), place);
  const frame = await page.evaluate(() => {
    const { boxShadow, outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return { shadow: boxShadow, outline: outlineStyle === "none" || outlineWidth === "0px" ? "none" : outlineWidth };
  });
  assert.deepEqual(frame, { shadow: "none", outline: "none" }, page.url());
}

let [looked, copied] = [0, 0];
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"]) {
    for (const [language, query] of [["en", ""], ["es", "?lang=es"]]) {
      const { page, done } = await open(colorScheme, viewport);
      const name = (what) => `${size}-${colorScheme}-${language}-${what}`;
      for (const [path, what] of [["/docs/reference", "reference"], ["/docs/office", "office-reference"]]) {
        await reference(page, path, query);
        await look(page, name(what), colorScheme);
        await accessible(page);
      }
      await page.goto(`${site}/docs/guides${query}`);
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      const guides = await page.locator("main .cards a").evaluateAll((links) => links.map((link) => link.href));
      assert(guides.length >= 10);
      const others = ["/docs", "/docs/events", "/docs/data"].map((path) => `${site}${path}${query}`);
      for (const url of [page.url(), ...others, ...guides]) {
        await page.goto(url);
        if (url.includes("/docs/data")) await page.locator("#list tbody tr").first().waitFor();
        await look(page, name(new URL(url).pathname.split("/").pop()), colorScheme);
        await boxed(page);
        const copies = await page.locator("main .code .copy").count();
        assert.equal(copies, await page.locator("main .code").count(), `${url} has code without a button that copies it`);
        copied += copies;
        await accessible(page);
        looked += 1;
      }
      await done();
    }
  }
}

assert(copied > 100, `${copied} buttons that copy`);

// A link to an operation: what comes first is the answer of the first request, and no frame is around it.
for (const [size, viewport] of Object.entries(SIZES)) {
  const { page, done } = await open("light", viewport);
  const place = "tag/clientes/POST/clientes";
  await page.goto(`${site}/docs/reference#${place}`);
  const operation = page.locator(`section[id$='${place}']`);
  await operation.locator("pre").first().waitFor();
  await unframed(page, place);
  const answers = await operation.locator("[id*='.responses.']").evaluateAll((all) => all.map((one) => one.id.replace(/\u200b$/, "").split(".").pop()));
  assert.deepEqual(answers.slice(0, 3), ["201", "200", "400"]);
  assert((await boxed(page)) > 0);
  const [codes, copies] = [await operation.locator("pre").count(), await operation.locator(".scalar-code-copy[aria-label=Copy]").count()];
  assert.equal(copies, codes, `${codes} blocks of code, ${copies} buttons that copy`);
  // What the viewer keeps in sight does not cover the way out of it.
  const links = await page.locator("header.site nav a").evaluateAll((all) =>
    all.map((link) => {
      const { left, bottom } = link.getBoundingClientRect();
      return left > window.innerWidth || link.contains(document.elementFromPoint(left + 8, bottom - 1));
    }),
  );
  assert(links.every(Boolean), `${size}: ${links}`);
  await look(page, `${size}-light-en-operation`, "light");
  await done();
}

// The operators' page: charts of what the demo was just asked for, in the browser's language.
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const [colorScheme, locale, chart] of [
    ["light", "en-US", /^Requests a second: all /],
    ["dark", "es-MX", /^Peticiones por segundo: todas .* como máximo$/],
  ]) {
    const { page, done } = await open(colorScheme, viewport, locale);
    const headers = { Authorization: `Bearer ${SVC_API_KEY}`, "X-Svc-Key-Id": SVC_KEY_ID };
    assert.equal((await fetch(`${SVC_BASE_URL}/clientes`, { headers })).status, 200);
    await page.goto(`${SVC_TOP_URL}/top`);
    await page.getByRole("cell", { name: "GET /clientes", exact: true }).waitFor();
    // A line needs two readings.
    await page.locator("path.a[d*=L]").first().waitFor({ state: "attached" });
    assert.equal(await page.getByRole("img", { name: chart }).count(), 1);
    await look(page, `${size}-${colorScheme}-top`, colorScheme);
    await accessible(page);
    // A reader who comes back finds the charts as they were.
    await page.reload();
    await page.locator("path.a[d*=L]").first().waitFor({ state: "attached" });
    await done();
  }
}

// A slow answer of one tab is not drawn into the list of the next.
{
  const { page, done } = await open("light", SIZES.desktop);
  await page.goto(`${site}/docs/data`);
  await page.locator("#list tbody tr").first().waitFor();
  const [slow, next] = [page.getByRole("tab").nth(1), page.getByRole("tab").nth(2)];
  const path = (await slow.getAttribute("data-path")).split("?")[0];
  const isSlow = (url) => new URL(url).pathname === `/docs/api${path}`;
  let release;
  const released = new Promise((go) => (release = go));
  await page.route(isSlow, (route) => released.then(() => route.continue()));
  await slow.click();
  await next.click();
  await page.locator("#list table").waitFor();
  const shown = await page.locator("#list").innerText();
  const late = page.waitForResponse((response) => isSlow(response.url()));
  release();
  await (await late).finished();
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#list").innerText(), shown);
  await done();
}

// With the keyboard alone: first the links, then the search, which finds an operation and opens it.
const { page, done } = await open("light", SIZES.desktop);
await reference(page, "/docs/reference", "");
const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
for (const expected of ["Skip to the content", "Business operations API", "Home", "Guides", "Reference", "Office", "Events", "Español", "◐"]) {
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
console.log(`pages: ${looked} pages, 8 references and 8 of the office looked at; search, keyboard and a request and /top tried`);
