import { recordOf, filledStringOf } from "@landline/protocol";
import type { TraceLine } from "@landline/client";

const DETAIL_LENGTH = 160;

/** One line for a trace message: its method, or what it answers. */
export function traceText(line: TraceLine): { readonly name: string; readonly detail: string } {
  if (line.text !== undefined) {
    return { name: "text", detail: line.text.slice(0, DETAIL_LENGTH) };
  }
  const message = recordOf(line.message);
  const id = message?.["id"];
  const ofId = typeof id === "string" || typeof id === "number" ? `#${id}` : "";
  const method = filledStringOf(message?.["method"]);
  if (method !== null) {
    const update = recordOf(recordOf(message?.["params"])?.["update"]);
    const detail = filledStringOf(update?.["sessionUpdate"]) ?? "";
    return { name: method, detail: [ofId, detail].filter(Boolean).join(" ") };
  }
  const error = recordOf(message?.["error"]);
  if (error !== null)
    return { name: "error", detail: `${ofId} ${filledStringOf(error["message"]) ?? ""}` };
  return { name: "result", detail: ofId };
}
