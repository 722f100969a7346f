import type { FileChanged } from "../core/record.ts";
import type { Differences, Snapshots } from "./snapshot.ts";

export interface TrackedTurn {
  promptId: string;
  /** What the turn's own tools have kept so far. */
  kept(): readonly FileChanged[];
  keep(record: Omit<FileChanged, "at">): void;
}

/**
 * Runs a turn, and keeps what changed on the disk meanwhile and no tool told of: commands do that. Such a
 * record carries the prompt's id as that of its call, because it is known of the turn as a whole. Returns
 * what the turn returned, whatever becomes of the pictures. The first picture is taken when the turn says
 * that it is about to change something: an answer in words waits for none.
 */
export async function runTracked<Value>(
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
      if (after !== null) keepUntold(await before.snapshots.changes(before.tree, after), turn);
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

function keepUntold({ files }: Differences, turn: TrackedTurn): void {
  const { promptId } = turn;
  const told = Map.groupBy(turn.kept(), ({ path }) => path);
  for (const { path, before, after } of files) {
    const known = told.get(path) ?? [];
    const isKnown = known[0]?.before === before && known.at(-1)?.after === after;
    if (!isKnown) {
      turn.keep({ kind: "file-changed", promptId, callId: promptId, path, before, after });
    }
  }
}
