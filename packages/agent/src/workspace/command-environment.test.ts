import { expect, it } from "vitest";
import { knownProviders } from "../model/known-providers.ts";
import { withholdKey, withholdVariable } from "../withheld-keys.ts";
import {
  commandEnvironment,
  inheritedEnvironment,
  terminalVariables,
} from "./command-environment.ts";
import { marksIn } from "@landline/system/process-mark";

const given = {
  PATH: "/bin",
  GITHUB_TOKEN: "the person's own",
  ANTHROPIC_API_KEY: "k",
  ANTHROPIC_AUTH_TOKEN: "k",
  OPENAI_API_KEY: "k",
  OPENROUTER_API_KEY: "k",
  GEMINI_API_KEY: "k",
  LANDLINE_TOKEN: "t",
  LANDLINE_AGENT_CONFIG_CONTENT: "{}",
  AI_SDK_LOG_WARNINGS: "false",
};

it("hides keys of model providers and all variables of Landline from programs", () => {
  expect(inheritedEnvironment(given)).toEqual({
    PATH: "/bin",
    GITHUB_TOKEN: "the person's own",
  });
});

it("adds the variables of the caller, and the mark that identifies the process", () => {
  const environment = commandEnvironment(given, { GIT_PAGER: "cat" }, "two");
  expect(environment).toEqual({
    PATH: "/bin",
    GITHUB_TOKEN: "the person's own",
    GIT_PAGER: "cat",
    LANDLINE_AGENT_MARK: "two",
  });
  const inner = commandEnvironment({ LANDLINE_AGENT_MARK: "one" }, {}, "two");
  expect(marksIn(`A=1\0LANDLINE_AGENT_MARK=${inner["LANDLINE_AGENT_MARK"]}\0`)).toEqual([
    "one",
    "two",
  ]);
});

it.each(knownProviders.flatMap(({ keyVariables }) => keyVariables))("withholds %s", (name) => {
  expect(inheritedEnvironment({ [name]: "k", PATH: "/bin" })).toEqual({ PATH: "/bin" });
});

it("withholds a provider's key under another name, but no placeholder", () => {
  const environment = {
    OPENAI_API_KEY: "sk-of-openai",
    COPY: " sk-of-openai",
    GROQ_API_KEY: "none",
    PROXY: "none",
    OTHER: "sk-of-nobody",
  };
  expect(inheritedEnvironment(environment)).toEqual({ PROXY: "none", OTHER: "sk-of-nobody" });
  withholdKey("sk-of-nobody");
  expect(inheritedEnvironment(environment)).toEqual({ PROXY: "none" });
});

it("withholds a variable that the config uses for a provider, and its value, but none that every program needs", () => {
  withholdVariable("KEY_IN_A_CONFIG", "value-in-a-config");
  withholdVariable("HOME", "/home/somebody");
  const environment = {
    KEY_IN_A_CONFIG: "another now",
    COPY: "value-in-a-config",
    HOME: "/home/somebody",
    FOLDER: "/home/somebody",
  };
  const kept = { HOME: "/home/somebody", FOLDER: "/home/somebody" };
  expect(inheritedEnvironment(environment)).toEqual(kept);
});

it("sets keys to empty strings in a terminal of the client, unless the caller names one", () => {
  const variables = terminalVariables(given, { GEMINI_API_KEY: "own" });
  expect(Object.fromEntries(variables.map(({ name, value }) => [name, value]))).toEqual({
    ANTHROPIC_API_KEY: "",
    ANTHROPIC_AUTH_TOKEN: "",
    OPENAI_API_KEY: "",
    OPENROUTER_API_KEY: "",
    GEMINI_API_KEY: "own",
  });
  expect(terminalVariables({ PATH: "/bin" }, {})).toEqual([]);
});
