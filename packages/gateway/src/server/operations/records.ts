import { LandlineError, operations } from "@landline/protocol";
import type { ServerRequest } from "../context.ts";
import type { ExportFormat } from "../export/export.ts";
import { hasRole } from "../roles.ts";
import { withExecutionText } from "./audit-text.ts";
import type { Implementations } from "./operation.ts";
import { streamBody } from "./body-stream.ts";

/** Search, audit, export, traces and long texts. */
export const recordOperations = {
  search: async ({ q, session, limit }, { services: { indexDatabase, sessions, limits } }) => {
    await sessions.indexed();
    const hits = indexDatabase.search(q, {
      limit: Math.min(limit ?? limits.searchHits, limits.searchHits),
      ...(session === undefined ? {} : { sessionId: session }),
    });
    return { hits };
  },
  audit: async ({ session, after, limit }, { services, principal, request }) => {
    const { indexDatabase, sessions, tokens, limits } = services;
    await sessions.indexed();
    const isOfAll = session === undefined && hasRole(principal.role, operations.audit.parts.tokens);
    const deleted = (await sessions.deletions()).filter(
      ({ sessionId }) => session === undefined || sessionId === session,
    );
    const found = indexDatabase.audit({
      besides: [...(isOfAll ? await tokens.history() : []), ...deleted],
      ...(session === undefined ? {} : { sessionId: session }),
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit: Math.min(limit, limits.pageRows) }),
    });
    const { withEffects } = await import("../../index/command-effects.ts");
    const entries = withExecutionText(await withEffects(found.entries), tokens.names);
    const page = { ...found, entries };
    if (!wantsLines(request)) return page;
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    return request.body(lines, 200, {
      "content-type": "application/jsonl; charset=utf-8",
      ...(page.nextCursor === null ? {} : { "landline-next-cursor": page.nextCursor }),
    });
  },
  export: async ({ sessionId, format }, { services, principal, request, context, findSession }) => {
    context.exports.take(request);
    const session = await findSession(sessionId);
    const { exportSession } = await import("../export/export.ts");
    const people = { me: principal.clientId, names: services.tokens.names };
    const signal = AbortSignal.any([request.req.raw.signal, context.closing]);
    return exportSession(session, format ?? acceptedFormat(request), people, signal);
  },
  "read-trace": async ({ sessionId, before, limit }, { services, findSession }) => {
    const { limits, readTrace } = services;
    const { id } = await findSession(sessionId);
    const most = limits.tracePageLines;
    const page = await readTrace?.(id, {
      limit: Math.min(limit ?? most, most),
      ...(before === undefined ? {} : { before }),
    });
    // Not an error, because clients ask whether a trace exists.
    return page ?? { lines: null, hasMore: false };
  },
  "read-blob": async ({ hash, session: sessionId }, { request, context, findSession }) => {
    context.views.take(request);
    const session = await findSession(sessionId);
    const text = /^[0-9a-f]{64}$/.test(hash) ? await session.log.blob(hash) : null;
    if (!text) {
      throw new LandlineError("file-not-found", {
        message: "This session has no such text.",
        help: "Use the hash of a $blob reference in one of the session's events.",
      });
    }
    return new Response(streamBody([text]), {
      headers: {
        "content-type": "text/plain; charset=utf-8",
        // The name is the hash of the content, so the content never changes.
        "cache-control": "private, max-age=31536000, immutable",
      },
    });
  },
} satisfies Partial<Implementations>;

function wantsLines(request: ServerRequest): boolean {
  return /\b(?:jsonl|x-ndjson|jsonlines)\b/i.test(request.req.header("accept") ?? "");
}

function acceptedFormat(request: ServerRequest): ExportFormat {
  const accept = request.req.header("accept")?.toLowerCase() ?? "";
  if (accept.includes("text/markdown")) return "markdown";
  return accept.includes("text/html") ? "html" : "json";
}
