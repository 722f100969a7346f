import type * as Library from "diff";
import { useEffect, useState } from "react";

export type DiffLibrary = typeof Library;

let loaded: DiffLibrary | null = null;
let loading: Promise<DiffLibrary> | null = null;

/** Loaded once, with the first diff. */
export async function diffLibrary(): Promise<DiffLibrary> {
  loading ??= import("diff").catch((error: unknown) => {
    loading = null;
    throw error;
  });
  loaded = await loading;
  return loaded;
}

/** Null until it is loaded. */
export function loadedDiffLibrary(): DiffLibrary | null {
  return loaded;
}

export type LibraryState = DiffLibrary | "loading" | "failed";

export function useDiffLibrary(): LibraryState {
  const [library, setLibrary] = useState<LibraryState>(loaded ?? "loading");
  useEffect(() => {
    let isMounted = true;
    const settle = (state: LibraryState) => isMounted && setLibrary(state);
    diffLibrary().then(settle, () => settle("failed"));
    return () => {
      isMounted = false;
    };
  }, []);
  return library;
}
