import type { BlobReference } from "@landline/protocol";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "./format-bytes.ts";
import { useBlob } from "./use-blob.ts";

export interface BlobTextProps {
  readonly blob: BlobReference;
  readonly children: (text: string) => ReactNode;
}

/** Text that is stored as a blob; loaded on demand. */
export function BlobText({ blob, children }: BlobTextProps) {
  const [loaded, load] = useBlob(blob);
  if (loaded.state === "loaded") return children(loaded.text);
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <Button disabled={loaded.state === "loading"} onClick={load}>
        {loaded.state === "loading" ? "Loading" : loaded.state === "failed" ? "Try again" : "Show"}
      </Button>
      {loaded.state === "failed" ? (
        <span role="alert" className="text-bad">
          {loaded.message}
        </span>
      ) : (
        <span>{formatBytes(blob.bytes)} of text, stored separately</span>
      )}
    </div>
  );
}
