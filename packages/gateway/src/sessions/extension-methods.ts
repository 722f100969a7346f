import { acpMeta, type LandlineError } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { AttachedEditors } from "../acp-client/editors.ts";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import { isUnknownMethod } from "../acp-connection/calls.ts";
import { agentOf } from "./agent-run.ts";
import { beforeAgentCommand, type OptionCommandsOptions } from "./option-commands.ts";

type Params = Readonly<Record<string, unknown>>;

/** Methods of extensions begin with an underscore. Those of Landline are not passed on, so nobody can imitate them. */
export const isExtension = (method: string): boolean =>
  method.startsWith("_") && !method.startsWith("_landline/");

/** Passes methods of extensions of ACP, such as `_vendor/method`, from clients to the agent of a session. */
export class ExtensionMethods {
  readonly #options: OptionCommandsOptions;

  constructor(options: OptionCommandsOptions) {
    this.#options = options;
  }

  /** Starts the agent if necessary. There is no time limit: `signal` ends the wait and cancels it in the agent. */
  async request(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const { agent } = this.#options;
    await beforeAgentCommand(this.#options);
    return agent.using(async () => {
      const run = await agent.ensure();
      signal.throwIfAborted();
      const { connection } = agentOf(run);
      const sent = connection.request(method, withSession(params, run.id), { signal });
      return unlessAborted(sent, signal);
    });
  }

  /** Does nothing if the agent does not run. */
  notify(method: string, params: Params): void {
    const { run } = this.#options.agent;
    run?.agent?.connection.notify(method, withSession(params, run.id));
  }
}

/** Only replaces an id: a method need not have one. */
function withSession(params: Params, sessionId: string | null): Params {
  return "sessionId" in params ? { ...params, sessionId } : params;
}

export interface ExtensionClientsOptions {
  readonly sessionId: string;
  /** The agent's own id of the session. */
  readonly agentSessionId: () => string | null;
  readonly editors: AttachedEditors;
}

/** Passes methods of extensions from the agent of a session to the attached clients. */
export class ExtensionClients {
  readonly #options: ExtensionClientsOptions;

  constructor(options: ExtensionClientsOptions) {
    this.#options = options;
  }

  /** Asks the clients in turn, until one has the method. Null if none has it. */
  async request({ method, params, signal }: AgentRequest): Promise<{ result: unknown } | null> {
    const sent = this.#translated(params);
    for (const editor of this.#options.editors.list())
      try {
        return { result: await editor.request(method, sent, signal) };
      } catch (error) {
        if (!isUnknownMethod(error as LandlineError)) throw error;
      }
    return null;
  }

  notify(method: string, params: Params): void {
    const sent = this.#translated(params);
    for (const editor of this.#options.editors.list()) editor.notify(method, sent);
  }

  /** A client knows the session by another id than the agent does, and sessions of subagents by the same. */
  #translated(params: Params): Params {
    const { sessionId, agentSessionId } = this.#options;
    if (typeof params["sessionId"] !== "string") return params;
    if (params["sessionId"] === agentSessionId()) return { ...params, sessionId };
    const { _meta } = params;
    return { ...params, _meta: { ...(isRecord(_meta) && _meta), [acpMeta.session]: sessionId } };
  }
}
