import { join, relative } from "node:path";
import { z } from "zod";
import { searchLimits } from "../limits.ts";
import { judge } from "../permission/judge.ts";
import type { PermissionRequest, Policy } from "../permission/rule.ts";
import type { FoundLines, Workspace } from "../workspace/workspace.ts";
import { fileNotFound } from "./file-suggestions.ts";
import {
  externalDirectoryRequests,
  folderName,
  isOutput,
  targetPathOf,
  readRequest,
  type TargetPath,
} from "./target-path.ts";
import { cutLine } from "./line-window.ts";
import { searchFailure } from "./search-failure.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** Maximum characters of a matching line. */
const matchCharacters = 400;

const input = z.object({
  pattern: z.string().min(1).describe("A regular expression in ripgrep's syntax"),
  path: z
    .string()
    .optional()
    .describe("The folder or file to look in; the working directory by default"),
  include: z.string().optional().describe("Only files that match this glob, such as *.{ts,tsx}"),
});

const description = `Searches in files for a regular expression, line by line, and shows the lines that match with their numbers. Text that the person has not saved yet is searched as they see it. Files that git ignores are left out, hidden ones are not. Files that the person is asked about before you read them, such as .env, are left out too: use read for those. You get at most ${searchLimits.results} lines; narrow a search with path and include rather than reading through a long answer. Put a backslash before characters that mean something in an expression: \`\\\\.\`, \`\\\\(\`, \`\\\\{\`. To find files by name, use glob.`;

type Lines = FoundLines["matches"];

/** Only files that the policies allow to read without asking are searched. */
export function createGrepTool(
  outputs: string,
  policies: readonly Policy[],
): Tool<z.infer<typeof input>> {
  return {
    name: "grep",
    description,
    input,
    kind: "search",
    permission: "grep",
    view: ({ pattern = "text", path, include }, workspace) => {
      const files = include === undefined ? "" : ` in ${include}`;
      if (path === undefined) {
        return { title: `Search ${pattern}${files}`, locations: [], content: [] };
      }
      const target = workspace.resolve(path);
      const title = `Search ${pattern}${files} in ${workspace.display(target)}`;
      return { title, locations: [{ path: target }], content: [] };
    },
    async run({ pattern, path, include }, context) {
      const { workspace, signal } = context;
      const target = await targetPathOf(path ?? ".", workspace);
      const isOwn = await isOutput(target, outputs);
      const isFolder = await askToSearch(target, pattern, isOwn, context);
      const isFree = (file: string) => {
        const request = searchedFile(file, target, workspace);
        return policies.every((policy) => isAllowed(policy, request));
      };
      try {
        const { matches, truncated } = await workspace.searchText({
          pattern,
          place: target,
          ...(include !== undefined && { include }),
          ...(isFolder && !isOwn && { accepts: isFree }),
          signal,
        });
        return {
          output: worded(matches, truncated, { pattern, target, workspace }),
          metadata: { matches: matches.length, truncated },
        };
      } catch (error) {
        throw searchFailure(error);
      }
    },
  };
}

/** Returns true for a folder. */
async function askToSearch(
  target: TargetPath,
  pattern: string,
  isOwn: boolean,
  context: ToolContext,
): Promise<boolean> {
  const stat = await context.workspace.stat(target.path);
  const isFolder = stat?.type === "directory";
  if (isOwn) return isFolder;
  const title = `Search ${pattern} in ${target.name}`;
  const outside = externalDirectoryRequests(target, { isFolder, title, access: "read" });
  if (stat === null) {
    await context.ask(...outside);
    throw await fileNotFound(target, context);
  }
  const request = { permission: "grep", patterns: [pattern], always: ["*"] };
  await context.ask(...outside, request, ...(isFolder ? [] : [readRequest(target)]));
  return isFolder;
}

/** A search must not reveal what a read would have to ask for. */
function searchedFile(file: string, target: TargetPath, workspace: Workspace): PermissionRequest {
  const real = join(target.real, relative(target.path, file));
  return {
    permission: "read",
    patterns: [workspace.display(file)],
    paths: [file, real],
    always: [],
  };
}

function isAllowed(policy: Policy, request: PermissionRequest): boolean {
  return judge({ policy, approved: [], level: "ask" }, request) === "allow";
}

function worded(
  matches: Lines,
  more: boolean,
  { pattern, target, workspace }: { pattern: string; target: TargetPath; workspace: Workspace },
): string {
  const parts: string[] = [];
  for (const [path, lines] of Map.groupBy(matches, (match) => match.path)) {
    const shown = lines.map(
      ({ line, text }) => `  ${line}: ${cutLine(text.trimEnd(), matchCharacters)}`,
    );
    parts.push([`${workspace.display(path)}:`, ...shown].join("\n"));
  }
  if (matches.length === 0) {
    parts.push(
      `Nothing in ${folderName(target)} matches ${pattern}. (Files that git ignores, and files that need permission to read, are not searched.)`,
    );
  }
  if (more) {
    parts.push(
      `(There are more than these ${matches.length} lines. Use a narrower pattern, a folder or include.)`,
    );
  }
  return parts.join("\n\n");
}
