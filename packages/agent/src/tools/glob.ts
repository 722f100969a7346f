import { isAbsolute } from "node:path";
import { z } from "zod";
import { searchLimits } from "../limits.ts";
import { fileNotFound } from "./file-suggestions.ts";
import { externalDirectoryRequests, folderName, isOutput, targetPathOf } from "./target-path.ts";
import { searchFailure } from "./search-failure.ts";
import type { Tool } from "./tool.ts";

const input = z.object({
  pattern: z.string().min(1).describe("A glob, such as **/*.ts or src/**/{index,main}.*"),
  path: z.string().optional().describe("The folder to look in; the working directory by default"),
});

const description = `Finds files by name, the ones that were changed last first. A glob without a slash matches the name at any depth; \`**\` stands for any folders, \`{a,b}\` for either. Files that git ignores are left out, hidden ones are not. You get at most ${searchLimits.results} paths. To find files by what is in them, use grep.`;

export function createGlobTool(outputs: string): Tool<z.infer<typeof input>> {
  return {
    name: "glob",
    description,
    input,
    kind: "search",
    permission: "glob",
    view: ({ pattern = "files", path }, workspace) => {
      if (path === undefined) return { title: `Find ${pattern}`, locations: [], content: [] };
      const folder = workspace.resolve(path);
      const title = `Find ${pattern} in ${workspace.display(folder)}`;
      return { title, locations: [{ path: folder }], content: [] };
    },
    async run(given, context) {
      const { workspace, signal } = context;
      const { folder, pattern } = split(given.pattern, given.path ?? ".");
      const target = await targetPathOf(folder, workspace);
      if (!(await isOutput(target, outputs))) {
        const title = `Find ${given.pattern} in ${target.name}`;
        const outside = externalDirectoryRequests(target, {
          isFolder: true,
          title,
          access: "read",
        });
        const request = { permission: "glob", patterns: [given.pattern], always: ["*"] };
        await context.ask(...outside, request);
      }
      if ((await workspace.stat(target.path)) === null) throw await fileNotFound(target, context);
      try {
        const found = await workspace.findFiles({ pattern, folder: target, signal });
        const names = found.paths.map((path) => workspace.display(path));
        return {
          output: worded(names, found.truncated, given.pattern, folderName(target)),
          metadata: { count: names.length, truncated: found.truncated },
        };
      } catch (error) {
        throw searchFailure(error);
      }
    },
  };
}

/** A glob that begins with a path (`/etc/*`, `~/*`, `../x/*`) is searched from that path. */
function split(pattern: string, folder: string): { folder: string; pattern: string } {
  const isWhole = isAbsolute(pattern) || /^(?:~[^/*?[\]{}]*\/|file:)/iu.test(pattern);
  if (!isWhole && !pattern.startsWith("../")) return { folder, pattern };
  const plain = /^[^*?[\]{}]*\//u.exec(pattern)?.[0] ?? "";
  const base = isWhole ? plain : `${folder}/${plain}`;
  // A glob without a slash would match at any depth.
  const rest = pattern.slice(plain.length);
  return { folder: base, pattern: rest === "" ? "**" : `./${rest}` };
}

function worded(names: readonly string[], more: boolean, pattern: string, folder: string): string {
  if (names.length === 0) {
    return `No file in ${folder} matches ${pattern}. (Files that git ignores are not looked at.)`;
  }
  const list = names.join("\n");
  return more
    ? `${list}\n\n(There are more than these ${names.length}. Use a narrower pattern or a folder.)`
    : list;
}
