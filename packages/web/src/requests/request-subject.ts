import type { AskItem, SessionView } from "@landline/protocol";
import { toolRowText } from "../tools/tool-row-text.ts";
import { toolSubject } from "../tools/tool-subject.ts";
import { toolCallOf } from "./request-lookup.ts";
import { messageOf } from "./outcome-text.ts";

export interface RequestSubject {
  readonly text: string;
  /** A command, a path or a URL. */
  readonly isCode: boolean;
}

/** The subject of a request in one line; null if the agent named none. */
export function requestSubject(item: AskItem, view: SessionView): RequestSubject | null {
  if (item.ask === "question") {
    const message = messageOf(item.request);
    return message === "" ? null : { text: message, isCode: false };
  }
  const toolCall = toolCallOf(view, item);
  if (toolCall === null) return null;
  const { title, target } = toolRowText(toolCall, toolSubject(toolCall), view.session.cwd);
  return target === null ? { text: title, isCode: false } : { text: target, isCode: true };
}
