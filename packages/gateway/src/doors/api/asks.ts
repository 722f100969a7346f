import type { DoorApp, DoorContext } from "../context.ts";
import { bodyOf } from "./body.ts";
import { idParameter, sessionOf } from "./session.ts";

/** What a person decides: the answer to an ask, the mode, the options. */
export function addAskRoutes(app: DoorApp, context: DoorContext): void {
  const { limits } = context.services;
  app.on("POST", "/api/sessions/:id/asks/:askId", async (request) => {
    const body = await bodyOf("answer", request, context);
    const session = await sessionOf(request, context);
    const askId = idParameter(request, "askId", limits.idLength);
    const outcome =
      "outcome" in body ? body.outcome : { outcome: "selected" as const, optionId: body.optionId };
    const by = request.var.principal.clientId;
    const queued = await session.answer(askId, outcome, by, body.note);
    return request.json({ askId, outcome, ...queued });
  });
  app.on("GET", "/api/sessions/:id/asks/:askId/rules", async (request) => {
    const session = await sessionOf(request, context);
    const askId = idParameter(request, "askId", limits.idLength);
    return request.json(await session.suggestRules(askId));
  });
  app.on("POST", "/api/sessions/:id/mode", async (request) => {
    const { modeId } = await bodyOf("set-mode", request, context);
    const session = await sessionOf(request, context);
    await session.setMode(modeId, request.var.principal.clientId);
    return request.json({ modeId });
  });
  app.on("POST", "/api/sessions/:id/config", async (request) => {
    const { configId, value, remember } = await bodyOf("set-config", request, context);
    const session = await sessionOf(request, context);
    await session.setConfig(configId, value, request.var.principal.clientId, remember);
    return request.json({ configId, value });
  });
}
