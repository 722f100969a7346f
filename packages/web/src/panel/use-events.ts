import { useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";
import { runCommand, showError } from "../state/run-command.ts";
import { useThisSession } from "../state/session.tsx";
import { newestFirst, type AnyEvent } from "./event-text.ts";

/**
 * The latest events, newest first. Holds `limit` events and as many more for each loaded page, at most
 * `MAX_EVENTS`. Updates at most ten times a second.
 */
export const MAX_EVENTS = 5_000;
const SHOW_MS = 100;
const PAGE = 200;

export interface Events {
  readonly events: readonly AnyEvent[];
  /** Null if there are no older ones or the limit is reached. */
  readonly loadOlder: (() => Promise<void>) | null;
}

export function useEvents(limit: number, isPaused: boolean): Events {
  const session = useThisSession();
  const { api } = useLandline();
  const [events, setEvents] = useState<readonly AnyEvent[]>([]);
  const [held, setHeld] = useState(limit);
  useEffect(() => {
    if (isPaused) return undefined;
    let isMounted = true;
    let waiting: AnyEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const add = (come: readonly AnyEvent[]) =>
      setEvents((kept) => newestFirst(kept, come, held, ({ seq }) => seq));
    const stop = session.onEvents((come) => {
      waiting = [...waiting, ...come].slice(-held);
      timer ??= setTimeout(() => {
        timer = null;
        add(waiting);
        waiting = [];
      }, SHOW_MS);
    });
    const head = session.getSnapshot().view?.head ?? 0;
    if (head > 0) {
      api
        .readEvents({ sessionId: session.id, before: head + 1, limit: Math.min(held, PAGE) })
        .then(({ events: known }) => isMounted && add(known), showError);
    }
    return () => {
      isMounted = false;
      if (timer !== null) clearTimeout(timer);
      stop();
    };
  }, [session, api, held, isPaused]);
  const before = events.at(-1)?.seq ?? 1;
  const load = async () => {
    const { events: older } = await api.readEvents({ sessionId: session.id, before, limit: PAGE });
    const most = Math.min(MAX_EVENTS, Math.max(held, events.length + older.length));
    setHeld(most);
    setEvents((kept) => newestFirst(kept, older, most, ({ seq }) => seq));
  };
  const canLoad = before > 1 && events.length < MAX_EVENTS;
  return { events, loadOlder: canLoad ? async () => void (await runCommand(load())) : null };
}
