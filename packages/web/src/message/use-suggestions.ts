import type { FilesFound, FoundFile } from "@landline/client";
import type { SessionView } from "@landline/protocol";
import { useEffect, useMemo, useState } from "react";
import { describeError } from "../state/run-command.ts";
import { matchScore } from "../ui/match-score.ts";
import { commandSuggestions, fileSuggestions, type Suggestion } from "./suggestion.ts";
import { triggerAt, type CompletionTrigger } from "./completion-trigger.ts";

const debounceMs = 120;
const filesWanted = 50;
const nothing: readonly Suggestion[] = [];

/** Where suggestions come from. */
export interface SuggestionSource {
  readonly commands: SessionView["commands"];
  /** Files in it are called by their names; in another the same name may be another file. */
  readonly folder: string;
  /** The same function for as long as the same files are looked through. */
  readonly find: (query: string, limit: number) => Promise<FilesFound>;
}

export interface SuggestionState {
  /** Null when nothing is asked for at the caret, or it was waved away. */
  readonly trigger: CompletionTrigger | null;
  readonly rows: readonly Suggestion[];
  /** Instead of rows: why there are none. */
  readonly words: string | null;
  /** Whether other rows are on their way. */
  readonly isLooking: boolean;
  readonly active: number;
  readonly setActive: (active: number) => void;
  /** Until something else is asked for. */
  readonly dismiss: () => void;
}

/** What can be completed at the caret; null is a caret that is not in the field. */
export function useSuggestions(
  text: string,
  caret: number | null,
  { commands, folder, find }: SuggestionSource,
): SuggestionState {
  const found = useMemo(() => (caret === null ? null : triggerAt(text, caret)), [text, caret]);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const place = found && `${found.kind} ${found.from}`;
  const trigger = place === dismissed ? null : found;
  if (dismissed !== null && place === null) setDismissed(null);

  const files = useFiles(find, trigger?.kind === "file" ? trigger.query : null);
  const rows = useMemo(() => {
    if (trigger === null) return nothing;
    if (trigger.kind === "command") return commandSuggestions(commands, trigger.query);
    const known = fileSuggestions(files.files, folder);
    if (files.query === trigger.query) return known;
    // What was found for fewer letters must not be taken for what is meant by more.
    return known.filter(({ insert }) => matchScore(insert, trigger.query) > 0);
  }, [trigger, commands, files, folder]);

  const [choice, setChoice] = useState({ of: "", active: 0 });
  const of = trigger === null ? "" : `${place} ${trigger.query}`;
  const active = choice.of === of ? Math.min(choice.active, Math.max(0, rows.length - 1)) : 0;
  return {
    trigger: trigger?.kind === "command" && rows.length === 0 ? null : trigger,
    rows,
    words: trigger?.kind === "file" && rows.length === 0 ? wordsOf(files, trigger.query) : null,
    isLooking: trigger?.kind === "file" && files.query !== trigger.query,
    active,
    setActive: (next) => setChoice({ of, active: next }),
    dismiss: () => setDismissed(place),
  };
}

interface Files {
  /** For which they were found; null while nothing was. */
  readonly query: string | null;
  readonly files: readonly FoundFile[];
  readonly words: string;
}

const noFiles: Files = { query: null, files: [], words: "" };

function wordsOf({ query, words }: Files, wanted: string): string {
  return query === wanted ? words : "Looking for files…";
}

/** What was found last stays until there is something newer; an answer that comes late is left alone. */
function useFiles(find: SuggestionSource["find"], query: string | null): Files {
  const [files, setFiles] = useState(noFiles);
  const isWanted = query !== null;
  if (!isWanted && files !== noFiles) setFiles(noFiles);
  useEffect(() => {
    if (query === null) return undefined;
    let isStale = false;
    const look = async () => {
      const next = await filesFor(find, query);
      if (!isStale) setFiles(next);
    };
    const timer = setTimeout(() => void look(), query === "" ? 0 : debounceMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [find, query]);
  return files;
}

async function filesFor(find: SuggestionSource["find"], query: string): Promise<Files> {
  try {
    const { files } = await find(query, filesWanted);
    return { query, files, words: "No file has such a name." };
  } catch (error) {
    return { query, files: [], words: describeError(error).message };
  }
}
