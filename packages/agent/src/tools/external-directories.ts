import { dirname, join, sep } from "node:path";
import { isFolder } from "@landline/system/missing-file";
import type { Use, Verdict } from "@landline/shell";
import { EXTERNAL_DIRECTORY, type Access, type PermissionRequest } from "../permission/rule.ts";

/** Requests for reads and changes outside the project. */
export async function externalDirectoryRequestsFor(
  line: string,
  verdict: Verdict,
): Promise<PermissionRequest[]> {
  const requests: PermissionRequest[] = [];
  for (const access of ["read", "change"] as const) {
    const folders = await externalFolders(verdict, access);
    if (folders.length === 0) continue;
    const because = verdict.reasons.flatMap(({ code, message, about }) =>
      code === "outside" && about.kind === "path" && accessOf(about.path.use) === access
        ? [message]
        : [],
    );
    requests.push(externalDirectoryRequest(line, { folders, access, because }));
  }
  return requests;
}

export function externalDirectoryRequest(
  title: string,
  given: { folders: readonly string[]; access: Access; because: readonly string[] },
): PermissionRequest {
  const { folders, access, because } = given;
  const patterns = folders.map(folderPattern);
  const named = folders.map((folder) => `${folder} is outside the project`);
  return {
    permission: EXTERNAL_DIRECTORY,
    patterns: patterns.map((pattern) => ({ pattern, access })),
    always: patterns,
    alwaysAs: { permission: EXTERNAL_DIRECTORY, access },
    because: because.length > 0 ? because : named,
    view: { title: `${title} (outside the project, in ${folders.join(", ")})` },
  };
}

const changing: ReadonlySet<Use> = new Set<Use>(["write", "delete", "may"]);

function accessOf(use: Use): Access {
  return changing.has(use) ? "change" : "read";
}

/** The external folders that a line reads or changes, with links resolved. */
export async function externalFolders({ outside }: Verdict, access: Access): Promise<string[]> {
  const folders = new Set<string>();
  for (const { real, use } of outside) {
    if (accessOf(use) !== access) continue;
    folders.add((await isFolder(real)) ? real : dirname(real));
  }
  return [...folders];
}

/** The pattern of a folder in rules. */
export function folderPattern(folder: string): string {
  return join(folder, "*").replaceAll(sep, "/");
}
