import type { Load } from "../load.ts";
import { SESSION } from "../traffic.ts";
import type { ViewerPlan } from "../viewer-plan.ts";

/** A system between the load agent and its viewers: Landline, or one that it is compared with. */
export interface Peer {
  readonly name: string;
  /** Starts it with this agent. Throws `PeerMissing` if it is not available. */
  start(agent: readonly string[]): Promise<RunningPeer>;
}

export interface RunningPeer extends AsyncDisposable {
  /** The measured process, without agents. */
  readonly pid: number;
  /** Opens a session with its own agent. */
  open(): Promise<PeerSession>;
}

export interface PeerSession {
  /**
   * Plans for viewers of the session, which request a load in each phase. In a system without fan-out, every viewer has
   * its own agent, and all of them send the request.
   */
  viewers(count: number, phases: readonly Load[]): readonly ViewerPlan[];
  /** Starts a phase if a viewer can't. */
  readonly prompt?: (load: Load) => void;
}

/** The system can't be installed; its rows say so. */
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

type Where = Pick<ViewerPlan, "transport" | "port" | "path" | "command"> &
  Partial<Pick<ViewerPlan, "headers">>;

/** Viewers that speak ACP, each with its own agent. */
export function acpViewers(where: Where, count: number, phases: readonly Load[]): ViewerPlan[] {
  const open = rpc(2, "session/new", SESSION_PARAMS);
  return Array.from({ length: count }, () => acpViewer(where, SESSION, open, phases));
}

/** A viewer that speaks ACP and loads a session that exists. */
export function loadingAcpViewer(
  where: Where,
  sessionId: string,
  phases: readonly Load[],
): ViewerPlan {
  return acpViewer(
    where,
    sessionId,
    rpc(2, "session/load", { ...SESSION_PARAMS, sessionId }),
    phases,
  );
}

function acpViewer(
  where: Where,
  sessionId: string,
  open: string,
  phases: readonly Load[],
): ViewerPlan {
  return {
    headers: [],
    ...where,
    hello: [rpc(1, "initialize", { protocolVersion: 1, clientCapabilities: {} }), open],
    ready: '"id":2',
    phases: phases.map((load, index) => rpcPrompt(10 + index, sessionId, load)),
    asks: {
      find: '"id":(\\d+),"method":"session/request_permission"',
      answer:
        '{"jsonrpc":"2.0","id":$1,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}',
    },
  };
}
