import { z } from "zod";
import { credentialAt } from "../permission/protected-paths.ts";
import { changeFiles, readIfThere } from "./change-files.ts";
import { commonLineEnding } from "./edit-text.ts";
import type { FilePrograms } from "./formatters-and-linters.ts";
import {
  fileView,
  externalDirectoryRequests,
  targetPathOf,
  type TargetPath,
} from "./target-path.ts";
import { recordWrite, requireRead } from "./seen-file.ts";
import type { Tool, ToolContext } from "./tool.ts";

const input = z.object({
  filePath: z.string().min(1).describe("The file, absolute or relative to the working directory"),
  content: z.string().describe("The whole text of the file"),
});

const description = `Writes a whole file: makes a new one, with the folders that it needs, or replaces all of one that is there. To change a part of a file use edit, which shows the person only what changes. A file that exists must be read first, all of it. Write no files that nobody asked for, such as summaries of your work. The result says what formatters and linters of the project made of it.`;

const mark = "\uFEFF";

export function createWriteTool(programs: FilePrograms): Tool<z.infer<typeof input>> {
  return {
    name: "write",
    description,
    input,
    kind: "edit",
    permission: "edit",
    view: ({ filePath }, workspace) => fileView("Write", filePath, workspace),
    async run({ filePath, content }, context) {
      const target = await targetPathOf(filePath, context.workspace);
      const title = `Write ${target.name}`;
      await context.ask(
        ...externalDirectoryRequests(target, { isFolder: false, title, access: "change" }),
      );
      return context.withFile(target.path, async () => {
        const before = await readIfThere(target, context.workspace, context.signal);
        const bom = content.startsWith(mark);
        const text = bom ? content.slice(mark.length) : content;
        const after = before === null ? text : withEndsOf(before.text, text);
        if (before?.text === after && mayTell(target, context)) {
          recordWrite(target, after, true, context);
          return {
            output: `${target.name} has exactly this text already. Nothing was written.`,
            content: [],
          };
        }
        requireRead(target, before, "whole", context);
        const edit = { target, before, after, ...(bom && { bom }) };
        return changeFiles([edit], { title, programs, describe: false }, context);
      });
    },
  };
}

/** Confirming a guessed text would reveal a credential, which may be read only after asking. */
function mayTell({ path, real }: TargetPath, context: ToolContext): boolean {
  return credentialAt(path, real) === null || context.knownFile(real) !== null;
}

/** Models write `\n`. A file with other line endings keeps them, or every line would change. */
function withEndsOf(before: string, text: string): string {
  if (text.includes("\r") || commonLineEnding(before) === "\n") return text;
  return text.replaceAll("\n", "\r\n");
}
