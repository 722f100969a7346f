import { createHash } from "node:crypto";

const nameCharacters = 64;
const idCharacters = 40;

/** Models invent tool names that providers refuse in the history. */
export function providerToolName(tool: string): string {
  const name = tool.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, nameCharacters);
  return name === "" ? "unknown" : name;
}

/**
 * Converts a call id to a form that the provider accepts: its own ids are unchanged, others are restricted.
 * Deterministic.
 */
export function providerCallId(callId: string, { from, to }: { from: string; to: string }): string {
  if (to === "mistral") return /^[A-Za-z0-9]{9}$/u.test(callId) ? callId : digest(callId, 9);
  if (from === to || /^[A-Za-z0-9_-]{1,40}$/u.test(callId)) return callId;
  const plain = callId.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, idCharacters - 13);
  return `${plain}-${digest(callId, 12)}`;
}

function digest(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/** `provider` of `provider/model`. */
export function providerOf(modelId: string): string {
  return modelId.split("/", 1)[0] ?? "";
}
