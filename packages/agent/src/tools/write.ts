import { z } from "zod";
import { credentialAt } from "../permission/protected-paths.ts";
import { changeFiles, readIfThere } from "./change-files.ts";
import { commonEnd } from "./edit-text.ts";
import type { FilePrograms } from "./formatters-and-linters.ts";
import { fileView, outsideAt, placeOf, type Place } from "./target-path.ts";
import { keepWritten, requireSeen } from "./seen-file.ts";
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
      const place = await placeOf(filePath, context.workspace);
      const title = `Write ${place.name}`;
      await context.ask(...outsideAt(place, { isFolder: false, title, access: "change" }));
      return context.withFile(place.path, async () => {
        const before = await readIfThere(place.path, context.workspace, context.signal);
        const bom = content.startsWith(mark);
        const text = bom ? content.slice(mark.length) : content;
        const after = before === null ? text : withEndsOf(before.text, text);
        if (before?.text === after && mayTell(place, context)) {
          keepWritten(place, after, true, context);
          return {
            output: `${place.name} has exactly this text already. Nothing was written.`,
            content: [],
          };
        }
        requireSeen(place, before, "whole", context);
        const edit = { place, before, after, ...(bom && { bom }) };
        return changeFiles([edit], { title, programs, describe: false }, context);
      });
    },
  };
}

/** That a guess is right tells a credential, which is read after a question only. */
function mayTell({ path, real }: Place, context: ToolContext): boolean {
  return credentialAt(path, real) === null || context.knownFile(real) !== null;
}

/** A model writes plain line feeds. A file with other line ends keeps them, or every line would change. */
function withEndsOf(before: string, text: string): string {
  if (text.includes("\r") || commonEnd(before) === "\n") return text;
  return text.replaceAll("\n", "\r\n");
}
