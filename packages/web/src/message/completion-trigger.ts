/** Where in a text something is asked for: `/name` at its start, `@file` anywhere at the start of a word. */
export interface CompletionTrigger {
  readonly kind: "command" | "file";
  /** What is replaced: [from, to), the sign included. */
  readonly from: number;
  readonly to: number;
  /** What was written after the sign. */
  readonly query: string;
}

const queryLength = 200;

/** At the caret; null when nothing is asked for there. */
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

/** Puts it where it was asked for, with a space behind it unless one is there or it goes on. */
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
