import { homedir } from "node:os";
import { operations } from "@landline/protocol";
import { resolveRoots } from "../../sessions/roots.ts";
import { findFiles } from "../file-names.ts";
import { listFolders } from "../folder-listing.ts";
import { requireRole } from "../roles.ts";
import { requireWholeGateway } from "../scope.ts";
import { type HttpCall, type Implementations, wrongField } from "./operation.ts";

/** File names for @-mentions, and folders for new sessions. */
export const fileOperations = {
  "find-files": async ({ q = "", limit, ...place }, call) => {
    const { limits } = call.services;
    const most = Math.min(limit ?? limits.filesListed, limits.filesListed);
    const { signal } = call.request.req.raw;
    return findFiles(await foldersOf(place, call), q, { limits, signal, most });
  },
  "list-folders": ({ path = homedir() }, { services }) => listFolders(path, services.limits),
} satisfies Partial<Implementations>;

async function foldersOf(
  { session, folder }: { readonly session?: string; readonly folder?: string },
  { principal, findSession }: HttpCall,
): Promise<readonly string[]> {
  if (folder === undefined) {
    const { cwd, roots } = (await findSession(session ?? "")).summary;
    return [...new Set([cwd, ...roots])];
  }
  // A client that may open sessions anywhere may list any folder; a watcher only sees the folders of sessions.
  requireWholeGateway(principal);
  requireRole(principal, operations["find-files"].parts.folder);
  if (session !== undefined) throw wrongField("folder", "must not be given together with session");
  return [(await resolveRoots(folder, [])).cwd];
}
