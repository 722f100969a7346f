import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const modes = { currentModeId: "build", availableModes: [{ id: "build", name: "Build" }] };
const option = { id: "m", name: "M", type: "boolean", currentValue: true } as const;

describe("options", () => {
  it("change in what is named: absent keeps, null clears", () => {
    const models = { currentModelId: "big", availableModels: [] };
    const view = viewOf(
      { kind: "options-changed", modes, configOptions: [option], models },
      { kind: "options-changed", modes: null },
    );
    expect(view).toMatchObject({ modes: null, configOptions: [option], models });
  });

  it("follow the agent's updates", () => {
    const view = viewOf(
      { kind: "options-changed", modes },
      update("current_mode_update", { currentModeId: "plan" }),
      update("config_option_update", { configOptions: [option, 7] }),
      update("available_commands_update", { availableCommands: [{ name: "init" }, {}] }),
    );
    expect(view.modes).toEqual({ ...modes, currentModeId: "plan" });
    expect(view.configOptions).toEqual([option]);
    expect(view.commands).toMatchObject([{ name: "init" }]);
  });

  it("know the current mode of an agent that named no modes", () => {
    expect(viewOf(update("current_mode_update", { currentModeId: "act" })).modes).toEqual({
      currentModeId: "act",
      availableModes: [],
    });
  });

  it("of a child are not the session's", () => {
    const view = viewOf(
      update("current_mode_update", { currentModeId: "plan" }, "child"),
      update("available_commands_update", { availableCommands: [{ name: "init" }] }, "child"),
    );
    expect(view.modes).toBeNull();
    expect(view.commands).toEqual([]);
    expect(view.unknownCount).toBe(0);
  });

  it("that can't be read count as none", () => {
    const broken = { currentModeId: 5 } as unknown as typeof modes;
    expect(viewOf({ kind: "options-changed", modes: broken }).modes).toBeNull();
  });
});
