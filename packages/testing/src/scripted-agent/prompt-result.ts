import type { JsonObject } from "./json.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A stop reason, `never`, a whole result, an error, or fields put beside `jsonrpc` and `id` as they are. */
export type PromptResult =
  | string
  | { readonly stopReason: string }
  | { readonly error: RpcError }
  | { readonly raw: JsonObject };

/** The fields of the response that an ending stands for; undefined when there is to be none. */
export function responseOf(ending: PromptResult): JsonObject | undefined {
  if (ending === "never") return undefined;
  if (typeof ending === "string") return { result: { stopReason: ending } };
  if ("error" in ending) return { error: ending.error };
  if ("raw" in ending) return ending.raw;
  return { result: ending };
}
