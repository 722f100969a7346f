import { useLandline } from "@landline/client/react";
import type { BlobReference } from "@landline/protocol";
import { useCallback, useState } from "react";
import { describeError } from "../state/run-command.ts";
import { useThisSession } from "../state/session.tsx";

export type LoadedBlob =
  | { readonly state: "absent" | "loading" }
  | { readonly state: "loaded"; readonly text: string }
  | { readonly state: "failed"; readonly message: string };

/** A blob and the function that loads it. */
export function useBlob(blob: BlobReference): readonly [LoadedBlob, load: () => void] {
  const { api } = useLandline();
  const session = useThisSession();
  const [loaded, setLoaded] = useState<LoadedBlob>({ state: "absent" });
  const load = useCallback(() => {
    setLoaded({ state: "loading" });
    api.text("read-blob", { session: session.id, hash: blob.$blob }).then(
      (text) => setLoaded({ state: "loaded", text }),
      (error: unknown) => setLoaded({ state: "failed", message: describeError(error).message }),
    );
  }, [api, session, blob.$blob]);
  return [loaded, load];
}
