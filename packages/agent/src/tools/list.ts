import { z } from "zod";
import { toolLimits } from "../limits.ts";
import { globMatcher } from "../workspace/glob.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { fileTree } from "./file-tree.ts";
import { fileNotFound } from "./file-suggestions.ts";
import {
  externalDirectoryRequests,
  isOutput,
  targetPathOf,
  type TargetPath,
} from "./target-path.ts";
import { searchFailure } from "./search-failure.ts";
import { ToolFailure, type Tool, type ToolResult } from "./tool.ts";

/** Maximum files of a tree. A note says when there are more. */
const filesMax = 5_000;

const input = z.object({
  path: z.string().optional().describe("The folder; the working directory by default"),
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
      const target = await targetPathOf(path, workspace);
      if (!(await isOutput(target, outputs))) {
        const outside = externalDirectoryRequests(target, {
          isFolder: true,
          title: `List ${target.name}`,
          access: "read",
        });
        const request = { permission: "list", patterns: target.patterns, always: ["*"] };
        await context.ask(...outside, request);
      }
      const stat = await workspace.stat(target.path);
      if (stat === null) throw await fileNotFound(target, context);
      if (stat.type !== "directory") {
        throw new ToolFailure(
          "invalid-input",
          `${target.name} is not a folder. Use read to see it.`,
        );
      }
      try {
        return await listed(target, ignore, workspace, signal);
      } catch (error) {
        throw searchFailure(error);
      }
    },
  };
}

async function listed(
  target: TargetPath,
  ignore: readonly string[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<ToolResult> {
  const matchers = ignore.map(globMatcher);
  const folder = target.path;
  const { paths, truncated } = await workspace.findFiles({
    pattern: "**",
    folder: target,
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
  if (names.length === 0) return { output: await unlisted(target, workspace), metadata };
  const tree = fileTree(names, toolLimits.listedLines);
  const note = truncated
    ? `\n\n(There are more than ${filesMax} files: this is made of the ones that were changed last.)`
    : "";
  return { output: `${target.name}/\n${tree}${note}`, metadata };
}

/** Lists plain names when git ignores everything or there are no files. */
async function unlisted(target: TargetPath, workspace: Workspace): Promise<string> {
  const entries = await workspace.list(target);
  if (entries.length === 0) return "The folder is empty.";
  const names = entries.map(({ name, type }) => `  ${name}${type === "directory" ? "/" : ""}`);
  const shown = names.slice(0, toolLimits.listedLines);
  const more = names.length > shown.length ? `\n  … and ${names.length - shown.length} more` : "";
  return `${target.name}/ contains only omitted or ignored files:\n${shown.join("\n")}${more}`;
}
