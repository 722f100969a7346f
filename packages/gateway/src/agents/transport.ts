import type { Confinement } from "@landline/protocol";
import type { AgentExit } from "./agent.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";

/** What an agent's connection runs over, a process or a socket, and how that is ended. */
export interface Transport {
  readonly connection: AgentConnection;
  /** How we confine it; null: we do not. */
  readonly confinement: Confinement | null;
  /** What it creates; null: we do not confine it. */
  readonly places: AgentPlaces | null;
  /** When nothing more comes from it. */
  readonly exited: Promise<AgentExit>;
  /** When nothing is left of it, what it started included. */
  readonly done: Promise<unknown>;
  stderr(): string;
  /** True once the agent was made to end, rather than asked. */
  readonly forced: boolean;
  stop(): Promise<AgentExit>;
  /** As `stop`, with less patience, since the gateway itself is ending. */
  shutDown(): Promise<AgentExit>;
}
