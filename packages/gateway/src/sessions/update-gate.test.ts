import { expect, test } from "vitest";
import { UpdateGate } from "./update-gate.ts";

function gateOf(earlyUpdates = 10) {
  const delivered: string[] = [];
  const gate = new UpdateGate({ earlyUpdates, replayQuietMs: 20 }, ({ raw }, child) =>
    delivered.push(child === null ? raw : `${child}: ${raw}`),
  );
  const take = (sessionUpdate: string, sessionId = "own") =>
    gate.take({ type: "update", sessionId, update: { sessionUpdate }, raw: sessionUpdate });
  return { gate, delivered, take };
}

test("what comes early waits until it is known whose it is", () => {
  const { gate, delivered, take } = gateOf();
  take("plan");
  take("plan", "child");
  expect(delivered).toEqual([]);
  gate.ownId = "own";
  gate.open();
  take("usage_update");
  take("usage_update", "child");
  expect(delivered).toEqual(["plan", "child: plan", "usage_update", "child: usage_update"]);
});

test("too many do not wait", () => {
  const { gate, delivered, take } = gateOf(2);
  for (let count = 0; count < 3; count++) take("plan");
  expect(delivered).toEqual(["plan", "plan"]);
  gate.open();
  expect(delivered).toHaveLength(3);
});

test("history is swallowed, and how things are now is not", () => {
  const { gate, delivered, take } = gateOf();
  gate.ownId = "own";
  gate.swallowsHistory = true;
  take("agent_message_chunk");
  take("current_mode_update");
  gate.open();
  take("tool_call");
  gate.swallowsHistory = false;
  take("agent_message_chunk");
  expect(delivered).toEqual(["current_mode_update", "agent_message_chunk"]);
});

test("what is for a copy is dropped, also what came before its id was known", () => {
  const { gate, delivered, take } = gateOf();
  gate.ownId = "own";
  gate.open();
  const decide = gate.awaitCopy();
  take("usage_update", "copy");
  take("plan", "child");
  take("plan");
  expect(delivered).toEqual(["plan"]);
  decide("copy");
  take("usage_update", "copy");
  take("usage_update", "child");
  expect(delivered).toEqual(["plan", "child: plan", "child: usage_update"]);
});

test("too many do not wait for the copy's id", () => {
  const { gate, delivered, take } = gateOf(2);
  gate.ownId = "own";
  gate.open();
  gate.awaitCopy();
  for (let count = 0; count < 3; count++) take("plan", "child");
  expect(delivered).toEqual(["child: plan", "child: plan"]);
});
