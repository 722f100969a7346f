import type { JsonObject } from "./json.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A stop reason, `never`, a whole result, an error, or raw fields of the response. */
export type PromptResult =
  | string
  | { readonly stopReason: string }
  | { readonly error: RpcError }
  | { readonly raw: JsonObject };

/** The fields of the response; undefined if there is no response. */
export function responseOf(ending: PromptResult): JsonObject | undefined {
  if (ending === "never") return undefined;
  if (typeof ending === "string") return { result: { stopReason: ending } };
  if ("error" in ending) return { error: ending.error };
  if ("raw" in ending) return ending.raw;
  return { result: ending };
}
