import type { Me } from "@landline/client";
import { personName as nameOf } from "@landline/protocol";

/** "You", or what their device is called. */
export function personName(clientId: string, me: Me | null): string {
  if (me?.clientId === clientId) return "You";
  return nameOf(clientId, me?.people ?? {}) ?? "Somebody else";
}

/** Whether they have a name of their own. */
export function isNamed(clientId: string, me: Me | null): boolean {
  return me?.clientId !== clientId && nameOf(clientId, me?.people ?? {}) !== null;
}
