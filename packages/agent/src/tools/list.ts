import { z } from "zod";
import { toolLimits } from "../limits.ts";
import { globMatcher } from "../workspace/glob.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { fileTree } from "./file-tree.ts";
import { noFile } from "./file-suggestions.ts";
import { outsideAt, isOutput, placeOf, type Place } from "./target-path.ts";
import { searchFailure } from "./search-failure.ts";
import { ToolFailure, type Tool, type ToolResult } from "./tool.ts";

/** Files that a tree is made of. It is marked as cut when there are more. */
const filesMax = 5_000;

const input = z.object({
  path: z.string().optional().describe("The folder; the working directory unless told"),
  ignore: z.array(z.string().min(1)).max(100).optional().describe("Globs of files to leave out"),
});

const description = `Shows what is in a folder, and in the folders below it, as a tree of at most ${toolLimits.listedLines} lines: a folder that does not fit is shown with the number of its files, and can be listed by itself. Files that git ignores are left out, hidden ones are not. It gives you an idea of a project; to find something in particular, glob and grep are quicker.`;

export function createListTool(outputs: string): Tool<z.infer<typeof input>> {
  return {
    name: "list",
    description,
    input,
    kind: "read",
    permission: "list",
    view: ({ path = "." }, workspace) => {
      const folder = workspace.resolve(path);
      const title = `List ${workspace.display(folder)}`;
      return { title, locations: [{ path: folder }], content: [] };
    },
    async run({ path = ".", ignore = [] }, context) {
      const { workspace, signal } = context;
      const place = await placeOf(path, workspace);
      if (!(await isOutput(place, outputs))) {
        const outside = outsideAt(place, {
          isFolder: true,
          title: `List ${place.name}`,
          access: "read",
        });
        const request = { permission: "list", patterns: place.patterns, always: ["*"] };
        await context.ask(...outside, request);
      }
      const stat = await workspace.stat(place.path);
      if (stat === null) throw await noFile(place, context);
      if (stat.type !== "directory") {
        throw new ToolFailure("invalid-input", `${place.name} is no folder. Use read to see it.`);
      }
      try {
        return await listed(place, ignore, workspace, signal);
      } catch (error) {
        throw searchFailure(error);
      }
    },
  };
}

async function listed(
  place: Place,
  ignore: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<ToolResult> {
  const matchers = ignore.map(globMatcher);
  const folder = place.path;
  const { paths, truncated } = await workspace.findFiles({
    pattern: "**",
    folder,
    limit: filesMax,
    signal,
  });
  const names = paths
    .map((path) =>
      path
        .slice(folder.length)
        .replace(/^[\\/]/u, "")
        .replaceAll("\\", "/"),
    )
    .filter((name) => !matchers.some((matches) => matches(name)));
  const metadata = { count: names.length, truncated };
  if (names.length === 0) return { output: await unlisted(place, workspace), metadata };
  const tree = fileTree(names, toolLimits.listedLines);
  const note = truncated
    ? `\n\n(There are more than ${filesMax} files: this is made of the ones that were changed last.)`
    : "";
  return { output: `${place.name}/\n${tree}${note}`, metadata };
}

/** Where git ignores everything, or folders hold no files, names alone are better than nothing. */
async function unlisted(place: Place, workspace: Workspace): Promise<string> {
  const entries = await workspace.list(place.path);
  if (entries.length === 0) return "The folder is empty.";
  const names = entries.map(({ name, type }) => `  ${name}${type === "directory" ? "/" : ""}`);
  const shown = names.slice(0, toolLimits.listedLines);
  const more = names.length > shown.length ? `\n  … and ${names.length - shown.length} more` : "";
  return `${place.name}/ holds no files but such as are left out or ignored:\n${shown.join("\n")}${more}`;
}
