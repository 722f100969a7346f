import type { Me } from "@landline/client";
import { personName as nameOf } from "@landline/protocol";

/** "You", or the name of the device. */
export function personName(clientId: string, me: Me | null): string {
  if (me?.clientId === clientId) return "You";
  return nameOf(clientId, me?.people ?? {}) ?? "Somebody else";
}

/** Whether another client's device has a name. */
export function isNamed(clientId: string, me: Me | null): boolean {
  return me?.clientId !== clientId && nameOf(clientId, me?.people ?? {}) !== null;
}
