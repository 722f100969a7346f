import type { DoorApp, DoorContext } from "../context.ts";
import { wholeNumber } from "./query.ts";
import { sessionOf } from "./session.ts";

const fromOne = { least: 1, most: Number.MAX_SAFE_INTEGER };

/** Not an error: whether it is kept is what a client wants to know. */
const notKept = { lines: null, hasMore: false };

/** The wire of a session's agent, newest page first, where it is kept. */
export function addTraceRoute(app: DoorApp, context: DoorContext): void {
  const { limits, readTrace } = context.services;
  app.on("GET", "/api/sessions/:id/trace", async (request) => {
    const before = wholeNumber(request, "before", fromOne);
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.tracePageLines });
    const session = await sessionOf(request, context);
    const page = await readTrace?.(session.id, {
      limit: limit ?? limits.tracePageLines,
      ...(before === undefined ? {} : { before }),
    });
    return request.json(page ?? notKept);
  });
}
