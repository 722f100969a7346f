import { resolveRoots } from "../../sessions/roots.ts";
import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import { findFiles } from "../file-names.ts";
import { partRoles, requireRole } from "../roles.ts";
import { shortText, wholeNumber, wrongField } from "./query.ts";
import { sessionWith } from "./session.ts";

/** Names of files for @-mentions: in a session's folders, or in the one where a session is to begin. */
export function addFileRoutes(app: DoorApp, context: DoorContext): void {
  const { limits } = context.services;
  app.on("GET", "/api/files", async (request) => {
    const text = shortText(request, "q", limits.pathLength) ?? "";
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.filesListed });
    const folders = await foldersOf(request, context);
    const { signal } = request.req.raw;
    return request.json(
      await findFiles(folders, text, { limits, signal, most: limit ?? limits.filesListed }),
    );
  });
}

async function foldersOf(request: DoorRequest, context: DoorContext): Promise<readonly string[]> {
  const folder = shortText(request, "folder", context.services.limits.pathLength);
  const sessionId = request.req.query("session");
  if (folder === undefined) {
    const { cwd, roots } = (await sessionWith(sessionId ?? "", context)).summary;
    return [...new Set([cwd, ...roots])];
  }
  // Who may open a session anywhere may look there; who may only watch sees what sessions show.
  requireRole(request.var.principal, partRoles.anyFolder);
  if (sessionId !== undefined) throw wrongField("folder", "must not stand beside session");
  return [(await resolveRoots(folder, [])).cwd];
}
