import type { OversizedLine } from "./line-splitter.ts";

/**
 * The type and id of a JSON-RPC message over the size limit, from its two ends; null if it needs no answer or the id is
 * not there.
 */
export function readMessageId({ head, tail }: Pick<OversizedLine, "head" | "tail">): {
  type: "request" | "response";
  id: string | number;
} | null {
  const found = idFirst.exec(head)?.[1] ?? idLast.exec(tail)?.[1];
  if (found === undefined) return null;
  const id = JSON.parse(found) as string | number;
  if (method.test(head) || method.test(tail)) return { type: "request", id };
  return answer.test(head) ? { type: "response", id } : null;
}

const idFirst =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,)*\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,1024}"|-?\d{1,15})\s*,/u;
const idLast = /,\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,1024}"|-?\d{1,15})\s*\}\s*$/u;
const method = /[{,]\s*"method"\s*:\s*"[^"]*"\s*[,}]/u;
const answer = /[{,]\s*"(?:result|error)"\s*:/u;
