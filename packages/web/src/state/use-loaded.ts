import { useCallback, useEffect, useRef, useState } from "react";
import { describeError } from "./run-command.ts";

export interface Loaded<Value> {
  /** Null until it is there; what was there stays while it is asked for again. */
  readonly value: Value | null;
  readonly failure: string | null;
  readonly reload: () => void;
}

type LoadState<Value> = Omit<Loaded<Value>, "reload">;

/** Asks once, and again on demand. `load` must stay the same function for as long as the same is asked for. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<LoadState<Value>>({ value: null, failure: null });
  const asked = useRef(0);
  const reload = useCallback(() => {
    asked.current += 1;
    const number = asked.current;
    // Only the latest answer counts.
    void hear(load).then((update) => number === asked.current && setState(update));
  }, [load]);
  useEffect(() => {
    reload();
    return () => {
      asked.current += 1;
    };
  }, [reload]);
  return { ...state, reload };
}

/** What becomes of what was heard before. */
async function hear<Value>(
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
