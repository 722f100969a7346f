import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { isPublicAddress } from "@landline/sandbox/public-address";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { info as textModel } from "../../test/core/session-fixture.ts";
import { openToolContext, type ToolContextFixture } from "../../test/tools/tool-context-fixture.ts";
import { fetchLimits } from "../limits.ts";
import { patternOf, PermissionRefused } from "../permission/rule.ts";
import { bareAddress, isPrivateName } from "./private-address.ts";
import type { ToolFailure } from "./tool.ts";
import { createWebfetchTool, PRIVATE } from "./webfetch.ts";

let rig: ToolContextFixture;
let server: Server;
let origin: string;
let handlers: Record<string, RequestListener>;
let requested: string[];

beforeEach(async () => {
  rig = await openToolContext();
  handlers = {};
  requested = [];
  server = createServer((request, response) => {
    requested.push(`${request.headers.host}${request.url}`);
    const handler = handlers[new URL(request.url ?? "", "http://x").pathname];
    if (handler) handler(request, response);
    else response.writeHead(404, { "content-type": "text/plain" }).end("not here");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${port()}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await rig[Symbol.asyncDispose]();
});

const port = () => (server.address() as AddressInfo).port;
const seeing = { ...textModel, takes: { image: true, audio: false, document: true } };

/** Host names that resolve to the server of the test. */
const resolve = (hostname: string) =>
  hostname.endsWith(".example")
    ? Promise.resolve([{ address: "127.0.0.1", family: 4 }])
    : Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));

function fetchPage(
  url: string,
  more: { format?: string; timeout?: number } = {},
  info = textModel,
) {
  const tool = createWebfetchTool(info, resolve);
  return tool.run(tool.input.parse({ url, ...more }), rig.context);
}
const failureOf = (result: Promise<unknown>) =>
  result.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error as ToolFailure,
  );
const serve =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { "content-type": type, ...headers }).end(body);
const redirect =
  (location: string, status = 302): RequestListener =>
  (_, response) =>
    response.writeHead(status, { location }).end("moved");

const html = `<html><head><style>p{}</style><script>alert(1)</script></head><body>
  <h1>Title</h1><p>Some <b>bold</b> words and <a href="../next?a=1">a link</a>.</p>
  <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`;

describe("a page", () => {
  it("is returned as Markdown, as text or unchanged", async () => {
    handlers["/a/page"] = serve("text/html; charset=utf-8", html);
    const markdown = await fetchPage(`${origin}/a/page#part`);
    expect(markdown.output).toContain("# Title");
    expect(markdown.output).toContain(`Some **bold** words and [a link](${origin}/next?a=1).`);
    expect(markdown.output).toContain("| A | B |\n| --- | --- |\n| 1 | 2 |");
    expect(markdown.output).not.toMatch(/alert|p\{\}/);
    expect(markdown.metadata).toMatchObject({ status: 200, mimeType: "text/html" });
    const text = await fetchPage(`${origin}/a/page`, { format: "text" });
    expect(text.output).toContain("Title\n\nSome bold words and a link.");
    expect((await fetchPage(`${origin}/a/page`, { format: "html" })).output).toBe(html);
  });

  it.each(["application/json", "text/plain", "application/ld+json", "text/markdown", ""])(
    "of type %j is returned unchanged",
    async (type) => {
      handlers["/a"] = serve(type, '{"a": "<b>"}');
      expect((await fetchPage(`${origin}/a`)).output).toBe('{"a": "<b>"}');
    },
  );

  it("is decompressed", async () => {
    handlers["/gzip"] = serve("text/plain", gzipSync("packed"), { "content-encoding": "gzip" });
    handlers["/br"] = serve("text/plain", brotliCompressSync("packed"), {
      "content-encoding": "br",
    });
    handlers["/odd"] = serve("text/plain", "?", { "content-encoding": "odd" });
    handlers["/torn"] = serve("text/plain", "no gzip", { "content-encoding": "gzip" });
    expect((await fetchPage(`${origin}/gzip`)).output).toBe("packed");
    expect((await fetchPage(`${origin}/br`)).output).toBe("packed");
    expect((await failureOf(fetchPage(`${origin}/odd`))).message).toMatch(/content encoding odd/);
    expect((await failureOf(fetchPage(`${origin}/torn`))).message).toMatch(/can't be fetched/);
  });

  it("is decoded with its own charset", async () => {
    const latin = Buffer.from("caf\u00E9", "latin1");
    handlers["/header"] = serve("text/plain; charset=ISO-8859-1", latin);
    handlers["/meta"] = serve(
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="latin1">'), latin]),
    );
    handlers["/unknown"] = serve("text/plain; charset=klingon", "é");
    expect((await fetchPage(`${origin}/header`)).output).toBe("café");
    expect((await fetchPage(`${origin}/meta`)).output).toBe("café");
    expect((await fetchPage(`${origin}/unknown`)).output).toBe("é");
  });

  it("that is empty says so", async () => {
    handlers["/"] = serve("text/plain", "");
    expect((await fetchPage(origin)).output).toBe("(The page is empty.)");
  });

  it("that is an image or a document is attached if the model can read it", async () => {
    handlers["/a.png"] = serve("image/png", Buffer.from([1, 2, 3]));
    handlers["/a.pdf"] = serve("application/pdf", "%PDF-");
    const picture = await fetchPage(`${origin}/a.png`, {}, seeing);
    expect(picture.attachments).toEqual([{ mimeType: "image/png", data: "AQID", name: "a.png" }]);
    expect(picture.content).toMatchObject([{ content: { type: "image", data: "AQID" } }]);
    const pdf = await fetchPage(`${origin}/a.pdf`, {}, seeing);
    expect(pdf.attachments).toMatchObject([{ mimeType: "application/pdf" }]);
    const blind = await failureOf(fetchPage(`${origin}/a.png`));
    expect(blind).toMatchObject({ reason: "binary-file" });
    expect(blind.message).toMatch(/Test Model can't look at those/);
  });
});

describe("a page that cannot be read", () => {
  it("is reported with the server's answer", async () => {
    const failure = await failureOf(fetchPage(`${origin}/missing`));
    expect(failure.message).toBe(`${origin}/missing answers 404 Not Found.\n\nnot here`);
  });

  it("is refused if it is too large, even after decompression", async () => {
    const large = Buffer.alloc(fetchLimits.bodyBytes + 1, "a");
    handlers["/told"] = serve("text/plain", large);
    handlers["/packed"] = serve("text/plain", gzipSync(large), { "content-encoding": "gzip" });
    handlers["/endless"] = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(large));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    for (const path of ["/told", "/packed", "/endless"]) {
      expect(await failureOf(fetchPage(origin + path))).toMatchObject({ reason: "file-too-large" });
    }
  });

  it("is refused if it is not text", async () => {
    handlers["/zip"] = serve("application/zip", "PK");
    handlers["/bytes"] = serve("text/plain", Buffer.from([65, 0, 66]));
    for (const path of ["/zip", "/bytes"]) {
      expect(await failureOf(fetchPage(origin + path))).toMatchObject({ reason: "binary-file" });
    }
  });

  it("fails after the timeout", async () => {
    handlers["/silent"] = () => undefined;
    handlers["/slow"] = (_, response) => void response.writeHead(200).write("a");
    for (const path of ["/silent", "/slow"]) {
      const failure = await failureOf(fetchPage(origin + path, { timeout: 1 }));
      expect(failure).toMatchObject({ reason: "tool-timeout" });
    }
  });

  it("ends with the turn", async () => {
    handlers["/silent"] = () => rig.controller.abort(new Error("stopped"));
    expect((await failureOf(fetchPage(`${origin}/silent`))).message).toBe("stopped");
  });

  it("has a host that does not exist", async () => {
    const nobody = await failureOf(fetchPage("http://nowhere.invalid/"));
    expect(nobody.message).toMatch(/no such host/);
    const free = createServer();
    await new Promise<void>((listening) => free.listen(0, "127.0.0.1", listening));
    const unused = (free.address() as AddressInfo).port;
    await new Promise((closed) => free.close(closed));
    const closedPort = await failureOf(fetchPage(`http://127.0.0.1:${unused}/`));
    expect(closedPort.message).toMatch(/nothing answers at that port/);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://a.example/",
    "data:text/plain,a",
    "page",
    "http://",
    "http://me:pw@a.example/",
  ])("has an address like %s", async (url) => {
    expect(await failureOf(fetchPage(url))).toMatchObject({ reason: "invalid-input" });
    expect(rig.asked).toEqual([]);
  });
});

describe("permission", () => {
  it("is requested before anything is sent: for the page, and with “always” for its site", async () => {
    rig.decide = () => Promise.reject(new PermissionRefused("person", "no"));
    await expect(fetchPage("https://site.example/a?b#c")).rejects.toThrow("no");
    expect(rig.asked).toMatchObject([
      {
        permission: "webfetch",
        patterns: ["https://site.example/a?b"],
        always: ["https://site.example/*"],
        view: { title: "Fetch https://site.example/a?b" },
      },
    ]);
    expect(requested).toEqual([]);
  });

  it("names a local address, so that a rule for a site does not allow it", async () => {
    handlers["/"] = serve("text/plain", "a");
    await fetchPage(origin);
    expect(rig.asked).toMatchObject([
      {
        patterns: [`${origin}/`, `${PRIVATE}${origin}/`],
        always: [`${origin}/*`, `${PRIVATE}${origin}/*`],
        view: {
          title: expect.stringContaining("on the agent’s machine or in its network") as string,
        },
      },
    ]);
  });

  it("is requested again for a name that resolves to a private address", async () => {
    const site = `http://site.example:${port()}`;
    rig.decide = ({ patterns }) => {
      if (patterns.map(patternOf)[0]?.startsWith(PRIVATE))
        throw new PermissionRefused("person", "no");
    };
    await expect(fetchPage(site)).rejects.toThrow("no");
    expect(rig.asked.map(({ patterns }) => patterns)).toEqual([
      [`${site}/`],
      [`${PRIVATE}${site}/`],
    ]);
    expect(rig.asked[1]?.view?.title).toContain("127.0.0.1");
    // A client that allowed the name has not allowed the address.
    expect(rig.asked.map(({ input }) => input)).toEqual([
      { url: `${site}/` },
      { url: `http://127.0.0.1:${port()}/` },
    ]);
    expect(requested).toEqual([]);
  });

  it("is requested again when a page redirects to another site, and not within one", async () => {
    const one = `http://one.example:${port()}`;
    const two = `http://two.example:${port()}`;
    handlers["/start"] = redirect("/moved");
    handlers["/moved"] = redirect(`${two}/end`, 308);
    handlers["/end"] = serve("text/plain", "arrived");
    const result = await fetchPage(`${one}/start`);
    const asked = rig.asked.filter(
      ({ patterns }) => !patterns.map(patternOf)[0]?.startsWith(PRIVATE),
    );
    expect(asked.map(({ patterns }) => patterns)).toEqual([[`${one}/start`], [`${two}/end`]]);
    expect(asked[1]?.view?.title).toContain(`(redirected from ${one}/moved)`);
    expect(asked[1]?.input).toEqual({ url: `${two}/end` });
    expect(result.output).toBe(
      `(${one}/start redirects to ${one}/moved redirects to ${two}/end)\n\narrived`,
    );
    expect(result.metadata).toMatchObject({ url: `${two}/end` });
  });

  it("a refused redirect is not followed", async () => {
    const one = `http://one.example:${port()}`;
    handlers["/"] = redirect(`${origin}/secret`);
    handlers["/secret"] = serve("text/plain", "secret");
    rig.decide = ({ patterns }) => {
      if (patterns.includes(`${origin}/secret`)) throw new PermissionRefused("person", "no");
    };
    await expect(fetchPage(one)).rejects.toThrow("no");
    expect(requested.join()).not.toContain("secret");
  });

  it("does not help with endless redirects, or redirects to something that is not a page", async () => {
    handlers["/loop"] = redirect("/loop");
    handlers["/file"] = redirect("file:///etc/passwd");
    expect((await failureOf(fetchPage(`${origin}/loop`))).message).toMatch(/redirects more than/);
    expect(requested).toHaveLength(fetchLimits.redirects + 1);
    expect(await failureOf(fetchPage(`${origin}/file`))).toMatchObject({ reason: "invalid-input" });
  });
});

describe("private addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "100.64.1.1",
  ])("%s is private", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each([
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "ff02::1",
    "what",
  ])("%s is private", (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(["8.8.8.8", "172.32.0.1", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"])(
    "%s is not private",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it("names of local hosts are private, in any spelling", () => {
    const hostOf = (url: string) => new URL(url).hostname;
    for (const url of [
      "http://localhost/",
      "http://LOCALHOST./",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://[::1]/",
      "http://printer/",
      "http://a.internal/",
    ]) {
      expect(isPrivateName(hostOf(url))).toBe(true);
    }
    for (const url of ["https://example.com/", "http://8.8.8.8/", "http://[2606:4700::1111]/"]) {
      expect(isPrivateName(hostOf(url))).toBe(false);
    }
    expect(bareAddress("[::1]")).toBe("::1");
  });
});
