import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { withConfigOptions, withMode } from "@landline/protocol";
import { chooseConfig, chooseMode, type Options } from "./options.ts";

const names = ["ask", "act", "plan"];

function modeOption(currentValue: string, values = names): SessionConfigOption {
  const options = values.map((value) => ({ value, name: value }));
  return { id: "how", name: "How", category: "mode", type: "select", currentValue, options };
}

const effort: SessionConfigOption = {
  id: "effort",
  name: "Effort",
  type: "select",
  currentValue: "ask",
  options: [{ value: "ask", name: "ask" }],
};

function both(modeId: string, value = modeId, values = names): Options {
  return {
    modes: { currentModeId: modeId, availableModes: names.map((id) => ({ id, name: id })) },
    configOptions: [effort, modeOption(value, values)],
    models: null,
  };
}

const shown = ({ modes, configOptions }: Options) => [
  modes?.currentModeId,
  ...(configOptions ?? []).map(({ currentValue }) => currentValue),
];

describe("an agent with modes and a config option for them", () => {
  test("has one value, in whichever form it is set", () => {
    const now = both("ask");
    expect(shown(chooseMode(now, "act").after({}, now))).toEqual(["act", "ask", "act"]);
    expect(shown(chooseConfig(now, "how", "act").after({}, now))).toEqual(["act", "ask", "act"]);
    const list = { configOptions: [modeOption("plan")] };
    expect(shown(chooseConfig(now, "how", "act").after(list, now))).toEqual(["plan", "plan"]);
  });

  test("reports it in either form", () => {
    expect(shown(withMode(both("ask"), "plan"))).toEqual(["plan", "ask", "plan"]);
    expect(shown(withConfigOptions(both("ask"), [modeOption("act")]))).toEqual(["act", "act"]);
  });
});

test("changes during a request are kept", () => {
  const asked = chooseMode(both("ask"), "act");
  const meanwhile = { ...both("ask"), models: { currentModelId: "m", availableModels: [] } };
  expect(asked.after({}, meanwhile).models?.currentModelId).toBe("m");
});
