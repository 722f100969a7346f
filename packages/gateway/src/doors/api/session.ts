import { LandlineError } from "@landline/protocol";
import type { Session } from "../../sessions/sessions.ts";
import type { DoorContext, DoorRequest } from "../context.ts";

/** The session that the address names. */
export function sessionOf(request: DoorRequest, context: DoorContext): Promise<Session> {
  return sessionWith(request.req.param("id") ?? "", context);
}

export async function sessionWith(id: string, { services }: DoorContext): Promise<Session> {
  return services.sessions.get(checkedId(id));
}

/** Ids are letters, digits, `-` and `_`: anything else is no session, and reaches nothing that opens files. */
export function checkedId(id: string): string {
  if (!/^[\w-]{1,128}$/.test(id)) throw new LandlineError("session-not-found");
  return id;
}

/** The part of an address behind the session's own, as the client meant it. */
export function idParameter(request: DoorRequest, name: string, most: number): string {
  const value = request.req.param(name) ?? "";
  if (value.length > most || value.includes("\0")) {
    throw new LandlineError("invalid-params", {
      message: `${name} is no id.`,
      data: { field: name },
    });
  }
  return value;
}
