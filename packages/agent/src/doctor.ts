import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findOnPath } from "@landline/system/find-command";
import type { AgentOptions } from "./agent.ts";
import type { Config, Project } from "./config/config.ts";
import { findPlaces } from "./config/config-folders.ts";
import { openProject } from "./config/project.ts";
import type { Credentials } from "./model/credentials.ts";
import { openCredentials } from "./model/credentials.ts";
import { localOrigin } from "./model/find-local-servers.ts";
import type { ModelInfo } from "./model/model.ts";
import { RemoteProviders } from "./model/remote-providers.ts";
import { openModels, type OpenModels } from "./model/model-selection.ts";
import { dataFolder } from "./session/session-paths.ts";
import { runProgram } from "./workspace/run-program.ts";

/** A program that is asked for its version. A slower one counts as not there. */
const versionMs = 5_000;

interface Surroundings {
  options: AgentOptions;
  home: string;
  project: Project;
  credentials: Credentials;
  models: OpenModels;
}

/** One thing that was looked at, in words, and for programs. */
interface Finding {
  check: string;
  ok: boolean;
  message: string;
  [fact: string]: unknown;
}

/** Lists the models that can be used now, here. */
export async function models(options: AgentOptions, json: boolean): Promise<number> {
  const { models: open } = await lookAround(options);
  const byDefault = open.default().id;
  const list = open.list();
  open.close();
  if (json)
    for (const model of list) print(JSON.stringify({ ...model, default: model.id === byDefault }));
  else for (const line of modelLines(list, byDefault)) print(line);
  return 0;
}

/** Says what the agent finds here, and why it would answer with the model that it would. */
export async function doctor(options: AgentOptions, json: boolean): Promise<number> {
  const around = await lookAround(options);
  const findings = [
    ...modelFindings(around),
    ...configFindings(around.project),
    await dataFinding(options),
    await gitFinding(around),
    await searchFinding(),
  ];
  around.models.close();
  for (const finding of findings) {
    if (json) print(JSON.stringify(finding));
    else print(`${finding.ok ? "✓" : "✗"} ${finding.check}: ${finding.message}`);
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function lookAround(options: AgentOptions): Promise<Surroundings> {
  const { environment, script, model } = options;
  const home = environment["HOME"] ?? homedir();
  // Before tools of the project are run for their description: they must not inherit a stored key.
  const credentials = await openCredentials({ environment, home });
  const project = await openProject({ cwd: process.cwd(), directories: [], environment, home });
  const open = openModels({
    config: { ...project.config, model: model ?? project.config.model },
    credentials,
    environment,
    ...(script !== undefined && { script }),
  });
  await open.settled();
  return { options, home, project, credentials, models: open };
}

/** In the order in which a model is chosen: the first that gives one decides. */
function modelFindings({ options, project, credentials, models: open }: Surroundings): Finding[] {
  const { environment } = options;
  const chosen = open.default();
  const why = open.whyDefault();
  return [
    {
      check: "model",
      ok: true,
      message: `${chosen.name} (${chosen.id}) answers, ${why}.`,
      model: chosen.id,
      why,
    },
    configuredFinding(project.config, options.model),
    keysFinding(project.config, credentials, environment),
    serversFinding(open.list(), project.config, environment),
    ...open.notices().map((message) => ({ check: "models", ok: false, message })),
  ];
}

function configuredFinding(config: Config, flag: string | undefined): Finding {
  const model = flag ?? config.model ?? null;
  const by = flag === undefined ? "the config" : "--model";
  const message = model === null ? "The config names none." : `${model} is named by ${by}.`;
  return { check: "1. named model", ok: true, message, model };
}

/** Where each key is from; never the key. */
function keysFinding(
  config: Config,
  credentials: Credentials,
  environment: AgentOptions["environment"],
): Finding {
  const keys = new RemoteProviders({ config, credentials, environment }).usable();
  const found = keys.map(({ id, keySource }) => ({
    provider: id,
    from: keySource ?? "the config",
  }));
  const words = keys.map(({ name, keySource }) => `${name} by ${keySource ?? "the config"}`);
  const none =
    "None in the config, in the environment or stored; `landline agent login` stores one.";
  const message = words.length === 0 ? none : `${words.join(", ")}.`;
  return { check: "2. keys", ok: true, message, keys: found };
}

function serversFinding(
  list: ModelInfo[],
  config: Config,
  environment: AgentOptions["environment"],
): Finding {
  const check = "3. servers on this machine";
  if (!config.localProviders)
    return { check, ok: true, message: "The config says not to look.", servers: [] };
  const servers = [...Map.groupBy(list, (model) => model.provider)].flatMap(([id, offered]) => {
    const origin = localOrigin(id, { environment });
    const name = offered[0]?.providerName ?? id;
    return origin === undefined ? [] : [{ id, name, origin, models: offered.length }];
  });
  const words = servers.map(({ name, origin, models: count }) => `${name} at ${origin} (${count})`);
  const none = "None answers: Ollama, LM Studio, llama.cpp, vLLM, Jan and Docker were looked for.";
  const message = words.length === 0 ? none : `${words.join(", ")}.`;
  return { check, ok: true, message, servers };
}

function configFindings({ config, rules, heldBack }: Project): Finding[] {
  const { sources, problems, mcpServers } = config;
  const rulesFiles = rules.map(({ path }) => path);
  return [
    { check: "config", ok: true, message: listed(sources, "No file of yours."), files: sources },
    ...problems.map((message) => ({ check: "config", ok: false, message })),
    {
      check: "rules files",
      ok: true,
      message: listed(rulesFiles, "No AGENTS.md here."),
      files: rulesFiles,
    },
    ...(mcpServers.length === 0
      ? []
      : [
          {
            check: "MCP servers",
            ok: true,
            message: listed(
              mcpServers.map(({ name }) => name),
              "",
            ),
            servers: mcpServers.map(({ name }) => name),
          },
        ]),
    ...(heldBack === null
      ? []
      : [
          {
            check: "trust",
            ok: true,
            message: `Parts of this project's configuration wait for your word (\`/trust\` in a session): ${heldBack.wants.join("; ")}.`,
            wants: heldBack.wants,
          },
        ]),
  ];
}

async function dataFinding({ environment }: AgentOptions): Promise<Finding> {
  const folder = dataFolder(environment);
  const check = "data folder";
  const there = await nearest(folder);
  const isWritable = await access(there, constants.W_OK).then(
    () => true,
    () => false,
  );
  const about = there === folder ? "" : " (made with the first session)";
  const message = isWritable
    ? `${folder}${about}.`
    : `${folder} can't be written to. Correct who owns ${there}, or name another in LANDLINE_AGENT_DATA.`;
  return { check, ok: isWritable, message, folder };
}

/** The folder, or the first above it that is there. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function gitFinding({ options, home }: Surroundings): Promise<Finding> {
  const { environment } = options;
  const git = findOnPath("git", environment, []);
  const version = git === null ? null : await firstLine(git, ["--version"]);
  const { root } = await findPlaces({ cwd: process.cwd(), environment, home });
  const isRepository = await stat(join(root, ".git")).then(
    () => true,
    () => false,
  );
  const where = isRepository ? `this folder belongs to ${root}` : "this folder is in no repository";
  const none = "It is not installed: `/undo` takes back edits, and not what commands changed.";
  const message = version === null ? none : `${version}; ${where}.`;
  return { check: "git", ok: true, message, version, repository: isRepository ? root : null };
}

async function searchFinding(): Promise<Finding> {
  const path = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const version = path === null ? null : await firstLine(path, ["--version"]);
  const none = "ripgrep is not there for this machine: searching works, and is slower.";
  const message = version === null ? none : `${version} at ${path}.`;
  return { check: "search", ok: true, message, version, path: version === null ? null : path };
}

/** Null when the program is not there or does not answer. */
async function firstLine(program: string, args: string[]): Promise<string | null> {
  let output = "";
  try {
    await runProgram(program, args, {
      cwd: process.cwd(),
      timeoutMs: versionMs,
      onOutput: (chunk) => void (output += chunk.toString()),
    });
  } catch {
    return null;
  }
  return output.split("\n")[0]?.trim() || null;
}

function modelLines(list: ModelInfo[], byDefault: string): string[] {
  const rows = list.map(({ id, name, contextTokens, cost }) => [
    `${id === byDefault ? "* " : "  "}${id}`,
    name,
    `${Math.round(contextTokens / 1_000)}k`,
    cost ? `$${cost.input} in, $${cost.output} out` : "",
  ]);
  const all = [["  MODEL", "NAME", "CONTEXT", "PER MILLION TOKENS"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function listed(items: readonly string[], none: string): string {
  return items.length === 0 ? none : `${items.join(", ")}.`;
}

/** Whoever reads may have seen enough, as in `landline agent doctor | head`. */
function print(line: string): void {
  if (process.stdout.listenerCount("error") === 0) {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  process.stdout.write(`${line}\n`);
}
