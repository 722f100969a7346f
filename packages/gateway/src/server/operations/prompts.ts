import { randomUUIDv7 } from "node:crypto";
import { contentBlocks } from "@landline/protocol";
import { ratesOf } from "../rates.ts";
import type { Implementations } from "./operation.ts";

/** Prompts, turns, and answers to permission requests and questions. */
export const promptOperations = {
  prompt: async (
    { sessionId, promptId = randomUUIDv7(), content },
    { services, principal, findSession },
  ) => {
    const session = await findSession(sessionId);
    ratesOf(services).takePrompt(session.id);
    const isNew = await session.prompt(promptId, contentBlocks(content), principal.clientId);
    return { promptId, ...(!isNew && { isRepeated: true as const }) };
  },
  "change-prompt": async (
    { sessionId, promptId, content, before = null },
    { principal, findSession },
  ) => {
    const session = await findSession(sessionId);
    if (content === undefined) await session.movePrompt(promptId, before, principal.clientId);
    else await session.changePrompt(promptId, contentBlocks(content), principal.clientId);
    return { promptId };
  },
  "withdraw-prompt": async ({ sessionId, promptId }, { principal, findSession }) =>
    (await findSession(sessionId)).withdrawPrompt(promptId, principal.clientId),
  cancel: async ({ sessionId, promptId }, { principal, findSession }) => {
    await (await findSession(sessionId)).cancel(principal.clientId, promptId);
    return {};
  },
  answer: async (
    { sessionId, askId, outcome: given, optionId = "", note },
    { principal, findSession },
  ) => {
    const outcome = given ?? { outcome: "selected" as const, optionId };
    const session = await findSession(sessionId);
    const queued = await session.answer(askId, outcome, principal.clientId, note);
    return { askId, outcome, ...queued };
  },
  "suggest-rules": async ({ sessionId, askId }, { findSession }) =>
    (await findSession(sessionId)).suggestRules(askId),
} satisfies Partial<Implementations>;
