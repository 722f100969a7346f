import { operations } from "@landline/protocol";
import type { Principal } from "../auth.ts";
import type { ServerContext, ServerRequest } from "../context.ts";
import { requireRole } from "../roles.ts";
import type { TokenSummary } from "../tokens.ts";
import { Tickets } from "../tickets.ts";
import { type Implementations, wrongField } from "./operation.ts";

/** Devices with their tokens, and tickets for downloads that browsers request without an Authorization header. */
export const deviceOperations = {
  "list-devices": (_input, { services, principal }) => ({
    devices: services.tokens.list().map((token) => deviceOf(token, principal)),
  }),
  "add-device": async (wanted, { services, principal, request, context }) => {
    const { token, summary } = await services.tokens.create(wanted, principal.clientId);
    const url = linkOf(pageAddress(request, context), token);
    return { ...deviceOf(summary, principal), token, url };
  },
  "remove-device": async ({ id }, { services, principal }) => {
    const isThis = id === principal.tokenId;
    if (!isThis) requireRole(principal, operations["remove-device"].parts.otherDevice);
    await services.tokens.revoke(id, principal.clientId);
    return { id, isThis };
  },
  "add-link": async (_input, { services, request, context }) => {
    const token = await services.tokens.link();
    return { token, url: linkOf(pageAddress(request, context), token) };
  },
  "add-ticket": ({ address }, { principal, context }) => {
    if (!Tickets.isFor(address)) throw wrongField("address", "must be the address of an export");
    return { ticket: context.tickets.issue(principal, address) };
  },
} satisfies Partial<Implementations>;

function deviceOf(token: TokenSummary, { tokenId }: Principal) {
  return { ...token, isThis: token.id === tokenId };
}

function linkOf(address: string, token: string): string {
  return `${address}/#token=${encodeURIComponent(token)}`;
}

/** The public URL, otherwise the host of the request, which was checked. */
function pageAddress(request: ServerRequest, { services, addresses }: ServerContext): string {
  const { publicUrl = null, address } = services;
  if (publicUrl !== null) return publicUrl;
  const host = request.req.header("host") ?? new URL(request.req.url).host;
  const scheme = addresses.isSecure(host) ? "https" : "http";
  return `${scheme}://${host}${address.basePath}`;
}
