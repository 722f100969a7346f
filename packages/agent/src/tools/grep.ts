import { z } from "zod";
import { searchLimits, toolLimits } from "../limits.ts";
import { evaluate } from "../permission/evaluate.ts";
import type { Rule } from "../permission/rule.ts";
import type { FoundLines, Workspace } from "../workspace/workspace.ts";
import { noFile } from "./near-names.ts";
import { askOutside, folderName, isOutput, placeOf, type Place } from "./place.ts";
import { cutLine } from "./read-lines.ts";
import { searchFailure } from "./search-failure.ts";
import type { Tool, ToolContext } from "./tool.ts";

const input = z.object({
  pattern: z.string().min(1).describe("A regular expression in ripgrep's syntax"),
  path: z
    .string()
    .optional()
    .describe("The folder or file to look in; the working directory unless told"),
  include: z.string().optional().describe("Only files that match this glob, such as *.{ts,tsx}"),
});

const description = `Searches in files for a regular expression, line by line, and shows the lines that match with their numbers. Text that the person has not saved yet is searched as they see it. Files that git ignores are left out, hidden ones are not. You get at most ${searchLimits.results} lines; narrow a search with path and include rather than reading through a long answer. Put a backslash before characters that mean something in an expression: \`\\\\.\`, \`\\\\(\`, \`\\\\{\`. To find files by name, use glob.`;

type Lines = FoundLines["matches"];

/** `rules` say which files may be read without a question: lines of others are not shown. */
export function createGrepTool(
  outputs: string,
  rules: readonly Rule[],
  bounds: readonly (readonly Rule[])[] = [],
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
      const place = workspace.resolve(path);
      const title = `Search ${pattern}${files} in ${workspace.display(place)}`;
      return { title, locations: [{ path: place }], content: [] };
    },
    async run({ pattern, path, include }, context) {
      const { workspace, signal } = context;
      const place = await placeOf(path ?? ".", workspace);
      const isOwn = await isOutput(place, outputs);
      const isFolder = await askToSearch(place, pattern, isOwn, context);
      try {
        const found = await workspace.searchText({
          pattern,
          path: place.path,
          ...(include !== undefined && { include }),
          signal,
        });
        const { open, closed } =
          isFolder && !isOwn
            ? sorted(found.matches, [rules, ...bounds], workspace)
            : all(found.matches);
        return {
          output: worded(open, closed, found.truncated, { pattern, place, workspace }),
          metadata: { matches: open.length, truncated: found.truncated },
        };
      } catch (error) {
        throw searchFailure(error);
      }
    },
  };
}

/** Returns whether it is a folder. */
async function askToSearch(
  place: Place,
  pattern: string,
  isOwn: boolean,
  context: ToolContext,
): Promise<boolean> {
  const stat = await context.workspace.stat(place.path);
  const isFolder = stat?.type === "directory";
  if (isOwn) return isFolder;
  const title = `Search ${pattern} in ${place.name}`;
  await askOutside(place, context, { isFolder, title });
  if (stat === null) throw await noFile(place, context);
  await context.ask({ permission: "grep", patterns: [pattern], always: ["*"] });
  if (!isFolder) {
    await context.ask({ permission: "read", patterns: place.patterns, always: place.patterns });
  }
  return isFolder;
}

interface Sorted {
  open: Lines;
  /** Names of files whose lines are not shown. */
  closed: string[];
}

function all(matches: Lines): Sorted {
  return { open: matches, closed: [] };
}

/** A search must not show what a read would have to ask for. */
function sorted(
  matches: Lines,
  rulesets: readonly (readonly Rule[])[],
  workspace: Workspace,
): Sorted {
  const open: Lines = [];
  const closed = new Set<string>();
  for (const match of matches) {
    const name = workspace.display(match.path);
    if (rulesets.every((rules) => evaluate(rules, "read", name) === "allow")) open.push(match);
    else closed.add(name);
  }
  return { open, closed: [...closed] };
}

function worded(
  matches: Lines,
  closed: readonly string[],
  more: boolean,
  { pattern, place, workspace }: { pattern: string; place: Place; workspace: Workspace },
): string {
  const parts: string[] = [];
  for (const [path, lines] of Map.groupBy(matches, (match) => match.path)) {
    const shown = lines.map(
      ({ line, text }) => `  ${line}: ${cutLine(text.trimEnd(), toolLimits.matchCharacters)}`,
    );
    parts.push([`${workspace.display(path)}:`, ...shown].join("\n"));
  }
  if (matches.length === 0 && closed.length === 0) {
    parts.push(
      `Nothing in ${folderName(place)} matches ${pattern}. (Files that git ignores are not looked at.)`,
    );
  }
  if (closed.length > 0) {
    parts.push(
      `(Lines of ${closed.join(", ")} match too, and are not shown: the person is asked when you read such a file.)`,
    );
  }
  if (more) {
    parts.push(
      `(There are more than these ${matches.length} lines. Use a narrower pattern, a folder or include.)`,
    );
  }
  return parts.join("\n\n");
}
