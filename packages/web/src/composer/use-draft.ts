import { useState } from "react";
import { useKeeper } from "../state/keeper.ts";
import { Shelf } from "../state/shelf.ts";
import { keepDraft, readDraft, type Draft } from "./draft.ts";

const shelf = new Shelf<Draft>({ read: readDraft, keep: keepDraft });

/** What is written, how to change it, and how to read it later. */
export function useDraft(sessionId: string) {
  const keeper = useKeeper(shelf, sessionId);
  const [draft, setDraft] = useState(() => keeper.read());
  const change = (next: Draft) => {
    keeper.write(next);
    setDraft(next);
  };
  return [draft, change, () => keeper.read()] as const;
}
