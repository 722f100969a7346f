import { readFile } from "node:fs/promises";
import type { CommandDefinition } from "./config.ts";
import type { Problems } from "./config-problems.ts";
import type { CommandSetting } from "./schema.ts";

export interface CommandSource {
  setting: CommandSetting;
  source: string;
}

/** Commands that the agent performs itself, without a model (`core/built-in-commands.ts`): no file may take their names. */
export const performedCommands: readonly string[] = [
  "compact",
  "undo",
  "redo",
  "status",
  "models",
  "trust",
  "help",
];

/** All commands that become a prompt: the built-in ones, replaced and followed by those of configuration. */
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
  if (performedCommands.includes(name)) {
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

/** Undefined when the template asks for nothing. */
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

async function readTemplate(place: URL): Promise<string> {
  return (await readFile(place, "utf8")).trim();
}
