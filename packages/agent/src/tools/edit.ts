import { z } from "zod";
import type { TextFile } from "../workspace/workspace.ts";
import { changeFiles, readIfThere } from "./change-files.ts";
import type { MatchKind } from "./edit-match.ts";
import { editText, type EditedText } from "./edit-text.ts";
import type { FilePrograms } from "./formatters-and-linters.ts";
import { fileNotFound } from "./file-suggestions.ts";
import {
  fileView,
  externalDirectoryRequests,
  targetPathOf,
  type TargetPath,
} from "./target-path.ts";
import { requireRead } from "./seen-file.ts";
import { ToolFailure, type Tool, type ToolContext } from "./tool.ts";

const input = z.object({
  filePath: z.string().min(1).describe("The file, absolute or relative to the working directory"),
  oldString: z.string().describe("The text to be replaced, exactly as the file has it"),
  newString: z.string().describe("The text that goes there instead"),
  replaceAll: z.boolean().default(false).describe("True to replace every place where it stands"),
});

const description = `Replaces a text in a file by another. The file must be read first. Copy oldString from what you read, white space included and without the line numbers. oldString must stand at one place only: take in a few lines around it until it does, or set replaceAll to change all places, for instance to rename something. Line ends and a byte-order mark are kept. When oldString is not found as it is, small slips are forgiven (indentation, space at the ends of lines, typographic quotes), and the result shows the change that was made: look at it. Use write for new files.`;

const matchDescriptions: Record<Exclude<MatchKind, "exact">, string> = {
  punctuation: "apart from typographic quotes, dashes and spaces",
  "line-ends": "apart from white space at the ends of lines",
  indentation: "apart from indentation, which was kept as the file has it",
  whitespace: "apart from white space",
  escapes: "once its escapes were taken off",
  anchors: "by its first and last line, with differences between them",
};

export function createEditTool(programs: FilePrograms): Tool<z.infer<typeof input>> {
  return {
    name: "edit",
    description,
    input,
    kind: "edit",
    permission: "edit",
    view: ({ filePath }, workspace) => fileView("Edit", filePath, workspace),
    async run({ filePath, ...edit }, context) {
      const target = await targetPathOf(filePath, context.workspace);
      const title = `Edit ${target.name}`;
      await context.ask(
        ...externalDirectoryRequests(target, { isFolder: false, title, access: "change" }),
      );
      return context.withFile(target.path, async () => {
        const before = await readIfThere(target, context.workspace, context.signal);
        requireRead(target, before, "part", context);
        const edited = await newText(target, before, edit, context);
        const isExact = edited.matchKind === "exact";
        const result = await changeFiles(
          [{ target, before, after: edited.text }],
          { title, programs, describe: !isExact },
          context,
        );
        return {
          ...result,
          output: [...remarks(edited), result.output].join("\n\n"),
          metadata: {
            ...result.metadata,
            matched: edited.matchKind,
            replacements: edited.replacements,
          },
        };
      });
    },
  };
}

async function newText(
  target: TargetPath,
  before: TextFile | null,
  edit: Omit<z.infer<typeof input>, "filePath">,
  context: ToolContext,
): Promise<EditedText> {
  const isNew = (before?.text ?? "") === "";
  if (edit.oldString === "" && isNew && edit.newString !== "") {
    return { text: edit.newString, matchKind: "exact", replacements: 1 };
  }
  if (before === null) throw await fileNotFound(target, context);
  if (edit.oldString === "") {
    throw new ToolFailure(
      "invalid-input",
      `oldString is empty, and ${target.name} is not. Say which text is to be replaced, or use write to replace the whole file.`,
    );
  }
  return editText(before.text, edit, target.name);
}

function remarks({ matchKind, replacements }: EditedText): string[] {
  const found: string[] = [];
  if (matchKind !== "exact") {
    found.push(
      `oldString was found ${matchDescriptions[matchKind]}. Check that the change is what you meant.`,
    );
  }
  if (replacements > 1) found.push(`${replacements} places were changed.`);
  return found;
}
