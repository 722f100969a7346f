import type { Environment } from "../provider-settings.ts";
import type { Query } from "./query-server.ts";

/** A model as a local server describes it; unknown facts are undefined. */
export interface LocalModel {
  id: string;
  name?: string | undefined;
  contextTokens?: number | undefined;
  image?: boolean | undefined;
  audio?: boolean | undefined;
  tools?: boolean | undefined;
  thinks?: boolean | undefined;
}

/** A model server that people run on their own machine. */
export interface LocalServerKind {
  id: string;
  name: string;
  port: number;
  /** The path of its OpenAI-compatible API. */
  path: string;
  /** Null when another program answers. `quick` has the probe's timeout, `slow` a longer one. */
  probe(quick: Query, slow: Query, environment: Environment): Promise<LocalModel[] | null>;
  /** Advice when the context is too small for an agent. */
  contextAdvice: string;
}
