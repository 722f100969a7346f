import type { ToolCallItem } from "@landline/protocol";
import { useState, type ReactNode } from "react";
import { BlobText } from "../content/blob-text.tsx";
import { withIndex } from "../content/with-index.ts";
import { Button } from "../ui/button.tsx";
import type { FileChange } from "./call-changes.ts";
import { Diff } from "./diff.tsx";
import type { LongText } from "./raw-values.ts";

export interface FileChangesProps {
  readonly changes: readonly FileChange[];
  readonly locations: ToolCallItem["locations"];
}

const CHANGES_AT_FIRST = 20;

export function FileChanges({ changes, locations }: FileChangesProps) {
  const [shown, setShown] = useState(CHANGES_AT_FIRST);
  const left = changes.length - shown;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {withIndex(changes.slice(0, shown)).map(({ index, value: { path, oldText, newText } }) => {
        const line = locations.find((location) => location.path === path)?.line ?? null;
        return (
          <Loaded key={index} text={oldText ?? ""}>
            {(before) => (
              <Loaded text={newText}>
                {(after) => (
                  <Diff
                    path={path}
                    oldText={oldText === null ? null : before}
                    newText={after}
                    line={line}
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        );
      })}
      {left > 0 ? (
        <Button className="self-start" onClick={() => setShown(shown + CHANGES_AT_FIRST)}>
          Show {Math.min(left, CHANGES_AT_FIRST)} of {left} more changes
        </Button>
      ) : null}
    </div>
  );
}

interface LoadedProps {
  readonly text: LongText;
  readonly children: (text: string) => ReactNode;
}

function Loaded({ text, children }: LoadedProps) {
  return typeof text === "string" ? children(text) : <BlobText blob={text}>{children}</BlobText>;
}
