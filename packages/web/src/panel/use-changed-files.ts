import { updateKindOf, recordOf, type SessionEvent, type UnknownEvent } from "@landline/protocol";
import { useEffect, useState } from "react";
import { useSnapshotPart, useThisSession } from "../state/session.tsx";
import { countOfItem } from "../tools/line-count.ts";
import { changedFiles, type ChangedFile } from "./changed-files.ts";

const none: readonly ChangedFile[] = [];
const SOON_MS = 300;

/** Recomputed with a delay when a call or file changes; text chunks cost nothing. */
export function useChangedFiles(): readonly ChangedFile[] {
  const session = useThisSession();
  const isHeard = useSnapshotPart(({ view }) => view !== null);
  const older = useSnapshotPart((snapshot) => snapshot.older);
  const [files, setFiles] = useState(none);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isMounted = true;
    const read = async () => {
      timer = null;
      const { view } = session.getSnapshot();
      if (view === null) return;
      const found = await changedFiles([...older, view], countOfItem);
      if (isMounted) setFiles(found.length === 0 ? none : found);
    };
    const soon = () => {
      timer ??= setTimeout(() => void read(), SOON_MS);
    };
    if (isHeard) void read();
    const stop = session.onEvents((events) => {
      if (events.some(touchesFiles)) soon();
    });
    return () => {
      isMounted = false;
      if (timer !== null) clearTimeout(timer);
      stop();
    };
  }, [session, isHeard, older]);
  return files;
}

function touchesFiles(event: SessionEvent | UnknownEvent): boolean {
  if (event.kind === "file-written") return true;
  if (event.kind !== "update") return false;
  const kind = updateKindOf(recordOf(event["update"]) ?? {})?.kind;
  return kind === "tool_call" || kind === "tool_call_update";
}
