import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import type { SessionEvent } from "@landline/protocol";
import {
  startModelServer,
  type ModelRequest,
  type ModelServer,
  type Reply,
} from "@landline/testing";
import { onTestFailed } from "vitest";
import type { Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway, text, Watcher } from "../sessions/scripted-gateway.ts";
import { folderOf, isInstalled, type RealAgent } from "./real-agent.ts";

/** A reply, or a function that decides on one. */
type Line = Reply | string;

/** A gateway with one real agent, which uses a scripted model. The agent has its own home. */
export class RealAgentGateway implements AsyncDisposable {
  readonly #gateway: ScriptedGateway;
  readonly home: string;
  readonly #agent: RealAgent;
  readonly #model: ConversationModel;
  readonly #opened: AsyncDisposable;

  private constructor(
    agent: RealAgent,
    parts: {
      gateway: ScriptedGateway;
      home: string;
      model: ConversationModel;
      opened: AsyncDisposable;
    },
  ) {
    this.#agent = agent;
    this.#gateway = parts.gateway;
    this.home = parts.home;
    this.#model = parts.model;
    this.#opened = parts.opened;
  }

  /** `lines`: the replies of the model, one per request of the conversation. */
  static async open(agent: RealAgent, lines: readonly Line[]): Promise<RealAgentGateway> {
    if (!isInstalled(agent))
      throw new Error(
        `${agent.name} ${agent.version} is not installed: npm run test:agents -- ${agent.name}`,
      );
    await using opened = new AsyncDisposableStack();
    const home = await fs.mkdtemp(path.join(tmpdir(), `landline-${agent.name}-`));
    opened.defer(() => fs.rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const model = opened.use(await ConversationModel.start(agent, lines));
    const { command, args, env } = await agent.launch({
      home,
      modelUrl: model.url,
      installed: (file) => path.join(folderOf(agent), "node_modules", file),
    });
    const environment = { HOME: home, NO_PROXY: "127.0.0.1", ...xdgFolders(home) };
    const config = { id: agent.name, command, args, env: { ...environment, ...env } };
    const gateway = opened.use(await ScriptedGateway.open({}, {}, { agents: [config] }));
    return new RealAgentGateway(agent, { gateway, home, model, opened: opened.move() });
  }

  /** The folder of the sessions. */
  get project(): string {
    return this.#gateway.project;
  }

  /** The requests to the model as part of the conversation. */
  get asked(): readonly ModelRequest[] {
    return this.#model.asked;
  }

  /** Opens a session; a failing test prints its log. */
  async openSession(): Promise<{ session: Session; watcher: Watcher }> {
    const session = await this.#gateway.openSession(this.#agent.name);
    const watcher = new Watcher(session);
    onTestFailed(() => {
      console.error(watcher.events.map((event) => JSON.stringify(event).slice(0, 2600)).join("\n"));
      console.error("The model was asked:", this.#model.asked.map(summary));
      console.error("Other requests to the model:", this.#model.asides.map(summary));
    });
    return { session, watcher };
  }

  /** The running agents, according to the gateway's journal. */
  async running(): Promise<{ pid: number; mark: string }[]> {
    const lines = await fs.readFile(path.join(this.#gateway.data, "agents.ndjson"), "utf8");
    const running = new Map<string, { pid: number; mark: string }>();
    for (const line of lines.trim().split("\n")) {
      const entry = JSON.parse(line) as { mark: string; pid?: number | null; ended?: boolean };
      if (entry.ended) running.delete(entry.mark);
      else if (typeof entry.pid === "number")
        running.set(entry.mark, { pid: entry.pid, mark: entry.mark });
    }
    return [...running.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]();
  }
}

function xdgFolders(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local/share"),
    XDG_STATE_HOME: path.join(home, ".local/state"),
    XDG_CACHE_HOME: path.join(home, ".cache"),
  };
}

/**
 * The scripted model server for agents with requests outside the conversation (titles, classifiers): these are answered
 * and use no reply of the script.
 */
class ConversationModel implements AsyncDisposable {
  readonly asked: ModelRequest[] = [];
  readonly asides: ModelRequest[] = [];
  #server: ModelServer | null = null;

  static async start(agent: RealAgent, lines: readonly Line[]): Promise<ConversationModel> {
    const model = new ConversationModel();
    const script = (request: ModelRequest): Line => {
      const aside = (agent.aside ?? withoutTools)(request);
      if (aside !== null) {
        model.asides.push(request);
        return aside;
      }
      model.asked.push(request);
      return lines[model.asked.length - 1] ?? exhausted(request);
    };
    model.#server = await startModelServer({ script, models: ["scripted-1"] });
    return model;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
  }
}

/** A coding agent's own requests offer tools; requests for a title do not. */
function withoutTools({ tools }: ModelRequest): Line | null {
  return tools.length === 0 ? "A title" : null;
}

/** A status that no client retries. */
function exhausted({ userText }: ModelRequest): Reply {
  const message = `The script has no line for "${userText.slice(-80)}".`;
  return { trouble: { kind: "http-error", status: 400, message } };
}

function summary({ path: asked, messages, toolResults, tools }: ModelRequest): string {
  const said = messages.map(({ role, text: words }) => `${role}: ${words.slice(-60)}`);
  return `${asked} tools ${tools.length} results ${JSON.stringify(toolResults).slice(0, 300)} | ${said.join(" | ")}`;
}

/** Prompts without waiting; returns a function that waits for the end of the turn. */
export async function begin(session: Session, watcher: Watcher, words: string) {
  const promptId = randomUUID();
  await session.prompt(promptId, text(words), "tester");
  const { turnId } = await watcher.until("turn-started", (event) => event.promptId === promptId);
  return { ended: () => watcher.until("turn-ended", (event) => event.turnId === turnId) };
}

/** Waits for a permission request, and answers with the option of this kind. */
export async function answerAsk(
  session: Session,
  watcher: Watcher,
  kind: "allow_once" | "reject_once",
) {
  const isNew = ({ askId }: { askId: string }) =>
    !watcher.events.some((event) => event.kind === "ask-settled" && event.askId === askId);
  const ask = await watcher.until("ask-opened", isNew);
  if (ask.ask !== "permission") throw new Error("The agent asked a question.");
  const option = ask.options.find((one) => one.kind === kind);
  if (!option) throw new Error(`The agent offers no ${kind}: ${JSON.stringify(ask.options)}`);
  const outcome = { outcome: "selected", optionId: option.optionId } as const;
  await session.answer(ask.askId, outcome, "tester");
  return { ask, outcome };
}

/** The logged events of one kind. */
export function eventsOf<Kind extends SessionEvent["kind"]>(watcher: Watcher, kind: Kind) {
  return watcher.events.filter(
    (event): event is Extract<SessionEvent, { kind: Kind }> => event.kind === kind,
  );
}

/** Whether it is a message chunk of the agent. */
export function isSpeech(event: Extract<SessionEvent, { kind: "update" }>): boolean {
  return event.update["sessionUpdate"] === "agent_message_chunk";
}
