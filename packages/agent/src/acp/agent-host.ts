import type { AgentEvent } from "../core/record.ts";
import type { Session } from "../core/session.ts";
import type { Sessions } from "../core/sessions.ts";
import type { HeldKey } from "../model/available-keys.ts";
import type { Models } from "../model/model.ts";
import type { Client } from "./acp-client.ts";

/** What stands behind one connection. Nothing of it is loaded before a session is wanted. */
export interface AgentHost {
  readonly version: string;
  /** The same for every call. */
  sessions(
    client: Client,
    listener: (session: Session, event: AgentEvent) => void,
  ): Promise<Sessions>;
  models(): Promise<Models>;
  keys(): Promise<Keys>;
  /** Which keys there are, stored or in the environment. Loads nothing that is heavy. */
  heldKeys(): Promise<HeldKey[]>;
  /** Ends everything that was started for the connection. */
  close(): Promise<void>;
}

/** The stored keys of providers. */
export interface Keys {
  /** Providers that a key can be stored for. */
  providers(): { id: string; name: string }[];
  store(provider: string, key: string): Promise<void>;
  /** Forgets all of them. Throws where the file can't be used, and leaves it as it is. */
  clear(): Promise<void>;
  /** Looks again: another process may have signed in. */
  reload(): Promise<void>;
  /** True when a model other than the demo can be used. */
  hasModel(): boolean;
}
