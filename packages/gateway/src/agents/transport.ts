import type { Confinement } from "@landline/protocol";
import type { AgentExit } from "./agent.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { AgentCall } from "./agent-sandbox.ts";
import type { AgentConnection } from "../acp-connection/connection.ts";

/** The process or socket of an agent's connection, and how it ends. */
export interface Transport {
  readonly connection: AgentConnection;
  /** How the gateway confines it; null: not confined. */
  readonly confinement: Confinement | null;
  /** Protected places that it creates; null: not confined. */
  readonly places: AgentPlaces | null;
  /** Which files it may use; null: not confined. */
  readonly permits: AgentCall["permits"];
  /** Resolves when its output has ended. */
  readonly exited: Promise<AgentExit>;
  /** Resolves when all its processes have ended. */
  readonly done: Promise<unknown>;
  stderr(): string;
  /** Why the connection to an agent at an address broke. */
  readonly failure?: Error | null;
  /** Whether the agent was killed instead of exiting when asked. */
  readonly forced: boolean;
  stop(): Promise<AgentExit>;
  /** Like `stop`, with shorter timeouts, because the gateway itself ends. */
  shutDown(): Promise<AgentExit>;
}
