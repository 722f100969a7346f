import type { SearchHit } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";
import { describeError } from "../state/run-command.ts";

const waitMs = 250;
const hitsShown = 50;

export type SearchState =
  | { readonly state: "searching" }
  | { readonly state: "found"; readonly hits: readonly SearchHit[] }
  | { readonly state: "failed"; readonly message: string };

/** The last results stay until the next answer. */
export function useSearch(text: string): SearchState {
  const { api } = useLandline();
  const [found, setFound] = useState<SearchState>({ state: "searching" });
  useEffect(() => {
    let isWanted = true;
    const search = async () => {
      try {
        const { hits } = await api.search({ q: text, limit: hitsShown });
        if (isWanted) setFound({ state: "found", hits });
      } catch (error) {
        if (isWanted) setFound({ state: "failed", message: describeError(error).message });
      }
    };
    const timer = setTimeout(() => void search(), waitMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [api, text]);
  return found;
}
