import { useCallback, useEffect, useRef, useState } from "react";
import { describeError } from "./run-command.ts";

export interface Loaded<Value> {
  /** Null before the first answer. Keeps its value during a reload. */
  readonly value: Value | null;
  readonly failure: string | null;
  readonly reload: () => void;
}

type LoadState<Value> = Omit<Loaded<Value>, "reload">;

/** Loads once and on `reload`. `load` must be stable while its inputs are the same. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<LoadState<Value>>({ value: null, failure: null });
  const asked = useRef(0);
  const reload = useCallback(() => {
    asked.current += 1;
    const number = asked.current;
    // Only the latest request counts.
    void loadState(load).then((update) => number === asked.current && setState(update));
  }, [load]);
  useEffect(() => {
    reload();
    return () => {
      asked.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}

/** Returns an updater for the state: a failure keeps the last value. */
async function loadState<Value>(
  load: () => Promise<Value>,
): Promise<(before: LoadState<Value>) => LoadState<Value>> {
  try {
    const value = await load();
    return () => ({ value, failure: null });
  } catch (error) {
    const failure = describeError(error).message;
    return ({ value }) => ({ value, failure });
  }
}
