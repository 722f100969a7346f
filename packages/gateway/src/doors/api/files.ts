import type { DoorApp, DoorContext } from "../context.ts";
import { findFiles } from "../file-names.ts";
import { shortText, wholeNumber } from "./query.ts";
import { sessionWith } from "./session.ts";

/** Names of files in a session's folders, for @-mentions. */
export function addFileRoutes(app: DoorApp, context: DoorContext): void {
  const { limits } = context.services;
  app.on("GET", "/api/files", async (request) => {
    const session = await sessionWith(request.req.query("session") ?? "", context);
    const text = shortText(request, "q", limits.pathLength) ?? "";
    const limit = wholeNumber(request, "limit", { least: 1, most: limits.filesListed });
    const { cwd, roots } = session.summary;
    const folders = [...new Set([cwd, ...roots])];
    const { signal } = request.req.raw;
    return request.json(
      await findFiles(folders, text, { limits, signal, most: limit ?? limits.filesListed }),
    );
  });
}
