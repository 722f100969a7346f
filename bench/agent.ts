import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { startModelServer } from "@landline/testing";
import { gemini } from "../packages/gateway/test/real-agents/gemini.ts";
import { landline } from "../packages/gateway/test/real-agents/landline.ts";
import { opencode } from "../packages/gateway/test/real-agents/opencode.ts";
import {
  folderOf,
  isInstalled,
  type Launch,
  type RealAgent,
} from "../packages/gateway/test/real-agents/real-agent.ts";
import { folders } from "../scripts/bundle.cjs";
import { benchFile, Child, cpuOf, memoryMbOf, source, treeOf } from "./child-process.ts";
import { figureOf, MissingFigure, type Figure, type Medians, type Suite } from "./figure.ts";
import { PeerMissing } from "./peers/peer.ts";

const QUIET_MS = 2_000;
const OURS = "landline agent";
const OPENCODE = "opencode acp";
const GEMINI = "gemini --acp";

/** The bundle that `npm start` runs. */
function bundled(launch: Launch): Launch {
  const [bundle] = folders();
  if (bundle === undefined) throw new Error("There is no bundle. Run: npm run build");
  const profile = process.env["BENCH_PROFILE"]
    ? ["--cpu-prof", `--cpu-prof-dir=${benchFile("../.cache/bench/profiles")}`]
    : [];
  const args = [...profile, path.join(bundle, "landline.js"), "agent"];
  return { ...launch, command: process.execPath, args };
}

/**
 * The first start is not measured, because it writes compiled code and databases for later starts. The second one uses
 * the same home folder.
 */
async function measure(agent: RealAgent, adjust = (launch: Launch) => launch): Promise<Figure> {
  if (!isInstalled(agent))
    throw new PeerMissing(`${agent.name} ${agent.version} could not be installed`);
  await using server = await startModelServer({
    script: (request) => agent.aside?.(request) ?? "The sea is calm tonight.",
    models: ["scripted-1"],
  });
  const home = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  await using _home = {
    [Symbol.asyncDispose]: () => fs.rm(home, { recursive: true, force: true, maxRetries: 5 }),
  };
  const launch = adjust(
    await agent.launch({
      home,
      modelUrl: server.url,
      installed: (file) => path.join(folderOf(agent), "node_modules", file),
    }),
  );
  await converse(launch, home);
  return await converse(launch, home);
}

/** One session with one short turn, followed by an idle period. */
async function converse(launch: Launch, home: string): Promise<Figure> {
  const project = await repository(home);
  const startedAt = performance.now();
  await using child = new Child(launch.command, launch.args, {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...cleanEnvironment(home), ...launch.env },
    cwd: project,
  });
  const conversation = new Conversation(child);
  await conversation.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const initializeMs = performance.now() - startedAt;
  const opened = await conversation.request("session/new", { cwd: project, mcpServers: [] });
  const prompt = [{ type: "text", text: "Say a line about the sea." }];
  const { sessionId } = opened as { sessionId: string };
  const ended = conversation.request("session/prompt", { sessionId, prompt });
  await conversation.firstChunk;
  const wallMs = performance.now() - startedAt;
  const cpuPerEvent = sum(treeOf(child.pid).map(cpuOf));
  await ended;
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const memoryMb = sum(treeOf(child.pid).map(memoryMbOf));
  return { cpuPerEvent, wallMs, events: 1, gaps: 0, initializeMs, memoryMb };
}

/** A small typical repository. */
async function repository(home: string): Promise<string> {
  const project = await fs.mkdtemp(path.join(home, "project-"));
  await fs.writeFile(path.join(project, "README.md"), "# A project\n");
  await once(spawn("git", ["init", "--quiet"], { cwd: project, stdio: "ignore" }), "exit");
  return project;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly update?: { readonly sessionUpdate?: string } };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A minimal ACP client. */
class Conversation {
  readonly #child: Child;
  readonly #answers: PromiseWithResolvers<unknown>[] = [];
  readonly #chunk = Promise.withResolvers<void>();

  constructor(child: Child) {
    this.#child = child;
    this.#chunk.promise.catch(() => {});
    const next = child.messages();
    const read = async (): Promise<never> => {
      for (;;) this.#take((await next()) as Message);
    };
    read().catch((error: unknown) => {
      for (const { reject } of [...this.#answers, this.#chunk]) reject(error);
    });
  }

  get firstChunk(): Promise<void> {
    return this.#chunk.promise;
  }

  request(method: string, params: object): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    answer.promise.catch(() => {});
    const id = this.#answers.push(answer) - 1;
    this.#write({ id, method, params });
    return answer.promise;
  }

  #take({ id, method, params, result, error }: Message): void {
    if (method === undefined) {
      const answer = this.#answers[id ?? -1];
      if (error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(JSON.stringify(error)));
    } else if (id !== undefined) {
      this.#write({ id, error: { code: -32_601, message: `${method} is not offered.` } });
    } else if (params?.update?.sessionUpdate === "agent_message_chunk") {
      this.#chunk.resolve();
    }
  }

  #write(message: object): void {
    this.#child.process.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** Without the user's keys and settings. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH, LANG, TMPDIR } = process.env;
  return {
    ...(PATH !== undefined && { PATH }),
    ...(LANG !== undefined && { LANG }),
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local/share"),
    XDG_STATE_HOME: path.join(home, ".local/state"),
    XDG_CACHE_HOME: path.join(home, ".cache"),
    NO_PROXY: "127.0.0.1",
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The ratio to the best of the other agents that are installed. */
function ratioToBest(medians: Medians, read: (figure: Figure) => number | undefined): number {
  const others = [OPENCODE, GEMINI].flatMap((name) => {
    const figure = medians.get(name);
    return figure === undefined || figure.missing !== undefined ? [] : [read(figure) ?? NaN];
  });
  if (others.length === 0) throw new MissingFigure("neither could be installed");
  return (read(figureOf(medians, OURS)) ?? NaN) / Math.min(...others);
}

/** Agents that can't be installed are skipped; the installer reports why. */
async function installOthers(): Promise<void> {
  const script = benchFile("../packages/gateway/test/real-agents/install.ts");
  const others = [opencode, gemini].map(({ name }) => name);
  await once(
    spawn(process.execPath, [source, script, ...others], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
    "exit",
  );
}

export const agent: Suite = {
  name: "agent",
  about: "the built-in agent: its start, its first answer (wall ms), and its memory at rest",
  peers: [OPENCODE, GEMINI],
  prepare: installOthers,
  variants: {
    [OURS]: () => measure(landline, bundled),
    [OPENCODE]: () => measure(opencode),
    [GEMINI]: () => measure(gemini),
  },
  claims: [
    {
      text: "start to the answer to initialize ÷ the better of the others",
      value: (medians) => ratioToBest(medians, ({ initializeMs }) => initializeMs),
      atMost: 0.5,
    },
    {
      text: "start to the first chunk of an answer ÷ the better of the others",
      value: (medians) => ratioToBest(medians, ({ wallMs }) => wallMs),
      atMost: 0.5,
    },
    {
      text: "memory at rest after a turn ÷ the better of the others",
      value: (medians) => ratioToBest(medians, ({ memoryMb }) => memoryMb),
      atMost: 0.5,
    },
  ],
};
