import { readFile } from "node:fs/promises";
import type { CommandDefinition } from "./config.ts";
import type { Problems } from "./config-problems.ts";
import type { CommandSetting } from "./schema.ts";

export interface CommandSource {
  setting: CommandSetting;
  source: string;
}

/** Commands that run without a model (`core/built-in-commands.ts`). No file may redefine them. */
export const reservedCommandNames: readonly string[] = [
  "compact",
  "undo",
  "redo",
  "status",
  "models",
  "trust",
  "help",
];

/** All commands that expand to a prompt: built-in ones, and those of the configuration, which win. */
export async function buildCommands(
  sources: ReadonlyMap<string, CommandSource>,
  problems: Problems,
): Promise<CommandDefinition[]> {
  const commands = new Map<string, CommandDefinition>();
  for (const command of await builtInCommands()) commands.set(command.name, command);
  for (const [name, { setting, source }] of sources) {
    const refusal = refuseName(name);
    if (refusal === null) commands.set(name, toCommand(name, setting, source));
    else problems.add({ file: source }, `the command \`${name}\` was left out: ${refusal}`);
  }
  return [...commands.values()];
}

function refuseName(name: string): string | null {
  if (reservedCommandNames.includes(name)) {
    return `\`/${name}\` is a command of the agent itself. Rename it.`;
  }
  if (!/^[^\s/]{1,100}$/.test(name)) return "a name has no spaces and no `/`. Rename it.";
  return null;
}

function toCommand(name: string, setting: CommandSetting, source: string): CommandDefinition {
  return {
    name,
    description: setting.description ?? firstLine(setting.template),
    hint: setting.hint ?? hintOf(setting.template),
    template: setting.template,
    agent: setting.agent,
    model: setting.model,
    subtask: setting.subtask ?? false,
    source,
  };
}

function firstLine(template: string): string {
  const line = template.split("\n").find((text) => text.trim() !== "") ?? "";
  return line
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, 100);
}

/** Undefined when the template takes no arguments. */
function hintOf(template: string): string | undefined {
  return /\$(?:ARGUMENTS|[1-9])/.test(template) ? "arguments" : undefined;
}

async function builtInCommands(): Promise<CommandDefinition[]> {
  return [
    toCommand(
      "init",
      {
        template: await readTemplate(new URL("./commands/init.md", import.meta.url)),
        description: "Write or improve AGENTS.md, the project's notes for agents",
        hint: "what to pay attention to",
      },
      "built in",
    ),
    toCommand(
      "review",
      {
        template: await readTemplate(new URL("./commands/review.md", import.meta.url)),
        description: "Review changes: what is not committed, or a commit, branch or pull request",
        hint: "commit, branch or pull request",
      },
      "built in",
    ),
  ];
}

async function readTemplate(file: URL): Promise<string> {
  return (await readFile(file, "utf8")).trim();
}
