import { useLandline } from "@landline/client/react";
import type { SessionView } from "@landline/protocol";
import { useCallback } from "react";
import type { SuggestionSource } from "../message/use-suggestions.ts";
import { useThisSession, useView } from "../state/session.tsx";

const noCommands: SessionView["commands"] = [];

/** The commands of the session's agent and the files of its folders. */
export function useSuggestionSource(): SuggestionSource {
  const { api } = useLandline();
  const { id } = useThisSession();
  const commands = useView((view) => view.commands, noCommands);
  const folder = useView((view) => view.session.cwd, "");
  const find = useCallback<SuggestionSource["find"]>(
    (query, limit) => api.findFiles({ session: id, q: query, limit }),
    [api, id],
  );
  return { commands, folder, find };
}
