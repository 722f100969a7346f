import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "./json.ts";
import { stepNames } from "./play-steps.ts";
import { checkScenario } from "./read-scenario.ts";
import { openAgent } from "./agent-process.ts";
import { resultOf, type ClientAnswers } from "./wire-client.ts";

const page = readFileSync(new URL("../../../../docs/scenarios.md", import.meta.url), "utf8");

/** Each example with its heading. */
const examples = page.split(/^#+ /m).flatMap((section) => {
  const [heading = ""] = section.split("\n", 1);
  return [...section.matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, json = ""]): [string, unknown] => [heading, JSON.parse(json)],
  );
});

const answers: ClientAnswers = {
  "session/request_permission": () => ({
    result: { outcome: { outcome: "selected", optionId: "allow" } },
  }),
  "fs/read_text_file": () => ({ result: { content: "text" } }),
  "fs/write_text_file": () => ({ result: {} }),
  "terminal/create": () => ({ result: { terminalId: "t" } }),
  "terminal/output": () => ({ result: { output: "", truncated: false } }),
  "terminal/wait_for_exit": () => ({ result: { exitCode: 0 } }),
  "terminal/release": () => ({ result: {} }),
  "elicitation/create": () => ({ result: { action: "accept", content: { name: "this" } } }),
  "_vendor/ping": () => "never",
};

/** An example is a scenario, some fields of one, or the steps of a turn. */
function scenarioOf(example: unknown): JsonObject {
  const turns = [{ steps: Array.isArray(example) ? example : [{ say: "done" }] }];
  return { about: "an example", turns, ...(isObject(example) ? example : {}) };
}

/** The one example that crashes does so with code 3. */
function endedWell(outcome: JsonObject): boolean {
  return "stopReason" in resultOf(outcome) || outcome["code"] === 3;
}

describe("docs/scenarios.md", () => {
  test("has examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  test.each(examples)("the example under %j can be played", async (_, example) => {
    const scenario = scenarioOf(example);
    checkScenario(scenario, "docs/scenarios.md");
    await using opened = await openAgent(scenario, { answers, capabilities: { terminal: true } });
    const { agent, sessionId } = opened;
    const prompt = agent.sendPrompt(sessionId, "go");
    const text = JSON.stringify(example);
    if (text.includes('"never"')) {
      await agent.settled(() => agent.said() !== "");
      agent.notify("session/cancel", { sessionId });
    }
    const outcome = text.includes('"crash"') ? agent.exited : agent.answerTo(prompt);
    expect(await outcome).toSatisfy(endedWell);
    expect(agent.stderr).not.toContain("scenarioFault");
  });

  test("names every step and every field in a table, and no others", () => {
    const cells = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) => cell ?? "");
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    const source = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
    const fields = [...source("scenario.ts").matchAll(/readonly (\w+)\??:/g)].map(
      ([, name]) => name,
    );
    // These are described in their table's row: a way of exiting, and errors of a second prompt.
    const inProse = new Set(["code", "reject", "failFirst"]);
    const documented = new Set(named);
    const missing = [...fields, ...stepNames].filter(
      (name) => !documented.has(name) && !inProse.has(name ?? ""),
    );
    expect(missing).toEqual([]);
    const real = new Set([...fields, ...stepNames, "on", "expect", "save", "wait"]);
    expect(named.filter((name) => !real.has(name))).toEqual([]);
  });
});
