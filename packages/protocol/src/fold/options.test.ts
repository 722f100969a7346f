import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const modes = { currentModeId: "build", availableModes: [{ id: "build", name: "Build" }] };
const option = { id: "m", name: "M", type: "boolean", currentValue: true } as const;

describe("options", () => {
  it("change by name: absent keeps, null clears", () => {
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

  it("know the current mode of an agent that listed no modes", () => {
    expect(viewOf(update("current_mode_update", { currentModeId: "act" })).modes).toEqual({
      currentModeId: "act",
      availableModes: [],
    });
  });

  describe("of an agent that has its modes twice", () => {
    const ids = ["build", "plan"];
    const twice = {
      currentModeId: "build",
      availableModes: ids.map((id) => ({ id, name: id })),
    };
    const modeOption = (currentValue: string, values = ids) => ({
      id: "how",
      name: "How",
      type: "select" as const,
      category: "mode",
      currentValue,
      options: values.map((value) => ({ value, name: value })),
    });
    const opened = {
      kind: "options-changed" as const,
      modes: twice,
      configOptions: [option, modeOption("build")],
    };
    const shown = (...bodies: readonly EventBody[]) => {
      const view = viewOf(opened, ...bodies);
      return [view.modes?.currentModeId, view.configOptions?.at(-1)?.currentValue];
    };

    it.each<[string, EventBody]>([
      ["its mode", update("current_mode_update", { currentModeId: "plan" })],
      ["its options", update("config_option_update", { configOptions: [modeOption("plan")] })],
      ["modes alone", { kind: "options-changed", modes: { ...twice, currentModeId: "plan" } }],
      ["options alone", { kind: "options-changed", configOptions: [modeOption("plan")] }],
    ])("agree after %s", (_what, told) => {
      expect(shown(told)).toEqual(["plan", "plan"]);
    });

    it("keep values that the other form does not have", () => {
      expect(shown(update("current_mode_update", { currentModeId: "act" }))).toEqual([
        "act",
        "build",
      ]);
      const configOptions = [modeOption("fast", ["fast", "slow"])];
      expect(shown(update("config_option_update", { configOptions }))).toEqual(["build", "fast"]);
    });

    it("find a value in a group", () => {
      const { options, ...rest } = modeOption("build");
      const groups = [{ group: "all", name: "All", options }];
      const view = viewOf(
        { ...opened, configOptions: [{ ...rest, options: groups }] },
        update("current_mode_update", { currentModeId: "plan" }),
      );
      expect(view.configOptions).toMatchObject([{ currentValue: "plan" }]);
    });

    it("use the option alone if there is no other form", () => {
      const view = viewOf(
        { kind: "options-changed", configOptions: [modeOption("build")] },
        update("current_mode_update", { currentModeId: "plan" }),
      );
      expect(view).toMatchObject({ modes: null, configOptions: [{ currentValue: "plan" }] });
    });

    it("may be arbitrarily invalid", () => {
      const wrong = [{}, 5, null, "x", { options: 5 }, { options: [null] }].map((options) => ({
        id: "how",
        category: "mode",
        options,
      }));
      const told = update("current_mode_update", { currentModeId: "plan" });
      const view = viewOf(update("config_option_update", { configOptions: wrong }), told);
      expect(view.modes?.currentModeId).toBe("plan");
      expect(view.configOptions).toHaveLength(wrong.length);
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

  it("that are invalid count as absent", () => {
    const broken = { currentModeId: 5 } as unknown as typeof modes;
    expect(viewOf({ kind: "options-changed", modes: broken }).modes).toBeNull();
  });
});
