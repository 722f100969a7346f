import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { ndJsonStream, type AnyMessage, type Stream } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playScenario } from "../scripted-agent/play-scenario.ts";
import { checkScenario } from "../scripted-agent/read-scenario.ts";
import { SessionStore } from "../scripted-agent/sessions.ts";
import { clientScenarios, type ClientScenario } from "./client-scenarios.ts";
import { comparedAgent } from "./compared-agent.ts";
import { runScenario, type ComparedRun } from "./run-scenario.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-comparison-"));
});
afterAll(() => rm(folder, { recursive: true }));

let runs = 0;

/** Runs a scenario with the agent in this process, whose messages are changed on their way to the client. */
function run(
  name: string,
  change: (messages: readonly AnyMessage[]) => readonly AnyMessage[] = (messages) => messages,
): Promise<ComparedRun> {
  const sessions = new SessionStore();
  const side = { cwd: join(folder, String(runs++)), isGateway: true };
  return runScenario(clientScenarios[name] as ClientScenario, side, (client) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    playScenario(checkScenario(comparedAgent), { input, output, sessions });
    const stream = ndJsonStream(
      Writable.toWeb(input),
      Readable.toWeb(output) as ReadableStream<Uint8Array>,
    );
    client.connect(changedStream(stream, change));
  });
}

/** Collects the messages of the agent until one answers a request, and passes on the changed ones. */
function changedStream(
  { readable, writable }: Stream,
  change: (messages: readonly AnyMessage[]) => readonly AnyMessage[],
): Stream {
  let held: AnyMessage[] = [];
  const changing = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      held.push(message);
      // What follows needs an answer, or was awaited by the client.
      if ("method" in message && message.method === "session/update" && !hasCommands(message))
        return;
      for (const one of change(held)) controller.enqueue(one);
      held = [];
    },
  });
  return { readable: readable.pipeThrough(changing), writable };
}

const hasCommands = (message: AnyMessage) =>
  JSON.stringify(message).includes("available_commands_update");

/** Replaces a part of the JSON text of the messages. */
function replacing(from: string | RegExp, to: string) {
  return (messages: readonly AnyMessage[]): readonly AnyMessage[] =>
    messages.map((message) => JSON.parse(JSON.stringify(message).replace(from, to)) as AnyMessage);
}

const isUpdate = (message: AnyMessage, kind: string) =>
  JSON.stringify(message).includes(`"sessionUpdate":"${kind}"`);

test("two runs of a scenario are equal", async () => {
  const [first, second] = [
    await run("a turn with tools and a plan"),
    await run("a turn with tools and a plan"),
  ];
  expect(second.received).toEqual(first.received);
  expect(first.faults).toEqual([]);
  expect(first.received.flat().length).toBeGreaterThan(10);
});

test.each([
  [
    "an update is lost",
    "a turn",
    (messages) => messages.filter((one) => !JSON.stringify(one).includes("yourself")),
  ],
  [
    "an update is sent twice",
    "a turn",
    (messages) =>
      messages.flatMap((one) => (JSON.stringify(one).includes("yourself") ? [one, one] : [one])),
  ],
  [
    "two updates are in another order",
    "a turn with tools and a plan",
    (messages) =>
      messages.toSorted(
        (one, other) => Number(isUpdate(other, "plan")) - Number(isUpdate(one, "plan")),
      ),
  ],
  ["a text is different", "a turn", replacing("Hello ", "Hello")],
  ["a stop reason is different", "turns that end early", replacing("max_tokens", "end_turn")],
  ["usage is lost", "a turn with tools and a plan", replacing(/,"usage":\{[^}]*\}/, "")],
  [
    "a field of a tool call is lost",
    "a turn with tools and a plan",
    replacing(/"rawInput":\{[^}]*\},/, ""),
  ],
  [
    "a field that is null is lost",
    "a turn with tools and a plan",
    replacing('"oldText":null,', ""),
  ],
  [
    "a message id is lost",
    "a turn with tools and a plan",
    replacing('"messageId":"message-1",', ""),
  ],
  [
    "_meta of the agent is lost",
    "a turn with tools and a plan",
    replacing(',"_meta":{"example.org/call":1}', ""),
  ],
  ["a capability is lost", "a turn", replacing('"audio":true,', "")],
  ["a mode is lost", "a turn", replacing(/,\{"id":"code"[^}]*\}/, "")],
  [
    "an option of a permission is lost",
    "a permission that is allowed",
    replacing(/\{"optionId":"always"[^}]*\},/, ""),
  ],
  ["a field of a question is lost", "a question", replacing(',"required":["name"]', "")],
  ["an error has another code", "errors of the agent", replacing(":-32603,", ":-32000,")],
  ["an error has another message", "errors of the agent", replacing("Overloaded", "Error")],
] as const satisfies readonly (readonly [
  string,
  string,
  (messages: readonly AnyMessage[]) => readonly AnyMessage[],
])[])("a run differs if %s", async (_, name, change) => {
  const [plain, changed] = [await run(name), await run(name, change)];
  expect(changed.received).not.toEqual(plain.received);
});
