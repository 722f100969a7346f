import { isWithin } from "@landline/shell";
import type { LocatedPath, Workspace } from "../workspace/workspace.ts";
import { credentialAt } from "./protected-paths.ts";

/**
 * The note for the model in place of a mentioned file with credentials or behind a link out of the project;
 * null for other files. Only the read tool shows those, because it asks.
 */
export function withheldFile(
  { path, real, isOutside }: LocatedPath,
  workspace: Workspace,
): string | null {
  const credential = credentialAt(path, real);
  if (credential !== null) return withheld(`it may hold ${credential}`);
  const isNamedInside = workspace.roots.some((root) => isWithin(root, path));
  return isNamedInside && isOutside ? withheld("a link leads outside the project") : null;
}

function withheld(why: string): string {
  return `(not shown: ${why}. The read tool asks the person before it shows the file.)`;
}
