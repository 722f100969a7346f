import { viewRows } from "../limits/view.ts";
import type { FilesView, TouchedFile } from "../view.ts";
import type { Draft, Mutable } from "./draft.ts";

const filesKept = viewRows.filesKept.default;

/** Counts the reads and writes of each file. */
export function foldFile(draft: Draft, path: string, use: "reads" | "writes"): void {
  const files = draft.part(draft.view.files);
  draft.view.files = files;
  files[use] += 1;
  const file = touched(draft, files, path);
  if (file === undefined) return;
  file[use] += 1;
  file.last = draft.seq;
}

function touched(
  draft: Draft,
  files: Mutable<FilesView>,
  path: string,
): Mutable<TouchedFile> | undefined {
  const position = draft.lookup.files.get(path);
  const known = position === undefined ? undefined : files.touched[position];
  if (known === undefined && files.touched.length >= filesKept) return undefined;
  const list = draft.list(files.touched);
  files.touched = list;
  if (position !== undefined && known !== undefined) {
    const file = draft.part(known);
    list[position] = file;
    return file;
  }
  const file = draft.adopt({ path, reads: 0, writes: 0, last: draft.seq });
  draft.lookup.files.set(path, list.push(file) - 1);
  return file;
}
