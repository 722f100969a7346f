import { recordOf, filledStringOf, type ToolCallItem } from "@landline/protocol";
import { firstOf, longTextOf, type LongText } from "./raw-values.ts";

/** A change to one file. `oldText` is null for a new file. */
export interface FileChange {
  readonly path: string;
  readonly oldText: LongText | null;
  readonly newText: LongText;
}

/** The changes of a call: its diffs, or else what its input says it will write. */
export function changesOf(
  item: Pick<ToolCallItem, "kind" | "content" | "rawInput">,
): readonly FileChange[] {
  const known = made.get(item);
  if (known !== undefined) return known;
  const diffs = item.content.flatMap((entry) => {
    if (entry.type !== "diff") return [];
    const newText = longTextOf(entry.newText);
    const oldText = longTextOf(entry.oldText);
    return newText === null && oldText === null
      ? []
      : [{ path: entry.path, oldText, newText: newText ?? "" }];
  });
  const changes = diffs.length > 0 || item.kind !== "edit" ? diffs : inputChanges(item.rawInput);
  made.set(item, changes);
  return changes;
}

const made = new WeakMap<object, readonly FileChange[]>();

const paths = ["file_path", "filePath", "filepath", "path", "absolute_path", "target_file"];
const before = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const after = ["new_string", "newString", "new_str", "newText", "new_text"];
const whole = ["content", "contents", "file_text", "text"];

function inputChanges(rawInput: unknown): readonly FileChange[] {
  const input = recordOf(rawInput);
  const path = firstOf(input, paths, filledStringOf);
  if (input === null || path === null) return [];
  if (Array.isArray(input["edits"])) {
    return input["edits"].flatMap((edit) => replacement(path, recordOf(edit) ?? {}));
  }
  const replaced = replacement(path, input);
  if (replaced.length > 0) return replaced;
  const newText = firstOf(input, whole, longTextOf);
  return newText === null ? [] : [{ path, oldText: null, newText }];
}

function replacement(path: string, edit: Readonly<Record<string, unknown>>): FileChange[] {
  const oldText = firstOf(edit, before, longTextOf);
  const newText = firstOf(edit, after, longTextOf);
  return oldText === null || newText === null ? [] : [{ path, oldText, newText }];
}

/** The raw patch, if the input of a call contains nothing else. */
export function patchText(item: Pick<ToolCallItem, "rawInput">): LongText | null {
  const input = recordOf(item.rawInput);
  const text = firstOf(input, ["patchText", "patch", "diff", "unified_diff"], longTextOf);
  return text === "" ? null : text;
}
