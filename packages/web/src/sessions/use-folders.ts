import type { FolderListing } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useEffect, useState } from "react";
import { describeError } from "../state/run-command.ts";

export interface FoldersState {
  readonly value: FolderListing | null;
  readonly failure: string | null;
}

const waitMs = 120;
const nothing: FoldersState = { value: null, failure: null };

/** The subfolders of a folder, loaded with a delay. The last result stays until the next one. */
export function useFolders(folder: string | null): FoldersState {
  const { api } = useLandline();
  const [state, setState] = useState<FoldersState>(nothing);
  useEffect(() => {
    if (folder === null) return undefined;
    let isWanted = true;
    const ask = async () => {
      try {
        const value = await api.listFolders({ path: folder === "" ? undefined : folder });
        if (isWanted) setState({ value, failure: null });
      } catch (error) {
        if (isWanted) setState({ value: null, failure: describeError(error).message });
      }
    };
    const timer = setTimeout(() => void ask(), waitMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [api, folder]);
  return folder === null ? nothing : state;
}
