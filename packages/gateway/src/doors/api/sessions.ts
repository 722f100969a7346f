import type { Session } from "../../sessions/sessions.ts";
import type { DoorApp, DoorContext } from "../context.ts";
import { viewText } from "../view-text.ts";
import { bodyOf } from "./body.ts";
import { bodyOfPieces } from "./pieces.ts";
import { oneOf, shortText, wholeNumber } from "./query.ts";
import { checkedId, sessionOf } from "./session.ts";

/** Sessions: the list, and opening, looking at, renaming, forking, closing and erasing one. */
export function addSessionRoutes(app: DoorApp, context: DoorContext): void {
  const { sessions, limits, metrics } = context.services;
  app.on("GET", "/api/sessions", async (request) => {
    const cwd = shortText(request, "cwd", limits.pathLength);
    const parent = shortText(request, "parent", limits.idLength);
    const cursor = shortText(request, "cursor", limits.pathLength);
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.pageRows });
    const page = await sessions.list({
      ...(cwd === undefined ? {} : { cwd }),
      ...(parent === undefined ? {} : { parent }),
      ...(cursor === undefined ? {} : { cursor }),
      ...(limit === undefined ? {} : { limit }),
    });
    return request.json(page);
  });
  app.on("POST", "/api/sessions", async (request) => {
    const body = await bodyOf("open", request, context);
    const session = await sessions.open({ ...body, by: request.var.principal.clientId });
    request.set("sessionId", session.id);
    return request.json(session.summary, 201, { location: addressOf(session, context) });
  });
  app.on("GET", "/api/sessions/:id", async (request) => {
    context.views.take(request);
    const session = await sessionOf(request, context);
    const view = viewText(await session.view(), limits.viewBytes);
    const opening = Buffer.from(`${JSON.stringify(session.summary).slice(0, -1)},"view":`);
    return new Response(bodyOfPieces([opening, view, Buffer.from("}")]), {
      headers: { "content-type": "application/json" },
    });
  });
  app.on("PATCH", "/api/sessions/:id", async (request) => {
    const { title } = await bodyOf("rename", request, context);
    const session = await sessionOf(request, context);
    await session.rename(title, request.var.principal.clientId);
    return request.json(session.summary);
  });
  app.on("DELETE", "/api/sessions/:id", async (request) => {
    const isErased = oneOf(request, "erase", ["true", "false"]) === "true";
    const by = request.var.principal.clientId;
    metrics.commands.add(isErased ? "delete" : "close");
    // One that can't be opened can be erased.
    if (isErased) await sessions.delete(checkedId(request.req.param("id")), by);
    else await (await sessionOf(request, context)).close(by);
    return request.body(null, 204);
  });
  app.on("POST", "/api/sessions/:id/fork", async (request) => {
    const session = await sessionOf(request, context);
    metrics.commands.add("fork");
    const fork = await session.fork(request.var.principal.clientId);
    return request.json(fork.summary, 201, { location: addressOf(fork, context) });
  });
}

function addressOf(session: Session, { services }: DoorContext): string {
  return `${services.address.basePath}/api/sessions/${session.id}`;
}
