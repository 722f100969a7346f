import { access, constants, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findOnPath } from "@landline/system/find-command";
import type { AgentOptions } from "./agent.ts";
import type { Config, Project } from "./config/config.ts";
import { findConfigLocations } from "./config/config-folders.ts";
import type { Credentials } from "./model/credentials.ts";
import { inspect, printLine, type Inspection } from "./inspection.ts";
import { localOrigin } from "./model/find-local-servers.ts";
import type { ModelInfo } from "./model/model.ts";
import { RemoteProviders } from "./model/remote-providers.ts";
import { dataFolder } from "./session/session-paths.ts";
import { runProgram } from "./workspace/run-program.ts";

/** Timeout of `--version`. A slower program counts as missing. */
const versionMs = 5_000;

/** One check: a message for people, and facts for programs. */
interface Finding {
  check: string;
  ok: boolean;
  message: string;
  [fact: string]: unknown;
}

/** Prints what the agent finds in the current folder, and why it would use its default model. */
export async function doctor(options: AgentOptions, json: boolean): Promise<number> {
  const around = await inspect(options);
  const findings = [
    ...modelFindings(around),
    ...configFindings(around.project),
    await dataFinding(options),
    await gitFinding(around),
    await searchFinding(),
  ];
  around.models.close();
  for (const finding of findings) {
    if (json) printLine(JSON.stringify(finding));
    else printLine(`${finding.ok ? "✓" : "✗"} ${finding.check}: ${finding.message}`);
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

/** In the order of model selection: the first that yields a model decides. */
function modelFindings({ options, project, credentials, models: open }: Inspection): Finding[] {
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

/** Names the source of each key, never the key. */
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

function configFindings({ config, rules, untrustedConfig }: Project): Finding[] {
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
    ...(untrustedConfig === null
      ? []
      : [
          {
            check: "trust",
            ok: true,
            message: `Parts of this project's configuration need your approval (\`/trust\` in a session): ${untrustedConfig.wants.join("; ")}.`,
            wants: untrustedConfig.wants,
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
    : `${folder} can't be written to. Correct the owner of ${there}, or set LANDLINE_AGENT_DATA to another folder.`;
  return { check, ok: isWritable, message, folder };
}

/** The folder or its nearest existing parent. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

async function gitFinding({ options, home }: Inspection): Promise<Finding> {
  const { environment } = options;
  const git = findOnPath("git", environment, []);
  const version = git === null ? null : await firstLine(git, ["--version"]);
  const { root } = await findConfigLocations({ cwd: process.cwd(), environment, home });
  const isRepository = await stat(join(root, ".git")).then(
    () => true,
    () => false,
  );
  const where = isRepository
    ? `this folder belongs to ${root}`
    : "this folder is not in a repository";
  const none = "It is not installed: `/undo` reverts edits, but not changes made by commands.";
  const message = version === null ? none : `${version}; ${where}.`;
  return { check: "git", ok: true, message, version, repository: isRepository ? root : null };
}

async function searchFinding(): Promise<Finding> {
  const path = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const version = path === null ? null : await firstLine(path, ["--version"]);
  const none = "ripgrep is not available on this machine: searching works, but is slower.";
  const message = version === null ? none : `${version} at ${path}.`;
  return { check: "search", ok: true, message, version, path: version === null ? null : path };
}

/** Null when the program is missing or does not answer. */
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

function listed(items: readonly string[], none: string): string {
  return items.length === 0 ? none : `${items.join(", ")}.`;
}
