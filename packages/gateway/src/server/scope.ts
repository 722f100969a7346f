import { LandlineError, rowOf, sessionFieldOf, type OperationName } from "@landline/protocol";
import type { Principal } from "./auth.ts";

/**
 * Returns the input that a token may use. A token limited to a session may use `session` operations of that session,
 * `sessions` operations narrowed to it, and no `gateway` operation. Throws `forbidden`.
 */
export function withinScope<Fields extends object>(
  principal: Principal,
  name: OperationName,
  input: Fields,
): Fields {
  const { onlySession } = principal;
  if (onlySession === undefined) return input;
  const { scope } = rowOf(name);
  if (scope === "any") return input;
  const field = sessionFieldOf(name);
  if (field === null) throw outOfScope(onlySession);
  const named = (input as Readonly<Record<string, unknown>>)[field];
  if (named !== undefined && named !== onlySession) throw outOfScope(onlySession);
  return { ...input, [field]: onlySession };
}

/** For parts of an operation that need an unlimited token. */
export function requireWholeGateway({ onlySession }: Principal): void {
  if (onlySession !== undefined) throw outOfScope(onlySession);
}

/** A token of one session may start only the agent of that session. */
export function requireAgentInScope(session: string, own: string, wanted: string): void {
  if (wanted === own) return;
  throw new LandlineError("forbidden", {
    message: `This token is limited to one session of the agent ${own}.`,
    help: `Connect to /acp?agent=${own}.`,
    data: { session },
  });
}

function outOfScope(session: string): LandlineError {
  return new LandlineError("forbidden", {
    message: "This token is limited to one session.",
    help: "Use a token that is not: `landline token new NAME` without --session.",
    data: { session },
  });
}
