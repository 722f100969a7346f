import { LandlineError } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import { errorOfPeer } from "../acp-connection/calls.ts";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { NoiseReport } from "../acp-connection/noise.ts";
import type { AgentLink } from "./agent-link.ts";
import type { AgentRequests } from "./agent-requests.ts";
import { optionsAfter, type AgentSettings } from "./agent-settings.ts";
import { isExtension } from "./extension-methods.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import type { Turns } from "./turns.ts";
import { UpdateRate } from "./update-rate.ts";

export interface AgentMessagesOptions {
  readonly host: SessionHost;
  readonly settings: AgentSettings;
  readonly recorder: Recorder;
  readonly agentRequests: AgentRequests;
  readonly agent: AgentLink;
  readonly turns: Turns;
  readonly changed: () => void;
}

/** Receives the messages of a session's agent, in wire order. `flush` follows the messages of one read. */
export class AgentMessages {
  readonly #options: AgentMessagesOptions;
  readonly #rate: UpdateRate;

  constructor(options: AgentMessagesOptions) {
    const { host, recorder, agent } = options;
    this.#options = options;
    this.#rate = new UpdateRate(host.limits, host.strict, {
      hold: () => agent.hold("rate"),
      release: () => agent.release("rate"),
      note: (message) =>
        recorder.inbox.gather({ kind: "error", code: "message-too-large", message }),
    });
  }

  /** `child`: the agent's session id of a subagent; null for this session. */
  update(given: AgentUpdate, child: string | null): void {
    const { recorder, agentRequests, settings } = this.#options;
    const { update, raw } = given;
    recorder.inbox.update(given, child);
    this.#rate.count(raw.length);
    agentRequests.noteUpdate(update, child);
    if (child === null) settings.options = optionsAfter(settings.options, update);
  }

  async request(request: AgentRequest, child: string | null): Promise<void> {
    const { host, recorder, agentRequests, changed } = this.#options;
    recorder.inbox.startReading();
    const answer = agentRequests.handle(request, child);
    if (agentRequests.asks.openCount > 0) changed();
    try {
      request.answer(await answer);
    } catch (error) {
      // The agent does not receive internal details. They go to the gateway's log.
      if (!(error instanceof LandlineError))
        host.report(recorder.log.sessionId, `${request.method} failed.`, error);
      else if (isExtension(request.method)) return request.fail(errorOfPeer(error) ?? error);
      throw error;
    } finally {
      changed();
    }
  }

  notification(method: string, params: unknown): void {
    const { recorder, agentRequests, changed } = this.#options;
    const given = isRecord(params) ? params : {};
    agentRequests.notify(method, given);
    const { elicitationId } = given;
    if (method !== "elicitation/complete" || typeof elicitationId !== "string") return;
    recorder.inbox.startReading();
    if (agentRequests.asks.complete(elicitationId)) changed();
  }

  noise({ lines, count, reason }: NoiseReport): void {
    this.#options.recorder.inbox.gather({ kind: "agent-noise", lines, count, reason });
  }

  flush(): void {
    const { recorder, agent, turns } = this.#options;
    recorder.inbox.flush();
    if (turns.current) turns.current.heard();
    else agent.used();
  }

  close(): void {
    this.#rate.close();
  }
}
