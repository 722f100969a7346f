import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { SessionView } from "@landline/protocol";
import { expect, test } from "vitest";
import { transports } from "./transports.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { until } from "./until.ts";

const scenario = {
  turns: [
    { match: "ask", steps: [{ permission: { toolCall: { toolCallId: "c", title: "rm" } } }] },
    { match: "/./", steps: [{ say: "Hello." }] },
  ],
};

type Shown = { readonly state: string; readonly view: SessionView };

async function prompt(gateway: GatewayProcess, id: string, content: string): Promise<void> {
  await gateway.json("POST", `/api/sessions/${id}/prompts`, { content });
}

async function logged(gateway: GatewayProcess, id: string, kind: string): Promise<void> {
  await until(`${kind} is in the log`, async () =>
    (await gateway.logEvents(id)).some((event) => event.kind === kind),
  );
}

/** All files below a folder, with their content. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return [file, await fs.readFile(file, "utf8")];
      }),
    ),
  );
}

async function readAll(gateway: GatewayProcess, id: string): Promise<void> {
  const session = `/api/sessions/${id}`;
  const addresses = [
    "/api/sessions",
    "/api/search?q=Hello",
    "/api/audit",
    `/api/audit?session=${id}`,
    session,
    `${session}/events`,
    `${session}/events?before=1000`,
    `${session}/trace`,
    ...["markdown", "html", "jsonl"].map((format) => `${session}/export?format=${format}`),
    `${session}/asks/none/rules`,
  ];
  for (const address of addresses) await (await gateway.call("GET", address)).arrayBuffer();
  const place = { port: gateway.network.target ?? 0, token: gateway.token, sessionId: id };
  for (const name of ["landline", "bridge", "sse", "codeopen"] as const) {
    const shown = Promise.withResolvers<void>();
    const fault = (what: string) => shown.reject(new Error(what));
    const line = transports[name](place, { cursor: 0, take: () => shown.resolve(), fault });
    await shown.promise;
    line.end();
    await line.ended;
  }
}

test("reading sessions of a killed gateway changes none of their files", async () => {
  await using gateway = await GatewayProcess.make({ agent: scenario });
  await gateway.start();
  const idle = await gateway.openSession("agent");
  await prompt(gateway, idle, "go");
  await logged(gateway, idle, "turn-ended");
  const asking = await gateway.openSession("agent");
  await prompt(gateway, asking, "ask");
  await logged(gateway, asking, "ask-opened");
  await gateway.end("SIGKILL");
  // The next one can only see in its log that the idle session had an agent.
  await fs.rm(path.join(gateway.data, "agents.ndjson"));

  await gateway.start();
  await logged(gateway, asking, "turn-ended");
  const folder = path.join(gateway.data, "sessions");
  const before = await filesIn(folder);
  for (const id of [idle, asking]) {
    await readAll(gateway, id);
    const { state, view } = await gateway.json<Shown>("GET", `/api/sessions/${id}`);
    expect({ state, agent: view.agent.state, turn: view.turn.state }).toEqual({
      state: "idle",
      agent: "exited",
      turn: "idle",
    });
  }
  expect(await filesIn(folder)).toEqual(before);
  await prompt(gateway, idle, "more");
  const kinds = (await gateway.logEvents(idle)).map(({ kind }) => kind);
  const exit = kinds.indexOf("agent-exited");
  expect(kinds.slice(exit, exit + 2)).toEqual(["agent-exited", "prompt-queued"]);
});

test("a start records the end of the previous gateway's agents in the logs", async () => {
  await using gateway = await GatewayProcess.make({ agent: scenario });
  await gateway.start();
  const idle = await gateway.openSession("agent");
  await gateway.end("SIGKILL");
  await gateway.start();
  await logged(gateway, idle, "agent-exited");
  expect((await gateway.logEvents(idle)).at(-1)?.kind).toBe("agent-exited");
});
