import { randomUUIDv7 } from "node:crypto";
import type { PromptContent } from "@landline/protocol/commands";
import type { DoorApp, DoorContext } from "../context.ts";
import { bodyOf } from "./body.ts";
import { idParameter, sessionOf } from "./session.ts";

/** Prompts: queueing, changing, moving and withdrawing one, and cancelling the turn. */
export function addPromptRoutes(app: DoorApp, context: DoorContext): void {
  const { rates, services } = context;
  app.on("POST", "/api/sessions/:id/prompts", async (request) => {
    const body = await bodyOf("prompt", request, context);
    const session = await sessionOf(request, context);
    rates.takePrompt(session.id);
    const promptId = body.promptId ?? randomUUIDv7();
    await session.prompt(promptId, await blocksOf(body.content), request.var.principal.clientId);
    return request.json({ promptId }, 202);
  });
  app.on("PATCH", "/api/sessions/:id/prompts/:promptId", async (request) => {
    const { content, before = null } = await bodyOf("change-prompt", request, context);
    const session = await sessionOf(request, context);
    const promptId = idParameter(request, "promptId", services.limits.idLength);
    const by = request.var.principal.clientId;
    if (content === undefined) await session.movePrompt(promptId, before, by);
    else await session.changePrompt(promptId, await blocksOf(content), by);
    return request.json({ promptId });
  });
  app.on("DELETE", "/api/sessions/:id/prompts/:promptId", async (request) => {
    const session = await sessionOf(request, context);
    const promptId = idParameter(request, "promptId", services.limits.idLength);
    services.metrics.commands.add("withdraw-prompt");
    await session.withdrawPrompt(promptId, request.var.principal.clientId);
    return request.body(null, 204);
  });
  app.on("POST", "/api/sessions/:id/cancel", async (request) => {
    const session = await sessionOf(request, context);
    services.metrics.commands.add("cancel");
    await session.cancel(request.var.principal.clientId);
    return request.json({}, 202);
  });
}

async function blocksOf(content: PromptContent) {
  const { contentBlocks } = await import("@landline/protocol/commands");
  return contentBlocks(content);
}
