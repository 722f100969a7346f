import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import { partRoles, requireRole } from "../roles.ts";
import type { TokenSummary } from "../tokens.ts";
import { bodyOf } from "./body.ts";
import { idParameter } from "./session.ts";

/** Who may come in, one token each: listed, added and taken away. */
export function addDeviceRoutes(app: DoorApp, context: DoorContext): void {
  const { tokens, limits, metrics } = context.services;
  app.on("GET", "/api/devices", (request) => {
    const devices = tokens.list().map((token) => deviceOf(token, request));
    return request.json({ devices });
  });
  app.on("POST", "/api/devices", async (request) => {
    const wanted = await bodyOf("add-device", request, context);
    const { token, summary } = await tokens.create(wanted, request.var.principal.clientId);
    const url = linkOf(pageAddress(request, context), token);
    return request.json({ ...deviceOf(summary, request), token, url }, 201);
  });
  app.on("POST", "/api/links", async (request) => {
    const token = await tokens.link();
    metrics.commands.add("add-link");
    return request.json({ token, url: linkOf(pageAddress(request, context), token) }, 201);
  });
  app.on("DELETE", "/api/devices/:id", async (request) => {
    const id = idParameter(request, "id", limits.idLength);
    if (!isThis(id, request)) requireRole(request.var.principal, partRoles.deviceOfAnother);
    metrics.commands.add("remove-device");
    await tokens.revoke(id, request.var.principal.clientId);
    return request.json({ id, isThis: isThis(id, request) });
  });
}

function linkOf(address: string, token: string): string {
  return `${address}/#token=${encodeURIComponent(token)}`;
}

function deviceOf(token: TokenSummary, request: DoorRequest) {
  return { ...token, isThis: isThis(token.id, request) };
}

function isThis(id: string, request: DoorRequest): boolean {
  return id === request.var.principal.tokenId;
}

/** Where people are told to reach us, else the name by which whoever asks does: it was checked to be ours. */
function pageAddress(request: DoorRequest, { services, addresses }: DoorContext): string {
  const { publicUrl = null, address } = services;
  if (publicUrl !== null) return publicUrl;
  const host = request.req.header("host") ?? new URL(request.req.url).host;
  const scheme = addresses.isSecure(host) ? "https" : "http";
  return `${scheme}://${host}${address.basePath}`;
}
