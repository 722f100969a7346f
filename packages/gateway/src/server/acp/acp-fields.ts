import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { acpMeta, LandlineError, type SessionView } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import { optionsFor } from "./client-updates.ts";

export type Params = Readonly<Record<string, unknown>>;

export type SessionFields = ReturnType<typeof optionsOf> & { readonly _meta: Params };

export function metaOf({ _meta }: Params): Params {
  return isRecord(_meta) ? _meta : {};
}

/** Cursors are opaque to clients, so they may return one as a string. */
export function cursorOf(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  const cursor = typeof given === "string" && /^\d{1,16}$/.test(given) ? Number(given) : given;
  if (Number.isSafeInteger(cursor) && (cursor as number) >= 0) return cursor as number;
  throw new LandlineError("invalid-params", {
    message: "The cursor must be one that the gateway sent.",
    data: { field: "cursor" },
  });
}

/** Prompts that the client sent on an earlier connection. */
export function ownPromptsOf(params: Params): readonly string[] {
  const given = metaOf(params)[acpMeta.promptIds];
  return Array.isArray(given) ? given.map(String) : [];
}

export function optionsOf(
  { modes, configOptions, models }: SessionView,
  capabilities: ClientCapabilities,
) {
  return {
    ...(modes && { modes }),
    ...(configOptions && { configOptions: [...optionsFor(capabilities, configOptions)] }),
    ...(models && { models }),
  };
}
