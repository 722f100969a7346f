import { useConnection, useLandline } from "@landline/client/react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { usePageTitle } from "./use-page-title.ts";

/** Whether the gateway has rejected this client: stays true during retries until a connection succeeds. */
export function useIsAccessDenied(): boolean {
  const { state } = useConnection();
  const [isOut, setOut] = useState(false);
  if (state === "refused" && !isOut) setOut(true);
  if (state === "online" && isOut) setOut(false);
  return isOut;
}

/** Replaces the whole page, so that a rejected client sees no content, not even what was loaded before. */
export function AccessDenied() {
  const { state } = useConnection();
  const landline = useLandline();
  usePageTitle("Access denied");
  const isTrying = state === "connecting";
  return (
    <main className="flex h-dvh flex-col overflow-y-auto">
      <div role="alert" className="column flex flex-col items-start gap-3 px-4 py-10">
        <h1 className="font-semibold">This browser has no access.</h1>
        <p>
          <TextWithCode text="Run `npx landline token url` where the gateway runs, and open the printed URL here." />
        </p>
        <p className="text-sm text-soft">
          Its token was revoked, or it never had one. Conversations are kept where the gateway runs.
        </p>
        <Button disabled={isTrying} onClick={() => landline.reconnect()}>
          {isTrying ? "Trying…" : "Try now"}
        </Button>
      </div>
    </main>
  );
}
