import * as fs from "node:fs/promises";
import * as path from "node:path";
import { limitsOf, type LimitName } from "@landline/protocol";
import { expect, test } from "vitest";
import { turn, Watcher } from "../sessions/scripted-gateway.ts";
import { inGateway, opened } from "../sessions/marked-gateway.ts";
import { ask, openByHttp } from "./http.ts";

/** Seed 003's table of sizes. */
const sizes: readonly (readonly [string, LimitName, number])[] = [
  ["initialize", "initializeBytes", 10_000],
  ["session/new", "sessionNewBytes", 50_000],
  ["session/prompt", "promptBytes", 1_000_000],
  ["session/update", "updateBytes", 100_000],
  ["fs/*", "fileBytes", 10_000_000],
];

test.each(sizes)("%s: %s is the seed's", (_method, name, bytes) => {
  expect(limitsOf("spec")[name]).toBe(bytes);
});

const spec = { profile: "spec" } as const;
const errors = (watcher: Watcher) => watcher.events.filter(({ kind }) => kind === "error");

test.concurrent("initialize: the gateway's message is far smaller", async () => {
  const steps = [{ say: "params {{client}}" }];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      expect(watcher.said).toContain('"protocolVersion":1');
      expect(watcher.said.length).toBeLessThan(5_000);
    },
    spec,
  );
});

/** MCP servers of about this size. */
const servers = (bytes: number) => [
  { name: "large", command: "true", args: Array(2).fill("x".repeat(bytes / 2)), env: [] },
];

test.concurrent("session/new: a larger one is refused, and leaves nothing behind", async () => {
  await inGateway(
    { agent: {} },
    async (gateway) => {
      const body = { agent: "agent", cwd: gateway.project };
      const refused = await ask(gateway, "POST", "/sessions", {
        ...body,
        mcpServers: servers(50_000),
      });
      expect(refused).toMatchObject({ status: 413, json: { code: "message-too-large" } });
      expect((await gateway.sessions.list({})).sessions).toEqual([]);
      const taken = await ask(gateway, "POST", "/sessions", {
        ...body,
        mcpServers: servers(49_000),
      });
      expect(taken.status).toBe(201);
    },
    spec,
  );
});

test.concurrent("session/new: by default it is passed on and noted", async () => {
  await inGateway({ agent: {} }, async (gateway) => {
    const id = await openByHttp(gateway, { mcpServers: servers(50_000) });
    using watcher = new Watcher(await gateway.sessions.get(id));
    expect(await watcher.until("error")).toMatchObject({ code: "message-too-large" });
    await watcher.until("agent-started");
  });
});

test.concurrent("session/prompt: a larger one is refused, new or changed", async () => {
  await inGateway(
    { agent: { turns: [{ steps: [], end: "never" }] } },
    async (gateway) => {
      const id = await openByHttp(gateway);
      const prompts = `/sessions/${id}/prompts`;
      const post = (length: number) =>
        ask(gateway, "POST", prompts, { promptId: `p${length}`, content: "x".repeat(length) });
      const refused = { status: 413, json: { code: "message-too-large" } };
      expect(await post(1_000_000)).toMatchObject(refused);
      expect((await post(990_000)).status).toBe(202);
      expect((await post(2)).status).toBe(202);
      const content = "x".repeat(1_000_000);
      expect(await ask(gateway, "PATCH", `${prompts}/p2`, { content })).toMatchObject(refused);
      const session = await gateway.sessions.get(id);
      using watcher = new Watcher(session);
      await watcher.until("turn-started");
      expect(errors(watcher)).toEqual([]);
      expect((await session.view()).queue).toMatchObject([{ content: [{ text: "xx" }] }]);
    },
    spec,
  );
});

test.concurrent("session/prompt: by default it is passed on and noted once", async () => {
  await inGateway({ agent: { turns: [{ steps: [{ say: "read" }] }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    for (const letter of ["x", "y"])
      expect(await turn(session, watcher, letter.repeat(1_000_000))).toMatchObject({
        stopReason: "end_turn",
      });
    expect(watcher.said).toBe("readread");
    expect(errors(watcher)).toMatchObject([{ code: "message-too-large" }]);
  });
});

test.concurrent("session/update: a larger one is passed on, and each is marked", async () => {
  const steps = [
    { oversized: { bytes: 99_000 } },
    { oversized: { bytes: 110_000 } },
    { oversized: { bytes: 120_000 } },
  ];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "go");
      expect(watcher.kinds.filter((kind) => kind === "update" || kind === "error")).toEqual([
        "update",
        "update",
        "error",
        "update",
        "error",
      ]);
      expect(watcher.said.length).toBeGreaterThan(320_000);
      expect(errors(watcher)).toMatchObject([
        { code: "message-too-large" },
        { code: "message-too-large" },
      ]);
    },
    spec,
  );
});

test.concurrent("fs/*: ten million bytes are read and written, and not one more", async () => {
  const refused = {
    expect: { error: { code: -31702, data: { reason: "file-too-large", code: -31702 } } },
  };
  const steps = [
    { readFile: { path: "{{cwd}}/more.txt", ...refused } },
    { readFile: { path: "{{cwd}}/most.txt", save: "most" } },
    { writeFile: { path: "{{cwd}}/copy.txt", content: "{{most.content}}" } },
    { writeFile: { path: "{{cwd}}/new.txt", content: "{{most.content}}x", ...refused } },
  ];
  await inGateway(
    { agent: { turns: [{ steps }] } },
    async (gateway) => {
      const at = (name: string) => path.join(gateway.project, name);
      await fs.writeFile(at("most.txt"), "x".repeat(10_000_000));
      await fs.writeFile(at("more.txt"), "x".repeat(10_000_001));
      const { session, watcher } = await opened(gateway);
      const ended = await turn(session, watcher, "go");
      expect(ended.error).toBeUndefined();
      expect((await fs.readdir(gateway.project)).sort()).toEqual([
        "copy.txt",
        "more.txt",
        "most.txt",
      ]);
      expect((await fs.stat(at("copy.txt"))).size).toBe(10_000_000);
    },
    spec,
  );
});
