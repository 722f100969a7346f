import type { AskItem, ToolCallItem } from "@landline/protocol";
import { useMemo } from "react";
import { ChangePreview } from "../tools/change-preview.tsx";
import { RequestReasons } from "./request-reasons.tsx";
import { messageOf } from "./outcome-text.ts";
import { RequestText } from "./request-text.tsx";
import { reasonsBeside } from "./sandbox-request.ts";

export interface ReadOnlyRequestProps {
  readonly item: AskItem;
  readonly toolCall: ToolCallItem | null;
}

/** The request for a client that may not answer it. */
export function ReadOnlyRequest({ item, toolCall }: ReadOnlyRequestProps) {
  const because = useMemo(
    () => (item.ask === "permission" ? reasonsBeside(item, toolCall) : []),
    [item, toolCall],
  );
  return (
    <div className="flex flex-col gap-3">
      {item.ask === "question" ? (
        <p className="break-words whitespace-pre-wrap">{messageOf(item.request)}</p>
      ) : null}
      {toolCall === null ? null : (
        <div className="max-h-[34dvh] overflow-y-auto">
          <ChangePreview toolCall={toolCall} />
        </div>
      )}
      {toolCall === null ? null : <RequestText toolCall={toolCall} because={because} />}
      <RequestReasons reasons={because} />
      <p className="text-sm text-soft">
        You have read-only access. Somebody with the role control can answer.
      </p>
    </div>
  );
}
