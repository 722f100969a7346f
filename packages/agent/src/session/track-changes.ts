import type { FileChanged } from "../core/record.ts";
import type { Differences, Snapshots } from "./snapshot.ts";

export interface TrackedTurn {
  promptId: string;
  /** Changes that the turn's tools have recorded so far. */
  kept(): readonly FileChanged[];
  append(record: Omit<FileChanged, "at">): void;
}

/**
 * Runs a turn and records changes on disk that no tool reported, such as those of commands. Such a record has
 * the prompt's id as its call id. The first snapshot is taken before the first change, so that a turn without
 * changes takes none. Failed snapshots do not fail the turn.
 */
export async function withChangeTracking<Value>(
  open: () => Promise<Snapshots | null>,
  turn: TrackedTurn,
  run: (beforeChange: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  const pictures: { first?: Promise<Picture | null> } = {};
  try {
    return await run(async () => {
      pictures.first ??= takePicture(open);
      await pictures.first;
    });
  } finally {
    const before = await pictures.first;
    if (before) {
      const after = await before.snapshots.track();
      if (after !== null) recordUntracked(await before.snapshots.changes(before.tree, after), turn);
    }
  }
}

interface Picture {
  snapshots: Snapshots;
  tree: string;
}

async function takePicture(open: () => Promise<Snapshots | null>): Promise<Picture | null> {
  const snapshots = await open();
  const tree = (await snapshots?.track()) ?? null;
  return snapshots === null || tree === null ? null : { snapshots, tree };
}

function recordUntracked({ files }: Differences, turn: TrackedTurn): void {
  const { promptId } = turn;
  const told = Map.groupBy(turn.kept(), ({ path }) => path);
  for (const file of files) {
    const known = told.get(file.path) ?? [];
    const isKnown = known[0]?.before === file.before && known.at(-1)?.after === file.after;
    if (!isKnown) turn.append({ kind: "file-changed", promptId, callId: promptId, ...file });
  }
}
