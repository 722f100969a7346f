import { join } from "node:path";
import type { AgentSource } from "./agents.ts";
import type { CommandSource } from "./command-definitions.ts";
import { wantsOfTemplate } from "./expand-template.ts";
import { readMarkdownFolder, type MarkdownFile } from "./markdown-files.ts";
import { rulesOfToolList, withoutAllow } from "./permission-setting.ts";
import type { ConfigLocations } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { agentSchema, commandSchema } from "./schema.ts";
import { allowedWithoutQuestion, withoutMode } from "./untrusted-settings.ts";

type Dialect = "landline" | "opencode" | "claude";

interface Folder {
  path: string;
  dialect: Dialect;
}

export interface MarkdownSources {
  agents: Map<string, AgentSource>;
  commands: Map<string, CommandSource>;
  files: string[];
  /** Rights that were removed because the folder is not trusted. */
  withheld: string[];
}

/** Later folders win. */
export function ownFolders(locations: ConfigLocations): Folder[] {
  return [
    { path: join(locations.home, ".claude"), dialect: "claude" },
    { path: locations.opencode, dialect: "opencode" },
    { path: locations.landline, dialect: "landline" },
  ];
}

export function projectFolders(folder: string): Folder[] {
  return [
    { path: join(folder, ".claude"), dialect: "claude" },
    { path: join(folder, ".opencode"), dialect: "opencode" },
    { path: join(folder, ".landline"), dialect: "landline" },
  ];
}

export async function readMarkdownSources(
  folders: readonly Folder[],
  trusted: boolean,
  problems: Problems,
): Promise<MarkdownSources> {
  const sources: MarkdownSources = {
    agents: new Map(),
    commands: new Map(),
    files: [],
    withheld: [],
  };
  for (const { path, dialect } of folders) {
    const [agentNames, commandNames] =
      dialect === "claude"
        ? [["agents"], ["commands"]]
        : [
            ["agent", "agents"],
            ["command", "commands"],
          ];
    for (const name of agentNames) {
      for (const file of await readMarkdownFolder(join(path, name), problems)) {
        addAgent(file, dialect, trusted, sources, problems);
      }
    }
    for (const name of commandNames) {
      for (const file of await readMarkdownFolder(join(path, name), problems)) {
        addCommand(file, trusted, sources, problems);
      }
    }
  }
  return sources;
}

function addAgent(
  file: MarkdownFile,
  dialect: Dialect,
  trusted: boolean,
  sources: MarkdownSources,
  problems: Problems,
): void {
  const { front, list } = splitToolList(file.front);
  // Claude's files use model aliases that are not known here.
  if (dialect === "claude") delete front["model"];
  const checked = agentSchema.safeParse({
    ...front,
    ...(file.body !== "" && { prompt: file.body }),
  });
  if (!checked.success) {
    problems.add({ file: file.path }, leftOut(checked.error.issues));
    return;
  }
  const { name, ...setting } = checked.data;
  if (dialect === "claude") setting.mode = "subagent";
  if (!trusted && setting.permission !== undefined) {
    sources.withheld.push(...allowedWithoutQuestion(setting.permission, file.name));
    const stricter = withoutAllow(setting.permission);
    if (stricter === undefined) delete setting.permission;
    else setting.permission = stricter;
  }
  const id = dialect === "claude" ? (name ?? file.name) : file.name;
  const shown = dialect === "claude" || name === undefined ? {} : { name };
  const rules = list === null ? {} : { rules: rulesOfToolList(list) };
  sources.agents.set(id, { setting: { ...setting, ...shown }, source: file.path, ...rules });
  sources.files.push(file.path);
}

function addCommand(
  file: MarkdownFile,
  trusted: boolean,
  sources: MarkdownSources,
  problems: Problems,
): void {
  const { "argument-hint": hint, ...front } = file.front;
  const checked = commandSchema.safeParse({
    ...(typeof hint === "string" && { hint }),
    ...front,
    template: file.body,
  });
  if (!checked.success || file.body === "") {
    const what = checked.success ? "was left out: it is empty." : leftOut(checked.error.issues);
    problems.add({ file: file.path }, what);
    return;
  }
  const wants = trusted ? [] : wantsOfTemplate(file.body, file.name);
  if (wants.length > 0) {
    sources.withheld.push(...wants);
    return;
  }
  const { setting, withheld } = trusted
    ? { setting: checked.data, withheld: [] }
    : withoutMode(checked.data, file.name);
  sources.withheld.push(...withheld);
  sources.commands.set(file.name, { setting, source: file.path });
  sources.files.push(file.path);
}

function leftOut(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const [first] = issues;
  const where = first?.path.map(String).join(".") ?? "front matter";
  return `was left out: \`${where}\`: ${first?.message ?? "not valid"}. Correct the front matter.`;
}

/** `tools: Read, Grep` (a list) allows only these; `tools: {bash: false}` is a setting. */
function splitToolList(front: Readonly<Record<string, unknown>>): {
  front: Record<string, unknown>;
  list: string[] | null;
} {
  const { tools, ...others } = front;
  const list = typeof tools === "string" ? tools.split(",") : tools;
  if (!Array.isArray(list)) return { front: { ...front }, list: null };
  const names = list.map((tool) => toolName(String(tool).trim())).filter((name) => name !== "");
  return { front: others, list: names.includes("*") ? null : names };
}

/** Converts tool names of Claude Code: `Read`, `Bash(git *)`, `mcp__server__tool`. */
function toolName(name: string): string {
  const [plain = ""] = name.split("(");
  if (plain.startsWith("mcp__")) return plain.slice("mcp__".length).replaceAll("__", "_");
  const lower = plain.toLowerCase();
  return lower === "ls" ? "list" : lower;
}
