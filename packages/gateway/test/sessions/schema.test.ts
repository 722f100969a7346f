import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { requestDefinition, responseDefinition, validateAcp } from "@landline/testing/schema";
import { expect, test } from "vitest";
import { ScriptedGateway, turn, Watcher } from "./scripted-gateway.ts";

/** Records every line that it receives, and sends requests that the gateway must answer. */
const recorder = `
const fs = require("node:fs");
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const option = { id: "model", name: "Model", type: "select", currentValue: "a", options: [{ value: "a", name: "A" }, { value: "b", name: "B" }] };
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  "session/new": { sessionId: "s", modes: { currentModeId: "x", availableModes: [{ id: "x", name: "X" }, { id: "y", name: "Y" }] }, configOptions: [option] },
  "session/set_mode": {},
  "session/set_config_option": { configOptions: [{ ...option, currentValue: "b" }] },
};
const asks = [
  ["session/request_permission", { sessionId: "s", toolCall: { toolCallId: "t" }, options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] }],
  ["fs/write_text_file", { sessionId: "s", path: process.cwd() + "/a.txt", content: "text" }],
  ["fs/read_text_file", { sessionId: "s", path: process.cwd() + "/b.txt" }],
  ["terminal/create", { sessionId: "s", command: "echo", args: ["hi"] }],
];
let prompt, open = 0;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  fs.appendFileSync(process.argv[1], line + "\\n");
  const { id, method } = JSON.parse(line);
  if (method === "session/prompt") {
    prompt = id;
    open = asks.length;
    for (const [index, [method, params]] of asks.entries()) say({ id: index + " " + method, method, params });
  } else if (method) { if (id !== undefined) say({ id, result: results[method] }); }
  else if (--open === 0) say({ id: prompt, result: { stopReason: "end_turn" } });
});`;

interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

test("requests and responses of a session match the ACP schema", async () => {
  const kept = path.join(tmpdir(), `landline-sent-${process.pid}.ndjson`);
  const agents = [{ id: "recorder", command: process.execPath, args: ["-e", recorder, kept] }];
  await using gateway = await ScriptedGateway.open({}, {}, { agents });
  await fs.writeFile(`${gateway.project}/b.txt`, "there");
  const session = await gateway.openSession("recorder");
  using watcher = new Watcher(session);
  const ended = turn(session, watcher, "go");
  const ask = await watcher.until("ask-opened");
  await session.answer(ask.askId, { outcome: "selected", optionId: "yes" }, "tester");
  expect(await ended).toMatchObject({ stopReason: "end_turn" });
  await session.setMode("y", "tester");
  await session.setConfig("model", "b", "tester");
  await gateway.stop();
  const lines = (await fs.readFile(kept, "utf8")).trimEnd().split("\n");
  await fs.rm(kept);
  // Plans with an id and subagents are offered, which are only in the unstable schema.
  const unstable = { unstable: true };
  const sent = lines.map((line) => JSON.parse(line) as Sent);
  const checked = sent.map(({ id, method, params, result }) => {
    const asked = method ?? String(id).split(" ")[1] ?? "";
    const wrong =
      method === undefined
        ? validateAcp(responseDefinition(asked, unstable), result, unstable)
        : validateAcp(requestDefinition(asked, unstable), params, unstable);
    return { asked, wrong };
  });
  expect(checked.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  expect(new Set(checked.map(({ asked }) => asked))).toEqual(
    new Set([
      "initialize",
      "session/new",
      "session/prompt",
      "session/set_mode",
      "session/set_config_option",
      "session/request_permission",
      "fs/write_text_file",
      "fs/read_text_file",
      "terminal/create",
    ]),
  );
});
