import type { Api, TraceLine } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";
import { describeError } from "../state/run-command.ts";
import { useThisSession } from "../state/session.tsx";
import { newestFirst } from "./event-text.ts";

/** The latest lines of the trace, newest first, at most `LINES_KEPT`; loaded again when events arrive. */
export interface Trace {
  readonly state: "loading" | "kept" | "not-kept" | "failed";
  readonly lines: readonly TraceLine[];
  readonly hasMore: boolean;
  readonly failure: string | null;
}

const LINES_KEPT = 2_000;
const PAGE = 100;
const AGAIN_MS = 1_000;
const atFirst: Trace = { state: "loading", lines: [], hasMore: false, failure: null };

export function useTrace(): { readonly wire: Trace; readonly loadOlder: () => Promise<void> } {
  const { api } = useLandline();
  const session = useThisSession();
  const [wire, setWire] = useState(atFirst);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const read = readerOf(api, session.id);
    const load = () => {
      timer = null;
      void read(null).then(setWire);
    };
    load();
    const stop = session.onEvents(() => {
      timer ??= setTimeout(load, AGAIN_MS);
    });
    return () => {
      if (timer !== null) clearTimeout(timer);
      stop();
    };
  }, [api, session]);
  const loadOlder = async () => {
    const change = await readerOf(api, session.id)(wire.lines.at(-1)?.number ?? null);
    setWire(change);
  };
  return { wire, loadOlder };
}

interface TracePage {
  readonly lines: readonly TraceLine[];
  readonly hasMore: boolean;
}

/** If lines arrived faster than they were loaded, the list restarts, so that it has no gap. */
function withPage(kept: Trace, page: TracePage, before: number | null): Trace {
  const isApart = before === null && isAfterGap(kept.lines, page.lines);
  const known = isApart ? [] : kept.lines;
  const lines = newestFirst(known, page.lines, LINES_KEPT, (line) => line.number);
  const isOldest = isApart || before !== null || kept.state === "loading";
  const hasMore = (isOldest ? page.hasMore : kept.hasMore) && lines.length < LINES_KEPT;
  return { state: "kept", lines, hasMore, failure: null };
}

function isAfterGap(kept: readonly TraceLine[], come: readonly TraceLine[]): boolean {
  const [newest] = kept;
  const [first] = come;
  return newest !== undefined && first !== undefined && first.number > newest.number + 1;
}

/** Loads a page and returns the state update; a failure keeps the displayed lines. */
function readerOf(api: Api, sessionId: string) {
  return async (before: number | null): Promise<(kept: Trace) => Trace> => {
    try {
      const wanted = { sessionId, limit: PAGE, before: before ?? undefined };
      const { lines, hasMore } = await api.readTrace(wanted);
      if (lines === null) return (kept) => ({ ...kept, state: "not-kept" });
      return (kept) => withPage(kept, { lines, hasMore }, before);
    } catch (error) {
      const { message } = describeError(error);
      return (kept) => ({
        ...kept,
        state: kept.lines.length > 0 ? "kept" : "failed",
        failure: message,
      });
    }
  };
}
