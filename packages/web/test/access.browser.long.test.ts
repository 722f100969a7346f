import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { comes, useStage } from "./browser-setup.ts";
import { dot } from "./files.ts";
import { scenario } from "./gateway.ts";
import { field, finds, presses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

function storedTexts(): string {
  return JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]);
}

/** Another server on this host, which stores all requests and tries to use them. */
class Neighbour implements AsyncDisposable {
  readonly asked: IncomingMessage[] = [];
  readonly #server = createServer((request, response) => {
    this.asked.push(request);
    response.setHeader("content-type", "text/html");
    response.end("<title>Neighbour</title><script>document.title = 'Neighbour runs'</script>");
  });

  static async open(): Promise<Neighbour> {
    const neighbour = new Neighbour();
    neighbour.#server.listen(0, "127.0.0.1");
    await once(neighbour.#server, "listening");
    return neighbour;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** All that scripts of an origin can read, and what the gateway answers them. */
async function loot(page: Page, gateway: string) {
  return page.evaluate(async (address) => {
    const answers: unknown[] = [];
    for (const path of ["/api/me", "/access/keys", "/api/sessions"]) {
      for (const credentials of ["include", "same-origin"] as const) {
        const method = path === "/access/keys" ? "POST" : "GET";
        const answer = await fetch(address + path, { method, credentials, mode: "cors" }).then(
          (reply) => reply.status,
          () => "refused",
        );
        answers.push(answer);
      }
    }
    const socket = new WebSocket(`${address.replace("http", "ws")}/ws`, ["landline.v1"]);
    const opened = await new Promise((resolve) => {
      socket.addEventListener("open", () => resolve(true));
      socket.addEventListener("error", () => resolve(false));
    });
    return {
      answers,
      opened,
      cookie: document.cookie,
      stored: Object.entries(localStorage).concat(Object.entries(sessionStorage)),
      databases: await indexedDB.databases(),
      referrer: document.referrer,
    };
  }, gateway);
}

test("a server on another port of the same host receives nothing of use", async () => {
  await using neighbour = await Neighbour.open();
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway);
  await finds(page.getByText(/Landline runs coding agents/));
  // The token is in no URL, cookie or text storage.
  expect(page.url()).not.toContain("token");
  expect(await page.context().cookies()).toEqual([]);
  const stored = await page.evaluate(storedTexts);
  expect(stored).not.toContain(gateway.token);
  expect(stored).not.toMatch(/ll_/);

  // Opened from the gateway's page, as by a link in a message.
  const next = await page.context().newPage();
  await next.goto(`${neighbour.origin}/page`);
  const found = await loot(next, gateway.origin);
  expect(found.answers.every((answer) => answer === "refused" || answer === 401)).toBe(true);
  expect(found).toMatchObject({ opened: false, cookie: "", stored: [], databases: [] });
  await page.evaluate((url) => void (location.href = url), `${neighbour.origin}/from-the-page`);
  await page.waitForURL(/from-the-page/);
  for (const { headers, url } of neighbour.asked) {
    expect(headers.cookie).toBeUndefined();
    expect(headers.authorization).toBeUndefined();
    expect(headers.referer ?? "").not.toContain("token");
    expect(`${url} ${JSON.stringify(headers)}`).not.toContain(gateway.token);
  }
  expect(neighbour.asked.length).toBeGreaterThanOrEqual(2);
  // Errors from the attempts of the other server.
  stage().complaints.length = 0;
});

test("the key can't be read from the browser, and authenticates the page after a reload, in a new tab and after a restart", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await say(page, "hello there");
  await sees(page, "You said: hello there");
  const kept = await page.evaluate(async () => {
    const opening = indexedDB.open("landline-access");
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    const store = opening.result.transaction("keys").objectStore("keys");
    const asked = store.getAll();
    await new Promise((resolve) => asked.addEventListener("success", resolve));
    opening.result.close();
    const keys = asked.result as { keyId: string; privateKey?: CryptoKey; secret?: string }[];
    return keys.map(({ privateKey, secret }) => ({ isOut: privateKey?.extractable, secret }));
  });
  expect(kept).toEqual([{ isOut: false, secret: undefined }]);

  await page.reload();
  await sees(page, "You said: hello there");
  const tab = await page.context().newPage();
  await tab.goto(`${gateway.origin}/#/s/${sessionId}`);
  await sees(tab, "You said: hello there");
  await gateway.end("SIGKILL");
  await gateway.start();
  await say(page, "and again");
  await sees(page, "You said: and again");
  await sees(tab, "You said: and again");
  expect(await page.context().cookies()).toEqual([]);
});

test("an export is downloaded after a reload, with a URL that is useless afterwards", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "hello there");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, "You said: hello there");
  await page.reload();
  await sees(page, "You said: hello there");
  const arriving = page.waitForEvent("download");
  await presses(page.getByRole("button", { name: "Conversation menu" }));
  await presses(page.getByRole("menuitem", { name: "JSON", exact: true }));
  const download = await arriving;
  expect(await readFile(await download.path(), "utf8")).toContain("hello there");
  expect(download.url()).not.toContain(gateway.token);
  expect((await fetch(download.url())).status).toBe(401);
});

test("an image that is stored as a blob is shown, even after a reload", async () => {
  const agents = { scripted: scenario("files") };
  const gateway = await stage().gateway({ agents, limits: { blobBytes: 64 } });
  const sessionId = await gateway.open();
  const content = [{ type: "image", mimeType: "image/png", data: dot }];
  await gateway.call("POST", `/api/sessions/${sessionId}/prompts`, { content });
  await gateway.until(sessionId, ({ head, turn }) => head > 5 && turn.state === "idle");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await finds(page.getByRole("button", { name: "Show image" }));
  await page.reload();
  await presses(page.getByRole("button", { name: "Show image" }).first());
  const image = thread(page).getByRole("img").first();
  await finds(image);
  expect(await image.getAttribute("src")).toMatch(/^(?:blob|data):/);
  expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
});

test("the service worker serves the page, and the page authenticates with its key when the gateway is back", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}`, isCutOff: true });
  await finds(field(page));
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  gateway.cutLine();
  await page.reload();
  await finds(page.getByText(/^Offline\. Trying again/));
  gateway.mendLine();
  await say(page, "hello there");
  await sees(page, "You said: hello there");
});

test("a reload during authentication does not lock the page out", async () => {
  const gateway = await stage().gateway(work);
  const first = await stage().page(gateway);
  const context = await first.context().browser()!.newContext();
  try {
    const page = await context.newPage();
    // The page reloads itself, each time a little later in its start.
    await page.addInitScript(() => {
      const count = Number(sessionStorage.getItem("reloads") ?? "0");
      if (count === 4) return;
      sessionStorage.setItem("reloads", String(count + 1));
      setTimeout(() => location.reload(), count * 40);
    });
    await page.goto(`${gateway.origin}/#token=${gateway.token}`, { waitUntil: "commit" });
    const reloads = () => page.evaluate(() => sessionStorage.getItem("reloads"));
    await comes(() => reloads().catch(() => null)).toBe("4");
    await finds(page.getByText(/Landline runs coding agents/));
    expect(await page.evaluate(storedTexts)).not.toContain(gateway.token);
  } finally {
    await context.close();
  }
});

test("an old link with the token in its query still works and leaves no cookie", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway);
  const context = page.context();
  const other = await context.newPage();
  await other.goto(`${gateway.origin}/?token=${gateway.token}`);
  await finds(other.getByText(/Landline runs coding agents/));
  expect(other.url()).toBe(`${gateway.origin}/`);
  expect(await context.cookies()).toEqual([]);
});

test("a browser that an earlier version authenticated stays signed in and loses its cookie", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway);
  await finds(page.getByText(/Landline runs coding agents/));
  // The state that the earlier version left.
  await page.evaluate(async () => {
    const deleted = indexedDB.deleteDatabase("landline-access");
    await new Promise((resolve) => deleted.addEventListener("success", resolve));
  });
  await page.context().addCookies([
    {
      name: `landline_${gateway.network.port}`,
      value: gateway.token,
      domain: "127.0.0.1",
      path: "/",
      httpOnly: true,
      sameSite: "Strict",
    },
  ]);
  // The page reloads once just before it stores its key; it still has the cookie then.
  await page.addInitScript(() => {
    if (sessionStorage.getItem("reloaded") !== null) return;
    IDBObjectStore.prototype.put = () => {
      sessionStorage.setItem("reloaded", "yes");
      location.reload();
      return new EventTarget() as IDBRequest<IDBValidKey>;
    };
  });
  await page.goto(`${gateway.origin}/`);
  await comes(() => page.evaluate(() => sessionStorage.getItem("reloaded")).catch(() => null)).toBe(
    "yes",
  );
  await finds(page.getByText(/Landline runs coding agents/));
  expect(await page.context().cookies()).toEqual([]);
});

test("without Web Crypto the page gets a secret of its own and authenticates with it after a reload", async () => {
  const gateway = await stage().gateway(work);
  const page = await stage().page(gateway);
  await finds(page.getByText(/Landline runs coding agents/));
  const context = await page.context().browser()?.newContext();
  if (!context) throw new Error("There is no browser.");
  // As over plain HTTP from another machine.
  await context.addInitScript(() => {
    Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined });
  });
  const far = await context.newPage();
  await far.goto(`${gateway.origin}/#token=${gateway.token}`);
  await finds(far.getByText(/Landline runs coding agents/));
  await far.goto(`${gateway.origin}/`);
  await far.reload();
  await finds(far.getByText(/Landline runs coding agents/));
  expect(await context.cookies()).toEqual([]);
  await context.close();
});
