/** A source of tokens. */
export interface Credential {
  /** The token for the next request; null when there is none. May reject as a request does. */
  token(): string | null | Promise<string | null>;
  /** The gateway refused this token. Returns whether the next `token()` can return another. */
  refused(token: string | null): boolean;
  /** The connection was lost. A restarted gateway may not accept the current token. */
  doubt(): void;
}

/** A token from the options. */
export function fixedCredential(token: string | null): Credential {
  return { token: () => token, refused: () => false, doubt: () => {} };
}
