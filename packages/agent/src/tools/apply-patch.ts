import { z } from "zod";
import type { TextFile } from "../workspace/workspace.ts";
import { changeFiles, readIfThere, type FileEdit } from "./change-files.ts";
import type { FilePrograms } from "./formatters-and-linters.ts";
import { noFile } from "./file-suggestions.ts";
import { applyHunks } from "./patch-hunks.ts";
import { parsePatch, patchedPaths, type PatchStep } from "./patch-text.ts";
import { outsideAt, placeOf, withPlaces, type Place } from "./target-path.ts";
import { requireSeen } from "./seen-file.ts";
import { ToolFailure, type Tool, type ToolContext } from "./tool.ts";

/** Files that one patch changes. More are refused. */
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
      const places = await placesOf(steps, context);
      const title = titleOf([...places.values()].map((place) => place.name));
      const outside = { isFolder: false, title, access: "change" } as const;
      await context.ask(...[...places.values()].flatMap((place) => outsideAt(place, outside)));
      return withPlaces([...places.values()], context, async () => {
        const files = await PatchedFiles.read(places, context);
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

/** By the name that the patch has for it. */
async function placesOf(
  steps: readonly PatchStep[],
  { workspace }: ToolContext,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  for (const step of steps) {
    const moveTo = step.kind === "update" ? step.moveTo : null;
    for (const name of [step.path, moveTo]) {
      if (name !== null && !places.has(name)) places.set(name, await placeOf(name, workspace));
    }
  }
  if (places.size > patchedFilesMax) {
    throw new ToolFailure(
      "invalid-input",
      `The patch names ${places.size} files, and at most ${patchedFilesMax} are changed at once. Use several patches.`,
    );
  }
  return places;
}

interface FileState {
  place: Place;
  before: TextFile | null;
  now: string | null;
  movedFrom: FileState | null;
}

/** The files of a patch while its steps are tried, before anything is written. */
class PatchedFiles {
  readonly #context: ToolContext;
  /** By the name in the patch; two names of one file lead to one state. */
  readonly #files = new Map<string, FileState>();
  isExact = true;

  private constructor(context: ToolContext) {
    this.#context = context;
  }

  static async read(
    places: ReadonlyMap<string, Place>,
    context: ToolContext,
  ): Promise<PatchedFiles> {
    const files = new PatchedFiles(context);
    const known = new Map<string, FileState>();
    for (const [name, place] of places) {
      let state = known.get(place.real);
      if (!state) {
        const before = await readIfThere(place.path, context.workspace, context.signal);
        state = { place, before, now: before?.text ?? null, movedFrom: null };
        known.set(place.real, state);
      }
      files.#files.set(name, state);
    }
    return files;
  }

  async apply(step: PatchStep): Promise<void> {
    const file = this.#file(step.path);
    if (step.kind === "add") {
      if (file.now !== null) throw alreadyThere(file.place);
      // A file that an earlier step deleted: what is added replaces all of it.
      requireSeen(file.place, file.before, "whole", this.#context);
      file.now = step.text;
      return;
    }
    if (file.now === null) throw await noFile(file.place, this.#context);
    requireSeen(file.place, file.before, "part", this.#context);
    if (step.kind === "delete") {
      file.now = null;
      return;
    }
    const { text, isExact } = applyHunks(file.now, step.hunks, file.place.name);
    if (!isExact) this.isExact = false;
    file.now = text;
    if (step.moveTo !== null) this.#move(file, this.#file(step.moveTo));
  }

  #move(from: FileState, to: FileState): void {
    if (from === to) return;
    if (to.now !== null) throw alreadyThere(to.place);
    requireSeen(to.place, to.before, "whole", this.#context);
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
  const { place, before, now: after } = state;
  const from = moveOf(state)?.from;
  return { place, before, after, ...(from && { from }) };
}

/** A move that stands in the end: the file has gone from its old name to one that was free. */
function moveOf({ before, now, movedFrom: source }: FileState) {
  if (!source?.before || source.now !== null || before !== null || now === null) return null;
  return { source, from: { place: source.place, before: source.before } };
}

function alreadyThere(place: Place): ToolFailure {
  return new ToolFailure(
    "file-exists",
    `There is a file ${place.name} already. Nothing was changed. Use "*** Update File:" to change it, or delete it first.`,
  );
}
