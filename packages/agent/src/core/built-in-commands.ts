import { randomUUIDv7 } from "node:crypto";
import { ModelProblem } from "../model/model.ts";
import { modelOrDefault } from "./mode-and-model.ts";
import { builtIns } from "./available-commands.ts";
import { compact } from "./compaction.ts";
import { configureLevel } from "./permission-level-reset.ts";
import { shownCost } from "./cost.ts";
import type { Cost } from "./record.ts";
import type { Session } from "./session.ts";

export async function runBuiltInCommand(
  session: Session,
  promptId: string,
  name: string,
  values: string,
  signal: AbortSignal,
): Promise<void> {
  const text = await answerOf(session, name, values, signal);
  const stepId = randomUUIDv7();
  session.append({ kind: "step-started", stepId, promptId, modelId: "" });
  session.append({ kind: "text-added", stepId, partId: `${stepId}.1`, text });
  session.append({ kind: "step-ended", stepId, finish: "stop" });
}

async function answerOf(
  session: Session,
  name: string,
  values: string,
  signal: AbortSignal,
): Promise<string> {
  switch (name) {
    case "compact":
      return compactNow(session, values, signal);
    case "undo":
      return session.parts.restore(session, "undo");
    case "redo":
      return session.parts.restore(session, "redo");
    case "models":
      return values === "" ? listModels(session) : chooseModel(session, values);
    case "trust":
      return trust(session, values);
    case "status":
      return status(session);
    default:
      return help(session);
  }
}

async function compactNow(session: Session, wish: string, signal: AbortSignal): Promise<string> {
  const plan = await session.planStep();
  const problem = await compact(session, plan, signal, wish);
  if (problem === null) return "The conversation is summarised. Earlier messages stay readable.";
  return problem;
}

function listModels(session: Session): string {
  const current = modelOrDefault(session).id;
  const lines = session.parts.models.list().map((model) => {
    const mark = model.id === current ? " (in use)" : "";
    return `- \`${model.id}\` ${model.name}, ${Math.round(model.contextTokens / 1000)}k context${mark}`;
  });
  return [
    "These models can be used now:",
    ...lines,
    "",
    "`/models provider/model` changes to one of them.",
  ].join("\n");
}

function chooseModel(session: Session, id: string): string {
  const info = session.parts.models.find(id);
  if (!info) return `There is no model \`${id}\`. \`/models\` lists those that can be used.`;
  session.choose({ model: info.id });
  return `From now on ${info.name} answers.`;
}

/** `/trust` lists what the project's configuration wants; `/trust yes` allows it. */
async function trust(session: Session, values: string): Promise<string> {
  const { untrustedConfig } = session.parts.project;
  if (!untrustedConfig) return "Nothing in this project's configuration needs your approval.";
  const wants = untrustedConfig.wants.map((want) => `- ${want}`);
  if (values !== "yes") {
    const how = "`/trust yes` allows this, now and in later sessions.";
    return [`What the files in ${untrustedConfig.folder} ask for:`, ...wants, "", how].join("\n");
  }
  await untrustedConfig.trust();
  const before = session.parts.mcp;
  Object.assign(session.parts, await session.parts.reopen());
  configureLevel(session.state, session.parts.project.config.permissionLevel);
  await before.close();
  session.show({ kind: "project-reopened" });
  return [
    `${untrustedConfig.folder} is trusted. Its files now have what they ask for:`,
    ...wants,
  ].join("\n");
}

async function status(session: Session): Promise<string> {
  const { parts, state, definition, policy } = session;
  const noSandbox = await parts.workspace.sandbox.problem();
  const servers = parts.mcp.status().map((server) => {
    const about = server.problem ?? `${server.tools} tools`;
    return `- MCP server ${server.name}: ${server.state}, ${about}`;
  });
  const { inputTokens, outputTokens } = state.usage;
  const cost = state.cost ? `, ${costWords(state.cost)}` : "";
  return [
    `- Mode: ${definition.name}`,
    `- Model: ${modelWords(session)}`,
    `- Permissions: ${state.permissions}, ${policy.sources.flat().length} rules, ${state.approved.length} decisions of yours in this session`,
    `- Sandbox for commands: ${noSandbox === null ? "works" : `none. ${noSandbox}`}`,
    `- Folder: ${parts.workspace.cwd}`,
    `- Used: ${inputTokens} tokens read, ${outputTokens} written${cost}`,
    ...parts.project.rules.map((file) => `- Rules file: ${file.path}`),
    ...parts.project.config.sources.map((file) => `- Config: ${file}`),
    ...[...parts.project.config.problems, ...parts.models.notices()].map(
      (problem) => `- Problem: ${problem}`,
    ),
    ...(parts.project.untrustedConfig?.wants ?? []).map(
      (want) => `- Waits for \`/trust\`: ${want}`,
    ),
    ...servers,
  ].join("\n");
}

function costWords(cost: Cost): string {
  const { amount, currency } = shownCost(cost);
  return `${amount} ${currency}`;
}

function modelWords(session: Session): string {
  try {
    const { name, id } = session.info;
    const { models } = session.parts;
    const why = id === models.default().id ? models.whyDefault() : "chosen for this session";
    return `${name} (\`${id}\`), ${why}`;
  } catch (error) {
    if (error instanceof ModelProblem) return error.message;
    throw error;
  }
}

function help(session: Session): string {
  const custom = session.parts.project.config.commands;
  return [
    "I read, search and change the files of this folder, run commands, fetch pages, plan, and hand tasks to subagents. Before I change or run something I ask you, unless you or your config said that I may.",
    "",
    "Commands:",
    ...builtIns.map(line),
    ...custom.map(line),
    "",
    "In *plan* mode I look and think, and change nothing. `AGENTS.md` in your project tells me how you want things done.",
  ].join("\n");
}

function line(command: { name: string; description: string }): string {
  return `- \`/${command.name}\` ${command.description}`;
}
