import type { ToolCallItem } from "@landline/protocol";
import type { ReactNode } from "react";
import { BlobText } from "../content/blob-text.tsx";
import type { FileChange } from "./changes.ts";
import { Diff } from "./diff.tsx";
import { numbered } from "./numbered.ts";
import type { LongText } from "./raw.ts";

export interface FileChangesProps {
  readonly changes: readonly FileChange[];
  readonly locations: ToolCallItem["locations"];
}

export function FileChanges({ changes, locations }: FileChangesProps) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {numbered(changes).map(({ key, entry: { path, oldText, newText } }) => {
        const line = locations.find((location) => location.path === path)?.line ?? null;
        return (
          <Loaded key={key} text={oldText ?? ""}>
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
