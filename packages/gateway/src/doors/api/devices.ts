import { requireControl } from "../auth.ts";
import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import type { TokenSummary } from "../tokens.ts";
import { bodyOf } from "./body.ts";
import { idParameter } from "./session.ts";

/** Who may come in, one token each: listed, added and taken away by those who may act. */
export function addDeviceRoutes(app: DoorApp, context: DoorContext): void {
  const { tokens, limits, metrics } = context.services;
  app.on("GET", "/api/devices", (request) => {
    requireControl(request.var.principal);
    const devices = tokens.list().map((token) => deviceOf(token, request));
    return request.json({ devices });
  });
  app.on("POST", "/api/devices", async (request) => {
    const wanted = await bodyOf("add-device", request, context);
    const { token, summary } = await tokens.create(wanted);
    const url = `${pageAddress(request, context)}/?token=${encodeURIComponent(token)}`;
    return request.json({ ...deviceOf(summary, request), token, url }, 201);
  });
  app.on("DELETE", "/api/devices/:id", async (request) => {
    const id = idParameter(request, "id", limits.idLength);
    metrics.commands.add("remove-device");
    await tokens.revoke(id);
    return request.json({ id, isThis: isThis(id, request) });
  });
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
