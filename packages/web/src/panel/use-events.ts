import { useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";
import { showFailure } from "../state/act.ts";
import { useThisSession } from "../state/session.tsx";
import { newestFirst, type AnyEvent } from "./event-words.ts";

/**
 * The latest events of the session, newest first: those that were there, and those that come. At most `limit` are
 * held; they are shown ten times a second at most.
 */
const SHOW_MS = 100;

export function useEvents(limit: number, isPaused: boolean): readonly AnyEvent[] {
  const session = useThisSession();
  const { api } = useLandline();
  const [events, setEvents] = useState<readonly AnyEvent[]>([]);
  useEffect(() => {
    if (isPaused) return undefined;
    let isHere = true;
    let waiting: AnyEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const add = (come: readonly AnyEvent[]) =>
      setEvents((kept) => newestFirst(kept, come, limit, ({ seq }) => seq));
    const stop = session.onEvents((come) => {
      waiting = [...waiting, ...come].slice(-limit);
      timer ??= setTimeout(() => {
        timer = null;
        add(waiting);
        waiting = [];
      }, SHOW_MS);
    });
    const head = session.getSnapshot().view?.head ?? 0;
    if (head > 0) {
      api
        .events(session.id, { before: head + 1, limit: Math.min(limit, 200) })
        .then(({ events: known }) => isHere && add(known), showFailure);
    }
    return () => {
      isHere = false;
      if (timer !== null) clearTimeout(timer);
      stop();
    };
  }, [session, api, limit, isPaused]);
  return events;
}
