import { randomBytes } from "node:crypto";
import { LandlineError, type Role } from "@landline/protocol";
import { hashOf, type StoredToken } from "./tokens-file.ts";

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** Limits the token to one session, for the roles `watch` and `control`. */
  readonly session?: string;
}

/** A new token, and its text: random, with characters that are valid in a URL, a header and a subprotocol. */
export function makeToken({ name, role, session }: NewToken, madeAt: number) {
  const text = `ll_${randomBytes(32).toString("base64url")}`;
  const kept: StoredToken = {
    id: idFor(name),
    name: nameOf(name),
    role,
    madeAt,
    hash: hashOf(text),
    ...(session === undefined ? {} : { session }),
  };
  return { text, kept };
}

/** LANDLINE_TOKEN. */
export interface FixedToken {
  readonly text: string;
  readonly kept: StoredToken;
}

/** `by` in the log. It also names the device after its deletion (`personName`). */
function idFor(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/[\p{M}'’]/gu, "");
  const slug = plain.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const word = slug.replaceAll(/^-|-$/g, "").slice(0, 24) || "token";
  return `${word}-${randomBytes(4).toString("hex")}`;
}

function nameOf(name: string): string {
  // Terminals print names, so control characters are removed.
  const clean = name
    .replaceAll(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, 100);
  return clean === "" ? "token" : clean;
}

export function fixedToken(text: string): FixedToken {
  if (!/^[\x21-\x7e]{1,1024}$/.test(text)) {
    throw new LandlineError("invalid-params", {
      message: "LANDLINE_TOKEN must be 1 to 1024 printable ASCII characters without spaces.",
      help: "Set it to a long random string, or unset it; a token is then created.",
    });
  }
  const kept = { id: "environment", name: "LANDLINE_TOKEN", role: "admin", madeAt: 0 } as const;
  return { text, kept: { ...kept, hash: hashOf(text) } };
}
