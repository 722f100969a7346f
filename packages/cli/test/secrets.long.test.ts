import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Home } from "./landline.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home[Symbol.asyncDispose]());

/** All content of the data folder, as text. */
async function dataTexts(): Promise<Map<string, string>> {
  const entries = await readdir(home.data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async (entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [file, await readFile(file, "latin1")] as const;
  });
  return new Map(await Promise.all(texts));
}

async function filesWith(secret: string): Promise<string[]> {
  return [...(await dataTexts())].filter(([, text]) => text.includes(secret)).map(([file]) => file);
}

interface Client {
  json(method: string, address: string, body?: object): Promise<Record<string, unknown>>;
  text(address: string): Promise<string>;
}

function clientOf(url: string, token: string): Client {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    json: async (method, address, body) => {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await (await fetch(url + address, init)).json()) as Record<string, unknown>;
    },
    text: async (address) =>
      (await fetch(url + address, { headers: { ...headers, accept: "application/json" } })).text(),
  };
}

it("no file of the data folder contains a token, neither the gateway's nor a device's", async () => {
  const { token } = await home.serve();
  const made = JSON.parse((await home.landline("token", "new", "phone", "--json")).stdout) as {
    token: string;
  };
  await home.landline("run", "hello");
  await home.landline("token", "url");
  for (const secret of [token, made.token]) expect(await filesWith(secret)).toEqual([]);
  expect(await home.gatewayFile()).not.toHaveProperty("token");
});

it("the command line connects by a socket that only the user can open", async () => {
  await home.serve();
  const { socket } = (await home.gatewayFile()) as { socket: string };
  expect((await stat(socket)).isSocket()).toBe(true);
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  expect((await home.landline("run", "hello")).stdout).toContain("Hello yourself.");
  expect((await home.landline("sessions")).code).toBe(0);
});

it("also if the path of the data folder is too long for a socket", async () => {
  const data = path.join(home.folder, "d".repeat(120));
  const running = home.start(["serve", "--json", "--data", data]);
  await running.printed("stdout", "\n");
  expect((await home.landline("sessions", "--data", data)).code).toBe(0);
  const file = await readFile(path.join(data, "gateway.json"), "utf8");
  const { socket } = JSON.parse(file) as { socket: string };
  running.child.kill("SIGTERM");
  await running.ended;
  await expect(stat(path.dirname(socket))).rejects.toThrow("ENOENT");
});

it("a start that writes to a file or a log prints no token; one at a terminal does", async () => {
  const running = home.start(["serve"]);
  const text = await running.printed("stdout", "Ctrl-C");
  expect(text).toContain("landline token url");
  expect(text + running.stderr).not.toMatch(/token=|ll_/);
  running.child.kill("SIGTERM");
  await running.ended;

  const bin = path.join(import.meta.dirname, "../bin/landline.js");
  const child = spawn(
    "/usr/bin/script",
    ["-qefc", `${process.execPath} ${bin} serve`, "/dev/null"],
    {
      cwd: home.folder,
      env: home.environment,
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  while (!shown.includes("Press Ctrl-C to stop it.")) await once(child.stdout, "data");
  expect(shown).toMatch(/token=ll_[\w-]{43}/);
  child.stdin.write("\u0003");
  await once(child, "close");
});

it("an earlier link still works after a restart", async () => {
  const first = await home.serve();
  first.running.child.kill("SIGKILL");
  await first.running.ended;
  const second = await home.serve();
  const status = async (token: string) =>
    (await fetch(`${second.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status(first.token), await status(second.token)]).toEqual([200, 200]);
  expect(second.token).not.toBe(first.token);
});

it("a token that an agent sends, prints in a terminal or was prompted with is never shown", async () => {
  const scenario = {
    about: "Shows a token in every way.",
    turns: [
      {
        match: "print",
        steps: [
          {
            createTerminal: {
              command:
                "cat token.txt; cat token.txt | head -c 20; sleep 0.3; tail -c +21 token.txt",
            },
          },
          { waitForExit: {} },
          { terminalOutput: { save: "output" } },
          { say: "It printed: {{output}}" },
        ],
      },
      { steps: [{ say: "You said: {{prompt}}" }] },
    ],
  };
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
  const { url, token, running } = await home.serve("--log-level", "debug", "--trace");
  await writeFile(home.path("token.txt"), `the link:\n${token}\n`);
  const client = clientOf(url, token);
  const { sessionId } = await client.json("POST", "/api/sessions", {
    agent: "scripted",
    cwd: home.folder,
  });
  const at = `/api/sessions/${String(sessionId)}`;
  for (const content of [`my token is ${token}.`, "print"]) {
    const before = (await client.json("GET", at))["head"];
    await client.json("POST", `${at}/prompts`, { content });
    const isDone = async () => {
      const { head, state } = await client.json("GET", at);
      return state === "idle" && Number(head) > Number(before) + 2;
    };
    await expect.poll(isDone).toBe(true);
  }
  const { token: watcher } = (await client.json("POST", "/api/devices", {
    name: "TV",
    role: "watch",
  })) as { token: string };
  const watch = clientOf(url, watcher);
  const events = await watch.text(`${at}/events`);
  expect(events).toContain("It printed: ");
  expect(events).toContain("my token is ll_[masked].");
  const seen = [
    events,
    await watch.text(at),
    ...(await Promise.all(
      ["json", "markdown", "html"].map((format) => watch.text(`${at}/export?format=${format}`)),
    )),
    await watch.text("/api/audit"),
    await client.text(`${at}/trace`),
    await watch.text("/api/sessions"),
    running.stderr,
  ];
  for (const text of seen) {
    expect(text).not.toContain(token);
    // Neither half of it: it was printed in two pieces.
    expect(text).not.toContain(token.slice(25));
  }
  expect(await filesWith(token)).toEqual([]);
});

it("a token that an agent sends character by character is never shown", async () => {
  const said = "{{prompt}}";
  const scenario = {
    about: "Repeats the prompt, one character at a time.",
    turns: [
      {
        steps: [
          { hear: { text: "sent: {{prompt}}", chunkChars: 1 } },
          { think: { text: said, chunkChars: 1, messageId: "thought" } },
          { say: { text: said, chunkChars: 1 } },
          { tool: { toolCallId: "1", title: "Look", status: "completed" } },
          { say: { text: "{{prompt}} ll_rw", chunkChars: 3 } },
        ],
      },
    ],
  };
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
  const { url, token } = await home.serve();
  const client = clientOf(url, token);
  const { sessionId } = await client.json("POST", "/api/sessions", {
    agent: "scripted",
    cwd: home.folder,
  });
  const at = `/api/sessions/${String(sessionId)}`;
  const watcher = await client.json("POST", "/api/devices", { name: "TV", role: "watch" });
  const watch = clientOf(url, String(watcher["token"]));
  await client.json("POST", `${at}/prompts`, { content: `call_id, all: ${token}, null_` });
  const page = () => watch.text(`${at}/events?limit=1000`);
  await expect.poll(page).toContain("turn-ended");
  const { events } = JSON.parse(await page()) as {
    events: { update?: { sessionUpdate: string; content?: { text: string } } }[];
  };
  const joined = Map.groupBy(events, ({ update }) => update?.sessionUpdate);
  const textOf = (kind: string) =>
    joined.get(kind)?.reduce((all, { update }) => all + (update?.content?.text ?? ""), "");
  const shown = "call_id, all: ll_[masked], null_";
  expect(textOf("user_message_chunk")).toBe(`sent: ${shown}`);
  expect(textOf("agent_thought_chunk")).toBe(shown);
  expect(textOf("agent_message_chunk")).toBe(`${shown}${shown} ll_rw`);
  const seen = [
    await watch.text(at),
    ...(await Promise.all(
      ["json", "markdown", "html"].map((format) => watch.text(`${at}/export?format=${format}`)),
    )),
  ];
  for (const text of seen) expect(text).not.toContain(token.slice(10, 20));
  expect(await filesWith(token.slice(10, 20))).toEqual([]);
});

it("creating and revoking tokens is in the audit, for admins", async () => {
  const { url, token } = await home.serve();
  const admin = clientOf(url, token);
  const { id } = await admin.json("POST", "/api/devices", { name: "TV", role: "watch" });
  await home.landline("token", "revoke", String(id));
  const made = await home.landline("token", "new", "phone", "--json");
  const phone = JSON.parse(made.stdout) as { id: string };
  const { clientId } = await admin.json("GET", "/api/me");
  const { entries } = (await admin.json("GET", "/api/audit")) as { entries: object[] };
  expect(entries).toMatchObject([
    { what: "token-made", detail: { id: clientId, role: "admin", by: "command-line" } },
    { what: "token-made", detail: { id, name: "TV", role: "watch", by: clientId } },
    { what: "token-revoked", detail: { id, name: "TV", by: "command-line" } },
    { what: "token-made", detail: { id: phone.id, name: "phone", by: "command-line" } },
  ]);
  const paged: object[] = [];
  let after = "";
  do {
    const query = after === "" ? "?limit=1" : `?limit=1&after=${after}`;
    const page = (await admin.json("GET", `/api/audit${query}`)) as {
      entries: object[];
      nextCursor: string | null;
    };
    paged.push(...page.entries);
    after = page.nextCursor ?? "";
  } while (after !== "");
  expect(paged).toEqual(entries);
  const other = JSON.parse((await home.landline("token", "new", "x", "--json")).stdout) as {
    id: string;
    token: string;
  };
  // The gateway reads the file again after a delay. Until then, a new token would count as wrong.
  await expect.poll(() => admin.text("/api/devices")).toContain(JSON.stringify(other.id));
  expect(await clientOf(url, other.token).text("/api/audit")).toContain("entries");
  expect(await clientOf(url, other.token).text("/api/audit")).not.toContain("token-made");
});
