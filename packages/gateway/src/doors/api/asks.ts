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
    await session.answer(askId, outcome, request.var.principal.clientId);
    return request.json({ askId, outcome });
  });
  app.on("POST", "/api/sessions/:id/mode", async (request) => {
    const { modeId } = await bodyOf("set-mode", request, context);
    const session = await sessionOf(request, context);
    await session.setMode(modeId, request.var.principal.clientId);
    return request.json({ modeId });
  });
  app.on("POST", "/api/sessions/:id/config", async (request) => {
    const { configId, value } = await bodyOf("set-config", request, context);
    const session = await sessionOf(request, context);
    await session.setConfig(configId, value, request.var.principal.clientId);
    return request.json({ configId, value });
  });
}
