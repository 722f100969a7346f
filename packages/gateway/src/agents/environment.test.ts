import { expect, test } from "vitest";
import { agentEnvironment } from "./environment.ts";

test("variables of Landline and of npm scripts are removed, others are kept", () => {
  const given = {
    PATH: "/bin",
    ANTHROPIC_API_KEY: "k",
    LANDLINE_TOKEN: "t",
    LANDLINE_AGENT_MARK: "outer",
    npm_package_json: "/x",
    npm_config_local_prefix: "/x",
    npm_config_registry: "http://r",
    INIT_CWD: "/x",
    UNSET: undefined,
  };
  expect(agentEnvironment(given, { PATH: "/added", EMPTY: "" }, "m")).toEqual({
    PATH: "/added",
    ANTHROPIC_API_KEY: "k",
    npm_config_registry: "http://r",
    EMPTY: "",
    LANDLINE_AGENT_MARK: "m",
  });
});

test("the agent's entry can't remove the mark", () => {
  expect(agentEnvironment({}, { LANDLINE_AGENT_MARK: "" }, "m")).toEqual({
    LANDLINE_AGENT_MARK: "m",
  });
});
