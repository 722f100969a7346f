import type { Load } from "../load.ts";
import type { ViewerPlan } from "../viewer-plan.ts";

/** A system that stands between the load agent and its viewers: ours, or one that it is compared with. */
export interface Peer {
  readonly name: string;
  /** Starts it with this agent behind it. Fails with `PeerMissing` where it can't be had. */
  start(agent: readonly string[]): Promise<RunningPeer>;
}

export interface RunningPeer extends AsyncDisposable {
  /** The process that is measured; agents are not part of it. */
  readonly pid: number;
  /** A session with an agent of its own. */
  open(): Promise<PeerSession>;
}

export interface PeerSession {
  /**
   * So many viewers of the session, which ask for a load in each phase. A system without fan-out gives
   * every viewer an agent of its own, so that all of them ask.
   */
  viewers(count: number, phases: readonly Load[]): readonly ViewerPlan[];
  /** Starts a phase where a viewer can't. */
  readonly prompt?: (load: Load) => void;
}

/** It is not installed and can't be: its rows say so, and the rest runs. */
export class PeerMissing extends Error {}

const SESSION_PARAMS = { cwd: "/", mcpServers: [] };

export function rpc(id: number | null, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...(id !== null && { id }), method, params });
}

export function rpcPrompt(id: number, sessionId: string, load: Load): string {
  return rpc(id, "session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: JSON.stringify(load) }],
  });
}

/** A viewer that speaks ACP itself, and so has an agent of its own. */
export function acpViewers(
  where: Pick<ViewerPlan, "transport" | "port" | "path">,
  count: number,
  phases: readonly Load[],
): ViewerPlan[] {
  return Array.from({ length: count }, () => ({
    ...where,
    headers: [],
    hello: [
      rpc(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }),
      rpc(2, "session/new", SESSION_PARAMS),
    ],
    ready: '"sessionId"',
    phases: phases.map((load, index) => rpcPrompt(10 + index, "bench-session", load)),
    asks: {
      find: '"id":(\\d+),"method":"session/request_permission"',
      answer:
        '{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}',
    },
  }));
}
