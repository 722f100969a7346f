/** What a person would have to open for a program that its sandbox stopped. */
export interface Opening {
  readonly kind: "network" | Access;
  /** The host, or the real path. Null: the program named none. It is output of the program: people read `what`. */
  readonly target: string | null;
  /** The path as the program named it, made absolute. Null: it named none. */
  readonly named: string | null;
  /** For people: `changing "/etc/x"`, `connecting to example.com`. */
  readonly what: string;
  /** What the policy has to add. Null: it would be too much, so only running outside helps. */
  readonly adds: PolicyAddition | null;
  /** For people, everything that `adds` allows: `changing any file in "/data"`. */
  readonly addsWhat: string;
  /** It is never opened for a session: credentials, protected places, broad folders and the whole network. */
  readonly isOnce: boolean;
  /** Why a person is asked each time, as a clause: it is a credential or a protected place. */
  readonly protection: string | null;
  /** It was already open, and the program failed anyway. */
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
