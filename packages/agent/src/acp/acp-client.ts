import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  CreateTerminalRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";
import type { AgentContext } from "@agentclientprotocol/sdk/unstable";

/** The ACP client, for modules that must not import the ACP SDK. */
export type Client = Pick<AcpClient, keyof AcpClient>;

/**
 * The client over its connection. Updates of one session are sent in order, and before the response to their
 * prompt. Updates that cannot be sent because the client is gone are dropped: the session file has them.
 */
export class AcpClient {
  readonly #context: AgentContext;
  readonly capabilities: ClientCapabilities;

  constructor(context: AgentContext, capabilities: ClientCapabilities) {
    this.#context = context;
    this.capabilities = capabilities;
  }

  update(sessionId: string, update: SessionUpdate): void {
    this.#context.notify("session/update", { sessionId, update }).catch(() => undefined);
  }

  requestPermission(
    params: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return this.#context.request("session/request_permission", params, stopping(signal));
  }

  elicit(
    params: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    return this.#context.request("elicitation/create", params, stopping(signal));
  }

  async readTextFile(sessionId: string, path: string, signal?: AbortSignal): Promise<string> {
    const params = { sessionId, path };
    const options = signal ? stopping(signal) : {};
    return (await this.#context.request("fs/read_text_file", params, options)).content;
  }

  async writeTextFile(sessionId: string, path: string, content: string): Promise<void> {
    await this.#context.request("fs/write_text_file", { sessionId, path, content });
  }

  async createTerminal(params: CreateTerminalRequest): Promise<string> {
    return (await this.#context.request("terminal/create", params)).terminalId;
  }

  terminalOutput(sessionId: string, terminalId: string): Promise<TerminalOutputResponse> {
    return this.#context.request("terminal/output", { sessionId, terminalId });
  }

  waitForTerminalExit(sessionId: string, terminalId: string): Promise<WaitForTerminalExitResponse> {
    return this.#context.request("terminal/wait_for_exit", { sessionId, terminalId });
  }

  async killTerminal(sessionId: string, terminalId: string): Promise<void> {
    await this.#context.request("terminal/kill", { sessionId, terminalId });
  }

  async releaseTerminal(sessionId: string, terminalId: string): Promise<void> {
    await this.#context.request("terminal/release", { sessionId, terminalId });
  }
}

/** A client may never answer a cancelled request, so do not wait for it. */
function stopping(signal: AbortSignal) {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
