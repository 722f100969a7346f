import { z } from "zod";
import type { TextFile } from "../workspace/workspace.ts";
import { changeFiles, readIfThere, type FileEdit } from "./change-files.ts";
import type { FilePrograms } from "./formatters-and-linters.ts";
import { fileNotFound } from "./file-suggestions.ts";
import { applyHunks } from "./patch-hunks.ts";
import { parsePatch, patchedPaths, type PatchStep } from "./patch-text.ts";
import {
  externalDirectoryRequests,
  targetPathOf,
  withTargets,
  type TargetPath,
} from "./target-path.ts";
import { requireRead } from "./seen-file.ts";
import { ToolFailure, type Tool, type ToolContext } from "./tool.ts";

/** Maximum files of one patch. More are refused. */
const patchedFilesMax = 200;

const input = z.object({
  patchText: z.string().min(1).describe("The patch, from *** Begin Patch to *** End Patch"),
});

const description = `Changes files by a patch of this form:

*** Begin Patch
*** Update File: src/greeting.ts
@@ function greet(name: string) {
   const polite = true;
-  return "Hi " + name;
+  return \`Hello \${name}\`;
 }
*** Add File: notes/todo.md
+# To do
+- greet in other languages
*** Delete File: src/old.ts
*** End Patch

In an update each line begins with a space (it stays), a minus (it goes) or a plus (it comes). Give about three lines that stay before and after each change, exactly as the file has them; where that is not enough to tell the place, put a line that stands before it after @@. Several changes of one file follow each other from top to bottom. "*** Move to: PATH" right after "*** Update File:" gives the file another name; "*** End of File" after a change says that it is at the file's end. Every line of an added file begins with a plus. Either the whole patch is applied, or nothing is. Files that are updated, moved or deleted must be read first.`;

export function createApplyPatchTool(programs: FilePrograms): Tool<z.infer<typeof input>> {
  return {
    name: "apply_patch",
    description,
    input,
    kind: "edit",
    permission: "edit",
    view: ({ patchText = "" }, workspace) => {
      const paths = patchedPaths(patchText).map((path) => workspace.resolve(path));
      const names = paths.map((path) => workspace.display(path));
      return { title: titleOf(names), locations: paths.map((path) => ({ path })), content: [] };
    },
    async run({ patchText }, context) {
      const steps = parsePatch(patchText);
      const targets = await targetPathsOf(steps, context);
      const title = titleOf([...targets.values()].map((target) => target.name));
      const outside = { isFolder: false, title, access: "change" } as const;
      await context.ask(
        ...[...targets.values()].flatMap((target) => externalDirectoryRequests(target, outside)),
      );
      return withTargets([...targets.values()], context, async () => {
        const files = await PatchedFiles.read(targets, context);
        for (const step of steps) await files.apply(step);
        const edits = files.edits();
        if (edits.length === 0) {
          throw new ToolFailure("invalid-input", "The patch would change nothing.");
        }
        return changeFiles(edits, { title, programs, describe: !files.isExact }, context);
      });
    },
  };
}

function titleOf(names: readonly string[]): string {
  if (names.length === 0) return "Patch files";
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `Patch ${shown} and ${names.length - 3} more` : `Patch ${shown}`;
}

/** By the name in the patch. */
async function targetPathsOf(
  steps: readonly PatchStep[],
  { workspace }: ToolContext,
): Promise<Map<string, TargetPath>> {
  const targets = new Map<string, TargetPath>();
  for (const step of steps) {
    const moveTo = step.kind === "update" ? step.moveTo : null;
    for (const name of [step.path, moveTo]) {
      if (name !== null && !targets.has(name))
        targets.set(name, await targetPathOf(name, workspace));
    }
  }
  if (targets.size > patchedFilesMax) {
    throw new ToolFailure(
      "invalid-input",
      `The patch names ${targets.size} files, and at most ${patchedFilesMax} are changed at once. Use several patches.`,
    );
  }
  return targets;
}

interface FileState {
  target: TargetPath;
  before: TextFile | null;
  now: string | null;
  movedFrom: FileState | null;
}

/** The files of a patch while its steps are applied in memory. */
class PatchedFiles {
  readonly #context: ToolContext;
  /** By the name in the patch. Two names of one file share a state. */
  readonly #files = new Map<string, FileState>();
  isExact = true;

  private constructor(context: ToolContext) {
    this.#context = context;
  }

  static async read(
    targets: ReadonlyMap<string, TargetPath>,
    context: ToolContext,
  ): Promise<PatchedFiles> {
    const files = new PatchedFiles(context);
    const known = new Map<string, FileState>();
    for (const [name, target] of targets) {
      let state = known.get(target.real);
      if (!state) {
        const before = await readIfThere(target, context.workspace, context.signal);
        state = { target, before, now: before?.text ?? null, movedFrom: null };
        known.set(target.real, state);
      }
      files.#files.set(name, state);
    }
    return files;
  }

  async apply(step: PatchStep): Promise<void> {
    const file = this.#file(step.path);
    if (step.kind === "add") {
      if (file.now !== null) throw alreadyThere(file.target);
      // An earlier step may have deleted the file, so this replaces all of it.
      requireRead(file.target, file.before, "whole", this.#context);
      file.now = step.text;
      return;
    }
    if (file.now === null) throw await fileNotFound(file.target, this.#context);
    requireRead(file.target, file.before, "part", this.#context);
    if (step.kind === "delete") {
      file.now = null;
      return;
    }
    const { text, isExact } = applyHunks(file.now, step.hunks, file.target.name);
    if (!isExact) this.isExact = false;
    file.now = text;
    if (step.moveTo !== null) this.#move(file, this.#file(step.moveTo));
  }

  #move(from: FileState, to: FileState): void {
    if (from === to) return;
    if (to.now !== null) throw alreadyThere(to.target);
    requireRead(to.target, to.before, "whole", this.#context);
    to.now = from.now;
    to.movedFrom = from;
    from.now = null;
  }

  #file(name: string): FileState {
    const file = this.#files.get(name);
    if (!file) throw new Error(`${name} was not read.`);
    return file;
  }

  edits(): FileEdit[] {
    const states = [...new Set(this.#files.values())];
    const moved = new Set(states.flatMap((state) => moveOf(state)?.source ?? []));
    return states
      .filter((state) => !moved.has(state) && state.now !== (state.before?.text ?? null))
      .map(editOf);
  }
}

function editOf(state: FileState): FileEdit {
  const { target, before, now: after } = state;
  const from = moveOf(state)?.from;
  return { target, before, after, ...(from && { from }) };
}

/** A move that remains after all steps: the old path is gone and the new one was free. */
function moveOf({ before, now, movedFrom: source }: FileState) {
  if (!source?.before || source.now !== null || before !== null || now === null) return null;
  return { source, from: { target: source.target, before: source.before } };
}

function alreadyThere(target: TargetPath): ToolFailure {
  return new ToolFailure(
    "file-exists",
    `There is a file ${target.name} already. Nothing was changed. Use "*** Update File:" to change it, or delete it first.`,
  );
}
