import type {
  ClientCapabilities,
  CreateElicitationRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { acpMeta, type AskOpened } from "@landline/protocol";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { CallOutcome } from "../../acp-connection/calls.ts";
import type { RequestId } from "../../acp-connection/message.ts";

export interface ClientRequestsParts {
  readonly sessionId: string;
  readonly connection: Pick<AgentConnection, "call" | "cancel">;
  readonly capabilities: ClientCapabilities;
  /** A tool call as the client understands it. */
  readonly shown: (toolCall: ToolCallUpdate) => ToolCallUpdate;
  /** Whether permission requests and questions are sent to the client. */
  readonly canAnswer: boolean;
  /** Answers a permission request or question for the client. */
  readonly answer: (askId: string, outcome: unknown) => Promise<void>;
}

interface OpenRequest {
  readonly opened: AskOpened;
  /** Null: it was not sent to the client. */
  requestId: RequestId | null;
}

/** The open permission requests and questions of one session, as requests to one ACP client. */
export class ClientRequests {
  readonly #parts: ClientRequestsParts;
  readonly #open = new Map<string, OpenRequest>();

  constructor(parts: ClientRequestsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Notes an open request. `send` and `sendAll` send it. */
  add(opened: AskOpened): void {
    this.#open.set(opened.askId, { opened, requestId: null });
  }

  sendAll(): void {
    for (const askId of this.#open.keys()) this.send(askId);
  }

  /** Sends a request once, if the client can answer it. */
  send(askId: string): void {
    const { connection, canAnswer, capabilities, sessionId } = this.#parts;
    const request = this.#open.get(askId);
    if (!canAnswer || !request || request.requestId !== null) return;
    const { opened } = request;
    const _meta = { [acpMeta.askId]: askId };
    const settle = (outcome: CallOutcome) => this.#answered(opened, outcome);
    if (opened.ask === "permission") {
      const { options } = opened;
      const toolCall = this.#parts.shown(opened.toolCall);
      const params = { sessionId, toolCall, options, _meta };
      request.requestId = connection.call("session/request_permission", params, {}, settle);
    } else if (takesQuestion(capabilities, opened.request)) {
      const params = {
        ...opened.request,
        sessionId,
        _meta: { ...opened.request._meta, ..._meta },
      };
      request.requestId = connection.call("elicitation/create", params, {}, settle);
    }
  }

  /** The request was settled, or the client is no longer asked. */
  withdraw(askId: string): void {
    const request = this.#open.get(askId);
    this.#open.delete(askId);
    if (request && request.requestId !== null) this.#parts.connection.cancel(request.requestId);
  }

  withdrawAll(): void {
    for (const askId of this.#open.keys()) this.withdraw(askId);
  }

  #answered({ askId, ask }: AskOpened, { result, error }: CallOutcome): void {
    // Another client may have answered meanwhile.
    if (error || !this.#open.delete(askId)) return;
    const outcome: unknown =
      ask === "permission" ? (result as { readonly outcome: unknown }).outcome : result;
    this.#parts.answer(askId, outcome).catch(() => {});
  }
}

export function takesQuestion(
  { elicitation }: ClientCapabilities,
  { mode }: CreateElicitationRequest,
) {
  return Boolean(mode === "url" ? elicitation?.url : elicitation?.form);
}
