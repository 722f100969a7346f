import type { Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { comes, useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { NextBuild } from "./next-build.ts";
import { finds, loses, presses } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };
const news = "A new version is ready.";

/** Resolves when the service worker has cached the page. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
}

/** All URLs in the caches of this browser. */
async function keptAddresses(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    const all = names.map(async (name) => (await caches.open(name)).keys());
    return (await Promise.all(all)).flat().map(({ url }) => url);
  });
}

/** Whether there is any response, from any source. */
async function isReached(page: Page, address: string): Promise<boolean> {
  return page.evaluate((url) => {
    return fetch(url).then(
      () => true,
      () => false,
    );
  }, address);
}

/** The actual and the declared size of an image. */
async function pictureAt(page: Page, address: string) {
  const sizes = await page.evaluate(async (url) => {
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    return `${picture.naturalWidth}x${picture.naturalHeight}`;
  }, address);
  return { sizes, type: (await page.request.get(address)).headers()["content-type"] };
}

async function cacheNames(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

function build(page: Page): Promise<string | null> {
  return page.locator("html").getAttribute("data-build");
}

test.each(["", "/line"])(
  "below “%s”: a page that was seen once is there without the gateway, says so, and holds no data",
  async (basePath) => {
    const args = basePath === "" ? [] : ["--base-path", basePath];
    const gateway = await stage().gateway({ ...work, args });
    const home = `${gateway.origin}${basePath}/`;
    const opened = { agent: "scripted", cwd: gateway.project };
    const session = await gateway.call("POST", `${basePath}/api/sessions`, opened);
    const { sessionId } = session as { sessionId: string };
    const page = await stage().page(gateway, {
      basePath,
      hash: `#/s/${sessionId}`,
      isCutOff: true,
    });
    const asked: Request[] = [];
    page.context().on("requestfinished", (request) => asked.push(request));
    await finds(page.getByRole("textbox", { name: "Message" }));
    await kept(page);
    const strict = (await page.reload())?.headers()["content-security-policy"];
    expect(strict).toContain("default-src 'none'; script-src 'self';");
    await finds(page.getByRole("textbox", { name: "Message" }));

    gateway.cutLine();
    const away = await page.reload();
    expect(away?.fromServiceWorker()).toBe(true);
    expect(away?.headers()["content-security-policy"]).toBe(strict);
    await finds(page.getByText(/^Offline\. Trying again/));
    await finds(page.getByRole("button", { name: "New conversation" }));
    expect(await page.title()).toContain("Landline");
    const data = ["api/me", "api/sessions", `api/sessions/${sessionId}`, "ws"];
    expect(await Promise.all(data.map((name) => isReached(page, home + name)))).toEqual(
      data.map(() => false),
    );
    gateway.mendLine();
    await loses(page.getByText(/^Offline/));
    await finds(page.getByRole("textbox", { name: "Message" }));

    const addresses = await keptAddresses(page);
    expect(addresses).toContain(home);
    expect(addresses.filter((url) => url !== home && !url.startsWith(`${home}assets/`))).toEqual(
      [],
    );
    const ofData = () => asked.filter((request) => request.url().startsWith(`${home}api/`));
    // The page authenticates first, which takes a moment.
    await comes(async () => ofData().length).toBeGreaterThan(0);
    const fetched = ofData();
    const answers = await Promise.all(fetched.map((request) => request.response()));
    expect(answers.filter((answer) => answer?.fromServiceWorker())).toEqual([]);
  },
);

test("without a cached page, the offline page is shown until the gateway is back", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway, { isCutOff: true });
  await kept(page);
  // As a browser does that needs space.
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name);
  });
  gateway.cutLine();
  await page.reload();
  await finds(page.getByRole("heading", { name: "The gateway can't be reached" }));
  gateway.mendLine();
  await presses(page.getByRole("link", { name: "Try now" }));
  await finds(page.getByText(/Landline runs coding agents/));
});

test("a new build is offered to every open tab and activated on demand", async () => {
  const gateway = await stage().gateway(work);
  // The connection is lost when the gateway changes.
  const page = await stage().page(gateway, { isCutOff: true });
  await kept(page);
  const before = await cacheNames(page);
  expect(before).toHaveLength(1);
  // The first page was loaded before the worker, the second through it.
  const second = await page.context().newPage();
  await second.goto(`${gateway.origin}/#/settings/about`);
  await finds(second.getByRole("heading", { level: 1 }));

  await using _next = await NextBuild.before(gateway, "next");
  gateway.network.cut();
  await finds(page.getByText(news));
  await finds(second.getByText(news));
  expect(await build(page)).toBeNull();
  // Both tabs are unchanged until a person accepts.
  expect(await cacheNames(page)).toHaveLength(2);

  for (const tab of [second, page]) {
    await presses(tab.getByRole("button", { name: "Reload" }));
    await comes(() => build(tab)).toBe("next");
    await loses(tab.getByText(news));
  }
  expect(second.url()).toBe(`${gateway.origin}/#/settings/about`);
  const after = await cacheNames(page);
  expect(after).toEqual([expect.stringMatching(/ next$/)]);
  gateway.cutLine();
  await page.reload();
  expect(await build(page)).toBe("next");
  await finds(page.getByText(/^Offline/));
});

test("a reload gets the new build, without an offer", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway, { isCutOff: true });
  await kept(page);
  await using _next = await NextBuild.before(gateway, "next");
  gateway.network.cut();
  await page.reload();
  expect(await build(page)).toBe("next");
  await comes(() => cacheNames(page)).toEqual([expect.stringMatching(/ next$/)]);
  expect(await page.getByText(news).count()).toBe(0);
});

interface Manifest {
  readonly name: string;
  readonly start_url: string;
  readonly scope: string;
  readonly display: string;
  readonly icons: readonly { src: string; sizes: string; type: string; purpose: string }[];
}

test.each(["", "/line"])(
  "below “%s”: the browser finds an app that it can install",
  async (basePath) => {
    const args = basePath === "" ? [] : ["--base-path", basePath];
    const gateway = await stage().gateway({ ...work, args });
    const home = `${gateway.origin}${basePath}/`;
    const page = await stage().page(gateway, { basePath });
    const browser = await page.context().newCDPSession(page);
    const found = await browser.send("Page.getAppManifest");
    expect(found.errors).toEqual([]);
    const manifest = JSON.parse(found.data ?? "") as Manifest;
    expect(manifest).toMatchObject({ name: "Landline", display: "standalone" });
    expect(new URL(manifest.start_url, found.url).href).toBe(home);
    expect(new URL(manifest.scope, found.url).href).toBe(home);
    // Two gateways under one host are two apps.
    expect(await browser.send("Page.getAppId")).toMatchObject({ appId: home });
    // Incognito browsers, as in tests, install nothing; there is no other error.
    const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);

    const pictures = manifest.icons.filter(({ sizes }) => sizes !== "any");
    const addresses = pictures.map(({ src }) => new URL(src, found.url).href);
    const drawn = await Promise.all(addresses.map((address) => pictureAt(page, address)));
    expect(drawn).toEqual(pictures.map(({ sizes, type }) => ({ sizes, type })));
    expect(pictures.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
      "192x192 any",
      "512x512 any",
      "512x512 maskable",
    ]);
  },
);
