import type { Use, Verdict } from "@landline/shell";
import type { CommandFile } from "../permission/file-rules.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { nameOfReal } from "./target-path.ts";

const reading: ReadonlySet<Use> = new Set<Use>(["read", "search", "load", "may"]);
const changing: ReadonlySet<Use> = new Set<Use>(["write", "delete", "may"]);

/** The files that a line reads and changes, by their names in rules. */
export async function commandFiles(
  { paths }: { paths: readonly Pick<Verdict["paths"][number], "named" | "real" | "use">[] },
  workspace: Workspace,
): Promise<readonly CommandFile[]> {
  const files: CommandFile[] = [];
  for (const { named, real, use } of paths) {
    const names = new Set([workspace.display(named), await nameOfReal(real, workspace)]);
    const patterns = [...names];
    if (reading.has(use)) files.push({ permission: "read", patterns, isTree: use !== "read" });
    if (changing.has(use)) files.push({ permission: "edit", patterns, isTree: true });
  }
  return files;
}
