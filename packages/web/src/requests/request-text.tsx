import type { ToolCallItem } from "@landline/protocol";
import { useMemo } from "react";
import { Blocks } from "../content/blocks.tsx";
import { withIndex } from "../content/with-index.ts";
import { VisibleText } from "../content/visible-text.tsx";
import { isPlainText, plainKinds } from "../tools/tool-output.tsx";
import { focusableScroll } from "../ui/focusable-scroll.ts";
import { requestBlocks } from "./request-blocks.ts";

export interface RequestTextProps {
  readonly toolCall: ToolCallItem;
  /** The gateway's reasons, which the card shows too. */
  readonly because: readonly string[];
}

const plainLength = 20_000;

/** What the agent says about its request: its reasons, or the plan that it wants to carry out. */
export function RequestText({ toolCall, because }: RequestTextProps) {
  const blocks = useMemo(() => requestBlocks(toolCall, because), [toolCall, because]);
  if (blocks.length === 0) return null;
  const isPlain = plainKinds.has(toolCall.kind);
  return (
    <div
      ref={focusableScroll}
      role="group"
      aria-label="What the agent says about it"
      className="flex max-h-[30dvh] min-h-5 flex-col gap-2 overflow-y-auto text-sm"
    >
      {withIndex(blocks).map(({ index, value }) =>
        isPlain && isPlainText(value) ? (
          <p key={index} className="[overflow-wrap:anywhere] whitespace-pre-wrap">
            <VisibleText text={value.text.slice(0, plainLength)} />
          </p>
        ) : (
          <Blocks key={index} blocks={[value]} />
        ),
      )}
    </div>
  );
}
