import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { permissionModesOf, type PermissionModes } from "../agents/permission-modes.ts";
import type { Options } from "./options.ts";
import { optionsToRestore } from "./restored-options.ts";

const names = ["ask", "act", "plan"];

function option(
  id: string,
  category: string,
  currentValue: string,
  values: readonly string[],
): SessionConfigOption {
  const options = values.map((value) => ({ value, name: value }));
  return { id, name: id, category, type: "select", currentValue, options };
}

function both(modeId: string, value = modeId, values: readonly string[] = names): Options {
  return {
    modes: { currentModeId: modeId, availableModes: names.map((id) => ({ id, name: id })) },
    configOptions: [option("how", "mode", value, values)],
    models: null,
  };
}

const allAsk: PermissionModes = permissionModesOf("opencode", null);
const unknown: PermissionModes = permissionModesOf("unheard-of", null);

const restored = (fresh: Options, wanted: Options, modes: PermissionModes, first = fresh) =>
  optionsToRestore(fresh, { wanted, first }, modes).map(({ choice, done }) => [
    choice?.params ?? null,
    done?.message ?? null,
  ]);

describe("an agent with modes and a config option for them", () => {
  test("is restored by one request", () => {
    expect(restored(both("ask"), both("plan"), allAsk)).toEqual([
      [{ configId: "how", value: "plan" }, null],
    ]);
    expect(restored(both("plan"), both("plan"), allAsk)).toEqual([]);
  });

  test("is restored by two if their values are unrelated", () => {
    const fast = ["fast", "slow"];
    expect(restored(both("ask", "fast", fast), both("act", "slow", fast), allAsk)).toEqual([
      [{ configId: "how", value: "slow" }, null],
      [{ modeId: "act" }, null],
    ]);
  });

  test("is left unchanged and reported if it is unknown whether the mode asks", () => {
    expect(restored(both("ask"), both("act"), unknown)).toEqual([
      [null, "how is back to ask: the agent was started again."],
    ]);
  });
});

test("a mode that the agent no longer offers is not requested", () => {
  const fresh = both("ask");
  const gone = both("gone");
  expect(restored(fresh, gone, allAsk)).toEqual([]);
});

describe("a mode that does not ask", () => {
  const ids = ["ask", "act", "yolo"];
  const inMode = (currentModeId: string): Options => ({
    modes: { currentModeId, availableModes: ids.map((id) => ({ id, name: id })) },
    configOptions: null,
    models: null,
  });
  const [ask, act, yolo] = ids.map(inMode) as [Options, Options, Options];

  test("is reset when the agent restarts in it", () => {
    expect(restored(yolo, yolo, unknown, ask)).toEqual([
      [{ modeId: "ask" }, "Mode is back to ask: the agent was started again."],
    ]);
  });

  test("is reset also if the previous mode is no longer offered", () => {
    expect(restored(yolo, inMode("gone"), unknown, ask)).toEqual([
      [{ modeId: "ask" }, "Mode is back to ask: the agent was started again."],
    ]);
  });

  test("stays if the agent started the session in it", () => {
    expect(restored(yolo, yolo, unknown, yolo)).toEqual([]);
  });

  test("does not replace the mode in which the agent started the session", () => {
    expect(restored(yolo, ask, unknown, ask)).toEqual([[{ modeId: "ask" }, null]]);
  });

  test("does not replace an unknown mode", () => {
    expect(restored(yolo, act, unknown, ask)).toEqual([
      [{ modeId: "ask" }, "Mode is back to ask: the agent was started again."],
    ]);
  });
});

test("a permissive choice that can't be reset is reported", () => {
  const yolo: Options = {
    ...both("ask"),
    modes: { currentModeId: "yolo", availableModes: [{ id: "yolo", name: "YOLO" }] },
    configOptions: null,
  };
  expect(restored(yolo, yolo, unknown, both("ask"))).toEqual([
    [null, "The agent restarted with Mode set to YOLO and may act without asking you."],
  ]);
});
