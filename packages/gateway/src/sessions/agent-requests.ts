import type { CreateElicitationRequest, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { LandlineError, type EventBody, type RawUpdate } from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import type { RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import { UserRequests } from "../acp-client/permissions/user-requests.ts";
import { AllowedPaths } from "../acp-client/permissions/allowed-paths.ts";
import { CreatedPlaces } from "../acp-client/created-places.ts";
import type { SessionContext } from "../acp-client/session-context.ts";
import { NamedCalls } from "../acp-client/permissions/named-calls.ts";
import { fileGuard } from "../acp-client/files/guarded-file.ts";
import { Files, type ReadParams, type WriteParams } from "../acp-client/files.ts";
import { TerminalSandbox } from "../acp-client/terminals/terminal-sandbox.ts";
import { Terminals, type CreateParams, type TerminalParams } from "../acp-client/terminals.ts";
import { usualTerminalSandbox } from "../gateway-options.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { ExtensionClients, isExtension } from "./extension-methods.ts";
import { entryOf, type SessionHost } from "./session-host.ts";

export interface AgentRequestsOwner {
  readonly id: string;
  readonly settings: AgentSettings;
  /** The running agent; null while none runs. */
  readonly running: () => Pick<RunningAgent, "mark" | "quirks" | "permits"> | null;
  record(...events: EventBody[]): void;
  /** Whether the session is closing or stopped. */
  isOver(): boolean;
}

type Params<Of> = Of & Readonly<Record<string, unknown>>;

/** Handles the requests of a session's agent. Each request gets a result or an error. */
export class AgentRequests {
  readonly asks: UserRequests;
  readonly #calls = new NamedCalls();
  readonly #allowedPaths: AllowedPaths;
  readonly #files: Files;
  readonly #terminals: Terminals;
  readonly #created: CreatedPlaces;
  readonly #agentName: string;
  readonly #extensions: ExtensionClients;
  readonly #isConfined: boolean;
  readonly #withhold: { readonly files: boolean; readonly terminals: boolean };

  constructor(host: SessionHost, owner: AgentRequestsOwner) {
    const { agent, cwd, roots } = owner.settings;
    const entry = entryOf(host, agent);
    // An agent reports its name, which selects quirks, only when it runs.
    const quirks = () => owner.running()?.quirks ?? entry?.quirks;
    const context: SessionContext = {
      sessionId: owner.id,
      agent,
      cwd,
      roots,
      closed: host.closedFolders,
      limits: host.limits,
      get takesRelativePaths() {
        return !host.strict && quirks()?.relativePaths === true;
      },
      record: (...events) => owner.record(...events),
    };
    this.#agentName = entry?.name ?? agent;
    this.#withhold = entry?.withhold ?? { files: false, terminals: false };
    this.#allowedPaths = new AllowedPaths(context);
    this.asks = new UserRequests(context, host.rules, {
      calls: this.#calls,
      allowed: (askId, toolCall) => this.#allowedPaths.note(askId, toolCall),
      settled: (waitedMs) => host.metrics.askWaits.observe(waitedMs),
    });
    const isConfined = entry?.kind === "process" && entry.sandbox !== undefined;
    const editors = host.editors.of(owner.id);
    this.#isConfined = isConfined;
    this.#extensions = new ExtensionClients({
      sessionId: owner.id,
      agentSessionId: () => owner.settings.agentSessionId,
      editors,
    });
    this.#files = new Files(context, {
      temporaries: host.temporaries,
      allowed: this.#allowedPaths,
      // An editor follows links, which a confined agent could change after the path was checked.
      ...(isConfined
        ? { isGuarded: fileGuard(() => owner.running()?.permits ?? null) }
        : { editors }),
      get missingFileIsEmpty() {
        return quirks()?.missingFileIsEmpty ?? false;
      },
    });
    this.#created = new CreatedPlaces(context, {
      ask: async (request, child) => {
        const { optionId } = await this.asks.ofPerson(request, child);
        return optionId === "keep" || optionId === "reject" ? optionId : null;
      },
      isOver: () => owner.isOver(),
    });
    const confined = entry === null ? usualTerminalSandbox : entry.terminalSandbox;
    this.#terminals = new Terminals(context, {
      sandbox: confined && new TerminalSandbox(context, host.terminalSandboxes, confined),
      ask: (wanted, child, signal) => this.asks.ofPerson(wanted, child, signal),
      created: this.#created,
      // Editors do not confine commands.
      editors: {
        ...editors,
        list: () => {
          const staysHere =
            isConfined || confined?.isRequired === true || isSandboxed(owner.settings);
          return staysHere ? [] : editors.list();
        },
      },
      // Each agent process has its own mark.
      get mark() {
        return owner.running()?.mark;
      },
    });
  }

  /** Whether the agent may be waiting for the gateway or a person. */
  get isBusy(): boolean {
    return [this.asks, this.#terminals, this.#created].some(({ openCount }) => openCount > 0);
  }

  handle(request: AgentRequest, child: string | null): Promise<unknown> {
    const { method, params, signal } = request;
    const files = () => this.#allowed("files", this.#files);
    const terminals = () => this.#allowed("terminals", this.#terminals);
    switch (method) {
      case "session/request_permission":
        return this.asks.permission(
          params as Params<RequestPermissionRequest>,
          child ?? undefined,
          signal,
        );
      case "elicitation/create":
        return this.asks.question(
          params as Params<CreateElicitationRequest>,
          child ?? undefined,
          signal,
        );
      case "fs/read_text_file":
        return files().read(params as Params<ReadParams>, signal);
      case "fs/write_text_file":
        return files().write(params as Params<WriteParams>, signal);
      case "terminal/create":
        return terminals().create(params as Params<CreateParams>, child);
      case "terminal/output":
        return terminals().output(params as Params<TerminalParams>);
      case "terminal/wait_for_exit":
        return terminals().waitForExit(params as Params<TerminalParams>, signal);
      case "terminal/kill":
        return terminals().kill(params as Params<TerminalParams>);
      case "terminal/release":
        return terminals().release(params as Params<TerminalParams>);
      default:
        return this.#extension(request);
    }
  }

  /** Passes `elicitation/complete` and notifications of extensions to the clients. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === "elicitation/complete" || this.#passes(method))
      this.#extensions.notify(method, params);
  }

  async #extension(request: AgentRequest): Promise<unknown> {
    const answer = this.#passes(request.method) ? await this.#extensions.request(request) : null;
    if (answer) return answer.result;
    throw new LandlineError("method-not-found", { message: "The gateway has no such method." });
  }

  /** A client might do for a confined agent what its sandbox prevents. */
  #passes(method: string): boolean {
    return isExtension(method) && !this.#isConfined;
  }

  /** Records a tool call, which later permission requests refer to. */
  noteUpdate(update: RawUpdate, child: string | null): void {
    this.#calls.note(update, child);
    this.#terminals.noteUpdate(update, child);
  }

  /** Asks a person about protected places that the agent created. Resolves with the answer. */
  async askAboutCreated(created: SetAside): Promise<void> {
    await this.#created.ask(created, { name: this.#agentName, command: null, child: null });
  }

  /** Ends everything that belongs to the turn, except requests about protected places. */
  endTurn(reason: "turn-cancelled" | "turn-ended"): void {
    this.#allowedPaths.endTurn();
    this.#calls.endTurn();
    this.asks.settleTurn(reason);
    void this.#terminals.releaseAll();
  }

  agentGone(): void {
    this.#calls.endTurn();
    this.asks.settleTurn("agent-gone");
    void this.#terminals.releaseAll();
  }

  /** Resolves when nothing that was started here still runs. */
  async close(): Promise<void> {
    this.asks.settleAll("agent-gone");
    await this.#terminals.releaseAll();
    await this.#created.ended();
  }

  #allowed<Handler>(name: "files" | "terminals", handler: Handler): Handler {
    if (!this.#withhold[name]) return handler;
    throw new LandlineError("tool-disabled", {
      message: `The policy withholds ${name} from this agent.`,
    });
  }
}

/** Whether a person chose the permission level `sandboxed` of the built-in agent. */
function isSandboxed({ options }: AgentSettings): boolean {
  const level = options.configOptions?.find(({ id }) => id === "permissions");
  return level?.currentValue === "sandboxed";
}
