import type { JsonObject } from "./json.ts";
import type { SessionSetup } from "./scenario.ts";
import type { Usual } from "./session-methods.ts";

/** The messages that replay the history of a loaded session, split at its response. */
export function replayOf(
  usual: Usual,
  setup: SessionSetup = {},
): { readonly before: readonly JsonObject[]; readonly after: readonly JsonObject[] } {
  const { session } = usual;
  const { replay: order = "before", replayKinds } = setup;
  if (usual.replays !== true || session === undefined || order === "none") {
    return { before: [], after: [] };
  }
  const told = session.history.filter(
    ({ update }) => replayKinds?.includes(String(update["sessionUpdate"])) ?? true,
  );
  const messages = told.map(({ update, child }) => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: child ?? session.id, update },
  }));
  const cut = order === "before" ? messages.length : order === "first-before" ? 1 : 0;
  return { before: messages.slice(0, cut), after: messages.slice(cut) };
}
