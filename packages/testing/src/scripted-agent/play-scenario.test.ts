import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { playScenario } from "./play-scenario.ts";
import { checkScenario } from "./read-scenario.ts";
import { WireClient } from "./wire-client.ts";

/** Plays in this process, and records every write. */
async function play(scenario: JsonObject) {
  const input = new PassThrough();
  const heard = new PassThrough();
  const writes: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      heard.write(chunk);
      done();
    },
    destroy(error, done) {
      heard.destroy();
      done(error);
    },
  });
  const playing = playScenario(checkScenario({ about: "a test", ...scenario }), { input, output });
  const client = new WireClient(heard, input);
  await client.initialize();
  return { client, playing, writes, output, sessionId: await client.newSession() };
}

test("plays in a process with two streams", async () => {
  const { client, playing, sessionId } = await play({ turns: [{ steps: [{ say: "hi" }] }] });
  await client.prompt(sessionId, "go");
  expect(client.said()).toBe("hi");
  expect(playing.busy).toBe(false);
  client.closeInput();
  await playing.ended;
});

test("a crash closes the output of an agent in the same process", async () => {
  const { client, output, playing, sessionId } = await play({ turns: [{ steps: [{ crash: 1 }] }] });
  client.sendPrompt(sessionId, "go");
  await client.settled(() => output.destroyed);
  expect(playing.busy).toBe(false);
});

test("stop ends a turn without further output", async () => {
  const { client, playing, sessionId } = await play({
    turns: [{ steps: [{ say: "x" }], end: "never" }],
  });
  client.sendPrompt(sessionId, "go");
  await client.settled(() => client.said() === "x");
  expect(playing.busy).toBe(true);
  const heard = client.messages.length;
  playing.stop();
  client.closeInput();
  await playing.ended;
  await playing.flushed();
  expect(client.messages).toHaveLength(heard);
});

test("lines are split where configured, even within a character", async () => {
  const { client, writes, sessionId } = await play({
    turns: [{ steps: [{ split: { at: [40, 3, 9_000], everyMs: 1, steps: [{ say: "cut" }] } }] }],
  });
  const before = writes.length;
  await client.prompt(sessionId, "go");
  expect(writes.slice(before).map((write) => write.length)).toEqual([
    3,
    37,
    expect.any(Number),
    expect.any(Number),
  ]);
  expect(client.said()).toBe("cut");
});

test("several messages go out in one write", async () => {
  const { client, writes, sessionId } = await play({
    turns: [{ steps: [{ oneWrite: [{ say: "a" }, { garbage: "b" }, { say: "c" }] }] }],
  });
  const before = writes.length;
  await client.prompt(sessionId, "go");
  expect(writes[before]?.split("\n")).toHaveLength(4);
  expect(client.said()).toBe("ac");
  expect(client.noise).toEqual(["b"]);
});

test("a line that is written in pieces stays contiguous, whatever else is sent or cancelled meanwhile", async () => {
  const split = { at: [10, 20, 30], everyMs: 60_000, steps: [{ say: "whole" }] };
  const { client, writes, sessionId } = await play({ turns: [{ steps: [{ split }] }] });
  const before = writes.length;
  const prompt = client.sendPrompt(sessionId, "go");
  await client.settled(() => writes.length > before);
  const other = client.send("no/such");
  client.notify("session/cancel", { sessionId });
  expect(await client.answerTo(prompt)).toMatchObject({ result: { stopReason: "cancelled" } });
  await client.answerTo(other);
  expect(client.said()).toBe("whole");
  expect(client.noise).toEqual([]);
});

test("updates and the response can be one write", async () => {
  const steps = [{ oneWrite: [{ say: "a" }, { say: "b" }, { answerEarly: "end_turn" }] }];
  const { client, writes, sessionId } = await play({ turns: [{ steps }] });
  await client.prompt(sessionId, "go");
  const lines = writes.at(-1)?.trim().split("\n") ?? [];
  expect(lines).toHaveLength(3);
  expect(lines[2]).toContain("end_turn");
});

test("the end of one of several parallel steps ends the others", async () => {
  const steps = [
    {
      together: [
        [{ repeat: { times: 1000, steps: [{ wait: 5 }, { say: "." }] } }],
        [{ end: "refusal" }],
      ],
    },
  ];
  const { client, sessionId } = await play({ turns: [{ steps }, { steps: [{ wait: 50 }] }] });
  const answer = await client.prompt(sessionId, "go");
  expect(answer).toMatchObject({ result: { stopReason: "refusal" } });
  const heard = client.messages.length;
  // Nothing but the response arrives during ten of the aborted waits.
  await client.prompt(sessionId, "wait");
  expect(client.messages).toHaveLength(heard + 1);
});

test("a second silence is not ended by the end of the first", async () => {
  const steps = [{ silence: 300 }, { say: "heard" }];
  const { client, sessionId } = await play({ turns: [{ steps: [{ silence: 50 }] }, { steps }] });
  const startedAt = performance.now();
  client.sendPrompt(sessionId, "one");
  client.notify("session/cancel", { sessionId });
  await client.prompt(sessionId, "two");
  expect(client.said()).toBe("heard");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
});
