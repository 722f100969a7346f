import { LandlineError } from "@landline/protocol";
import type { ExportFormat } from "../export/export.ts";
import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import { hasRole, partRoles } from "../roles.ts";
import { withExecutionWords } from "./audit-words.ts";
import { bodyOfPieces } from "./pieces.ts";
import { oneOf, shortText, wholeNumber } from "./query.ts";
import { sessionOf, sessionWith } from "./session.ts";

/** What was said and done, to be looked for, looked through and taken away. */
export function addRecordRoutes(app: DoorApp, context: DoorContext): void {
  const { derived, limits, tokens } = context.services;
  app.on("GET", "/api/search", (request) => {
    const text = shortText(request, "q", limits.searchQueryLength);
    if (text === undefined) {
      throw new LandlineError("invalid-params", { message: "q is missing.", data: { field: "q" } });
    }
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.searchHits });
    const sessionId = shortText(request, "session", limits.idLength);
    const hits = derived.search(text, {
      limit: limit ?? limits.searchHits,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    return request.json({ hits });
  });
  app.on("GET", "/api/audit", async (request) => {
    const sessionId = shortText(request, "session", limits.idLength);
    const after = shortText(request, "after", limits.pathLength);
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.pageRows });
    const mayAdminister = hasRole(request.var.principal.role, partRoles.accessAudit);
    const isOfAll = sessionId === undefined && mayAdminister;
    const found = derived.audit({
      ...(isOfAll ? { besides: await tokens.history() } : {}),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
    });
    const { withEffects } = await import("../../derived/command-effects.ts");
    const entries = withExecutionWords(await withEffects(found.entries), tokens.names);
    const page = { ...found, entries };
    if (!wantsLines(request)) return request.json(page);
    const lines = page.entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    return request.body(lines, 200, {
      "content-type": "application/jsonl; charset=utf-8",
      ...(page.nextCursor === null ? {} : { "landline-next-cursor": page.nextCursor }),
    });
  });
  app.on("GET", "/api/sessions/:id/export", async (request) => {
    const format = formatOf(request);
    context.exports.take(request);
    const session = await sessionOf(request, context);
    const { exportSession } = await import("../export/export.ts");
    const { clientId: me } = request.get("principal");
    const people = { me, names: context.services.tokens.names };
    const signal = AbortSignal.any([request.req.raw.signal, context.closing]);
    return exportSession(session, format, people, signal);
  });
  app.on("GET", "/api/blobs/:hash", async (request) => blob(request, context));
}

const exportFormats: readonly ExportFormat[] = ["json", "markdown", "html"];

function wantsLines(request: DoorRequest): boolean {
  return /\b(?:jsonl|x-ndjson|jsonlines)\b/i.test(request.req.header("accept") ?? "");
}

/** What the address says, else what the program would rather have. */
function formatOf(request: DoorRequest): ExportFormat {
  const named = oneOf(request, "format", exportFormats);
  if (named) return named;
  const accept = request.req.header("accept")?.toLowerCase() ?? "";
  if (accept.includes("text/markdown")) return "markdown";
  return accept.includes("text/html") ? "html" : "json";
}

async function blob(request: DoorRequest, context: DoorContext): Promise<Response> {
  const hash = request.req.param("hash") ?? "";
  context.views.take(request);
  const session = await sessionWith(request.req.query("session") ?? "", context);
  const text = /^[0-9a-f]{64}$/.test(hash) ? await session.log.blob(hash) : null;
  if (!text) {
    throw new LandlineError("file-not-found", {
      message: "This session has no such text.",
      help: "Use the hash of a $blob reference in one of the session's events.",
    });
  }
  return new Response(bodyOfPieces([text]), {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      // Named for its own content, so it can't change.
      "cache-control": "private, max-age=31536000, immutable",
    },
  });
}
