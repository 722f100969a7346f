import * as path from "node:path";
import { startModelServer, type ModelRequest, type Reply } from "@landline/testing";
import { expect, onTestFailed } from "vitest";
import { SUMMARY_PROMPT } from "../../src/core/prompt-prefixes.ts";
import { AcpUser } from "./acp-user.ts";
import { openRepository } from "./repository.ts";
import type { Script, Task } from "./task.ts";

/** Started like users do: from the bundle if it is current, otherwise from source. */
const program = {
  command: process.execPath,
  args: [path.join(import.meta.dirname, "../../../cli/bin/landline.js"), "agent"],
};

/** Runs a task with the scripted model in a real agent process. Returns schema violations. */
export async function runTask(task: Task): Promise<readonly string[]> {
  const { script } = task;
  const requests: ModelRequest[] = [];
  await using server = await startModelServer({ script: (request) => reply(request) });
  const reply = (request: ModelRequest): Reply | string => {
    if (request.tools.length === 0)
      return request.system.startsWith(SUMMARY_PROMPT) ? (script.summary ?? "") : "A title";
    requests.push(request);
    const line = script.lines[requests.length - 1] ?? exhausted(request);
    return typeof line === "function" ? line(request) : line;
  };
  await using repository = await openRepository(task.files);
  await using user = await AcpUser.open({
    ...program,
    environment: {
      ...repository.environment,
      LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({
        ...configFor(server.url, script),
        ...task.config,
      }),
    },
    folder: repository.folder,
    mcpServers: task.mcpServers ?? [],
  });
  onTestFailed(() => {
    console.error(user.shown.updates.map((each) => JSON.stringify(each).slice(0, 2_000)));
    console.error(requests.map(summaryOf));
  });
  const done = { user, repository, acted: await task.act(user, repository) };
  await task.outcome(done);
  await script.transcript({ ...done, requests });
  expect(requests).toHaveLength(script.lines.length);
  expect(await user.leave()).toBe(0);
  return user.faults;
}

/** With the model of the environment's key; checks only the outcome. */
export async function runTaskLive(task: Task): Promise<readonly string[]> {
  await using repository = await openRepository(task.files);
  await using user = await AcpUser.open({
    ...program,
    environment: { ...process.env, ...repository.environment },
    folder: repository.folder,
    mcpServers: task.mcpServers ?? [],
  });
  if (user.modelId === "" || user.modelId.startsWith("demo/"))
    throw new Error("No model was found. Set a provider's key, for instance ANTHROPIC_API_KEY.");
  onTestFailed(() =>
    console.error(user.modelId, user.shown.outline, user.shown.said.slice(-4_000)),
  );
  const acted = await task.act(user, repository);
  await task.outcome({ user, repository, acted });
  return user.faults;
}

function configFor(url: string, script: Script): object {
  const { model = "scripted/scripted-1", contextTokens: context = 200_000 } = script;
  const models = { "scripted-1": { limit: { context, output: 8_192 } } };
  const options = { baseURL: `${url}/v1`, apiKey: "a key" };
  return {
    model,
    small_model: model,
    local_providers: false,
    provider: {
      scripted: { kind: "openai-compatible", options, models },
      openai: { options },
    },
  };
}

/** A status that is not retried. */
function exhausted({ userText }: ModelRequest): Reply {
  const message = `The script has no line for "${userText.slice(-80)}".`;
  return { trouble: { kind: "http-error", status: 400, message } };
}

function summaryOf({ messages, toolResults }: ModelRequest): string {
  const said = messages.map(({ role, text }) => `${role}: ${text.slice(-60)}`);
  return `results ${JSON.stringify(toolResults).slice(0, 1_000)} | ${said.join(" | ")}`;
}
