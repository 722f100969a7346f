/** What lets a client in. */
export interface Credential {
  /** For the next request; null when there is none. May fail as a request does. */
  token(): string | null | Promise<string | null>;
  /** The gateway did not take this one. Says whether another can be had, which the next `token` brings. */
  refused(token: string | null): boolean;
  /** The line broke: the gateway may be another one, which does not know what it gave out before. */
  doubt(): void;
}

/** A token that somebody gave us. */
export function fixedCredential(token: string | null): Credential {
  return { token: () => token, refused: () => false, doubt: () => {} };
}
