import type { Api, FoundFile } from "@landline/client";
import { useLandline } from "@landline/client/react";
import type { SessionView } from "@landline/protocol";
import { useEffect, useMemo, useState } from "react";
import { failureWords } from "../state/act.ts";
import { useThisSession, useView } from "../state/session.tsx";
import { commandSuggestions, fileSuggestions, type Suggestion } from "./suggestion.ts";
import { triggerAt, type Trigger } from "./trigger.ts";

const debounceMs = 120;
const filesWanted = 50;
const noCommands: SessionView["commands"] = [];
const nothing: readonly Suggestion[] = [];

export interface Suggested {
  /** Null when nothing is asked for at the caret, or it was waved away. */
  readonly trigger: Trigger | null;
  readonly rows: readonly Suggestion[];
  /** Instead of rows: why there are none. */
  readonly words: string | null;
  readonly active: number;
  readonly setActive: (active: number) => void;
  /** Until something else is asked for. */
  readonly dismiss: () => void;
}

/** What can be completed at the caret; null is a caret that is not in the field. */
export function useSuggestions(text: string, caret: number | null): Suggested {
  const commands = useView((view) => view.commands, noCommands);
  const cwd = useView((view) => view.session.cwd, "");
  const found = useMemo(() => (caret === null ? null : triggerAt(text, caret)), [text, caret]);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const place = found && `${found.kind} ${found.from}`;
  const trigger = place === dismissed ? null : found;
  if (dismissed !== null && place === null) setDismissed(null);

  const files = useFiles(trigger?.kind === "file" ? trigger.query : null);
  const rows = useMemo(() => {
    if (trigger === null) return nothing;
    return trigger.kind === "command"
      ? commandSuggestions(commands, trigger.query)
      : fileSuggestions(files.files, cwd);
  }, [trigger, commands, files.files, cwd]);

  const [choice, setChoice] = useState({ of: "", active: 0 });
  const of = trigger === null ? "" : `${place} ${trigger.query}`;
  const active = choice.of === of ? Math.min(choice.active, Math.max(0, rows.length - 1)) : 0;
  return {
    trigger: trigger?.kind === "command" && rows.length === 0 ? null : trigger,
    rows,
    words: trigger?.kind === "file" && rows.length === 0 ? files.words : null,
    active,
    setActive: (next) => setChoice({ of, active: next }),
    dismiss: () => setDismissed(place),
  };
}

interface Files {
  readonly files: readonly FoundFile[];
  readonly words: string | null;
}

const noFiles: Files = { files: [], words: "Looking for files…" };

/** What was found last stays until there is something newer; an answer that comes late is left alone. */
function useFiles(query: string | null): Files {
  const { api } = useLandline();
  const session = useThisSession();
  const [files, setFiles] = useState(noFiles);
  const isWanted = query !== null;
  if (!isWanted && files !== noFiles) setFiles(noFiles);
  useEffect(() => {
    if (query === null) return undefined;
    let isStale = false;
    const look = async () => {
      const next = await findFiles(api, session.id, query);
      if (!isStale) setFiles(next);
    };
    const timer = setTimeout(() => void look(), query === "" ? 0 : debounceMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [api, session.id, query]);
  return files;
}

async function findFiles(api: Api, sessionId: string, query: string): Promise<Files> {
  try {
    const { files } = await api.files(sessionId, query, filesWanted);
    return { files, words: "No file has such a name." };
  } catch (error) {
    return { files: [], words: failureWords(error).message };
  }
}
