/** A completion query in the text: `/name` at the start of the text, `@file` at the start of a word. */
export interface CompletionTrigger {
  readonly kind: "command" | "file";
  /** The replaced range [from, to), including the `/` or `@`. */
  readonly from: number;
  readonly to: number;
  /** The text after the `/` or `@`. */
  readonly query: string;
}

const queryLength = 200;

/** The trigger at the caret; null if there is none. */
export function triggerAt(text: string, caret: number): CompletionTrigger | null {
  const before = text.slice(Math.max(0, caret - queryLength), caret);
  if (caret <= queryLength) {
    const command = /^\/(\S*)$/.exec(before);
    if (command) return { kind: "command", from: 0, to: caret, query: command[1] ?? "" };
  }
  const file = /(?:^|[\s([{"'])@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  return { kind: "file", from: caret - query.length - 1, to: caret, query };
}

export interface Edited {
  readonly text: string;
  readonly caret: number;
}

/** Inserts the completion. A space follows unless there is one or the path continues (`goesOn`). */
export function applyCompletion(
  text: string,
  trigger: CompletionTrigger,
  insert: string,
  goesOn = false,
): Edited {
  const before = text.slice(0, trigger.from) + insert;
  const after = text.slice(trigger.to).replace(/^\S*/, (rest) => (goesOn ? rest : ""));
  const space = goesOn || /^\s/.test(after) ? "" : " ";
  return { text: before + space + after, caret: before.length + (goesOn ? 0 : 1) };
}
