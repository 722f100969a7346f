import type { Environment } from "../provider-settings.ts";
import type { Ask } from "./query-server.ts";

/** A model as a server on this machine describes it. What it does not say is undefined. */
export interface LocalModel {
  id: string;
  name?: string | undefined;
  contextTokens?: number | undefined;
  image?: boolean | undefined;
  audio?: boolean | undefined;
  tools?: boolean | undefined;
  thinks?: boolean | undefined;
}

/** A kind of server that people run on their own machine. */
export interface LocalServerKind {
  id: string;
  name: string;
  port: number;
  /** Where its OpenAI-compatible interface is. */
  path: string;
  /** Null when what answers there is something else. `soon` answers within the probe's time, `later` may take longer. */
  look(soon: Ask, later: Ask, environment: Environment): Promise<LocalModel[] | null>;
  /** What to do when the context is too small for an agent. */
  widen: string;
}
