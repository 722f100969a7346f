/** What a person would have to open for a program that its sandbox stopped. */
export interface Opening {
  readonly kind: "network" | Access;
  /** The host, or the path with its links followed. Null: the program named none. Text of a program: people read `what`. */
  readonly target: string | null;
  /** A path as the program named it, absolute. Null: it named none. */
  readonly named: string | null;
  /** In words: `changing "/etc/x"`, `connecting to example.com`. */
  readonly what: string;
  /** What its policy has to have besides. Null: it would have to have too much, so only running outside helps. */
  readonly adds: PolicyAddition | null;
  /** All that `adds` allows, in words: `changing any file in "/data"`. */
  readonly addsWhat: string;
  /** It is never opened for a session: credentials, protected places, broad folders and the whole network. */
  readonly isOnce: boolean;
  /** Why a person is asked each time, as a clause: it is a credential or a protected place. */
  readonly protection: string | null;
  /** It was open, and the program failed all the same. */
  readonly wasOpen: boolean;
}

export type Access = "read" | "change";

/** Paths and hosts to add to a policy. `network`: "on", or one more host. */
export interface PolicyAddition {
  readonly read?: readonly [path: string];
  readonly write?: readonly [path: string];
  readonly opened?: readonly [path: string];
  readonly openedToRead?: readonly [path: string];
  readonly network?: "on" | readonly [host: string];
}
