import type { FileChanged, SessionRecord } from "../core/record.ts";

export type Direction = "undo" | "redo";

/** A file that an undo or redo changes, and the text that it must have before. Null: no file. */
export interface FileStep {
  path: string;
  /** As recorded with the change. */
  real?: string | undefined;
  from: string | null;
  to: string | null;
}

export interface RestorePlan {
  direction: Direction;
  promptId: string;
  files: FileStep[];
}

/**
 * Plans an undo: the last prompt that is not undone, with all file changes of its turn, its subagents and
 * commands. A redo restores the last undone prompt, if no prompt was sent since. Null when there is none.
 */
export function planRestore(
  direction: Direction,
  records: readonly SessionRecord[],
  descendants: readonly (readonly SessionRecord[])[] = [],
): RestorePlan | null {
  const { standing, undone } = promptsOf(records);
  const promptId = direction === "undo" ? standing.at(-1) : undone.at(-1);
  if (promptId === undefined) return null;
  const changes = changesOf(promptId, records, descendants);
  const files = [...changes].map(([path, { real, before, after }]) => {
    const [from, to] = direction === "undo" ? [after, before] : [before, after];
    return real === undefined ? { path, from, to } : { path, real, from, to };
  });
  return { direction, promptId, files: files.filter(({ from, to }) => from !== to) };
}

/** In the order in which they were sent or undone. */
function promptsOf(records: readonly SessionRecord[]): { standing: string[]; undone: string[] } {
  let standing: string[] = [];
  let undone: string[] = [];
  for (const record of records) {
    // Built-in commands (such as undo) have no parts for the model.
    if (record.kind === "prompt-sent" && record.parts.length > 0) {
      standing.push(record.promptId);
      undone = [];
    } else if (record.kind === "files-restored") {
      const { promptId } = record;
      standing = standing.filter((each) => each !== promptId);
      undone = undone.filter((each) => each !== promptId);
      (record.direction === "undo" ? undone : standing).push(promptId);
    }
  }
  return { standing, undone };
}

interface Ends {
  real?: string | undefined;
  before: string | null;
  after: string | null;
}

function changesOf(
  promptId: string,
  records: readonly SessionRecord[],
  descendants: readonly (readonly SessionRecord[])[],
): Map<string, Ends> {
  const own = records.filter(isChange).filter((change) => change.promptId === promptId);
  const turn = turnOf(promptId, records);
  // Sessions run one turn at a time, so changes of subagents during it belong to it.
  const theirs = descendants
    .flatMap((child) => child.filter(isChange))
    .filter(({ at }) => at >= turn.from && at < turn.until);
  const ends = new Map<string, Ends>();
  for (const { path, real, before, after } of [...own, ...theirs].sort(byTime)) {
    const first = ends.get(path);
    ends.set(path, { real, before: first === undefined ? before : first.before, after });
  }
  for (const change of own) if (isOfWholeTurn(change)) ends.set(change.path, change);
  return ends;
}

/** From its prompt to the next. */
function turnOf(promptId: string, records: readonly SessionRecord[]) {
  const prompts = records.filter((record) => record.kind === "prompt-sent");
  const index = prompts.findIndex((prompt) => prompt.promptId === promptId);
  return {
    from: prompts[index]?.at ?? Number.POSITIVE_INFINITY,
    until: prompts[index + 1]?.at ?? Number.POSITIVE_INFINITY,
  };
}

/** Snapshots before and after a turn are more reliable than reports of tools. */
export function isOfWholeTurn({ callId, promptId }: FileChanged): boolean {
  return callId === promptId;
}

export function isChange(record: SessionRecord): record is FileChanged {
  return record.kind === "file-changed";
}

function byTime(one: FileChanged, other: FileChanged): number {
  return one.at - other.at;
}
