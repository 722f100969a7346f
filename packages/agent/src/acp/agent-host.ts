import type { AgentEvent } from "../core/record.ts";
import type { Session } from "../core/session.ts";
import type { Sessions } from "../core/sessions.ts";
import type { AvailableKey } from "../model/available-keys.ts";
import type { Models } from "../model/model.ts";
import type { Client } from "./acp-client.ts";

/** The services of one connection. They are loaded when a session is opened. */
export interface AgentHost {
  readonly version: string;
  /** Returns the same object on every call. */
  sessions(
    client: Client,
    listener: (session: Session, event: AgentEvent) => void,
  ): Promise<Sessions>;
  models(): Promise<Models>;
  keys(): Promise<Keys>;
  /** Lists stored keys and keys in the environment. Does not load the models. */
  availableKeys(): Promise<AvailableKey[]>;
  close(): Promise<void>;
}

/** The stored keys of providers. */
export interface Keys {
  /** Providers that a key can be stored for. */
  providers(): { id: string; name: string }[];
  store(provider: string, key: string): Promise<void>;
  /** Deletes all stored keys. Throws if the file is not usable, and leaves it unchanged. */
  clear(): Promise<void>;
  /** Reads the file again: another process may have signed in. */
  reload(): Promise<void>;
  /** True when a model other than the demo can be used. */
  hasModel(): boolean;
}
