import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { gitEnvironment } from "../test/git-environment.ts";
import { gitSettingVariables, harmlessEnvironment, isWithheldVariable } from "./environment.ts";

describe("gitSettingVariables", () => {
  it("keeps the settings of the environment", () => {
    const inherited = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_VALUE_0: "Grace",
    };
    const env = {
      ...gitEnvironment("/nonexistent"),
      ...inherited,
      ...gitSettingVariables(inherited),
    };
    const read = (name: string) =>
      execFileSync("git", ["config", name], { env, encoding: "utf8", cwd: "/" }).trim();
    expect(read("user.name")).toBe("Grace");
    expect(read("core.fsmonitor")).toBe("false");
    expect(read("core.hooksPath")).toBe("/dev/null");
  });

  it("is part of the environment of lines that run without permission", () => {
    expect(Number(harmlessEnvironment["GIT_CONFIG_COUNT"])).toBeGreaterThan(0);
  });
});

describe("isWithheldVariable", () => {
  it.each(["ANTHROPIC_API_KEY", "openai_api_key", "LANDLINE_TOKEN"])("withholds %s", (name) => {
    expect(isWithheldVariable(name)).toBe(true);
  });

  it.each(["PATH", "HOME", "GIT_PAGER"])("passes %s on", (name) => {
    expect(isWithheldVariable(name)).toBe(false);
  });
});
