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

/** The commands and the file search behind the suggestions. */
export interface SuggestionSource {
  readonly commands: SessionView["commands"];
  /** Files in this folder are named by their relative path, others by their full path. */
  readonly folder: string;
  /** Must be stable while the files are the same. */
  readonly find: (query: string, limit: number) => Promise<FilesFound>;
}

export interface SuggestionState {
  /** Null if the caret is at no trigger, or the list was dismissed. */
  readonly trigger: CompletionTrigger | null;
  readonly rows: readonly Suggestion[];
  /** Why there are no rows. */
  readonly words: string | null;
  /** Whether a search is running. */
  readonly isLooking: boolean;
  readonly active: number;
  readonly setActive: (active: number) => void;
  /** Hides the list until the trigger changes. */
  readonly dismiss: () => void;
}

/** The suggestions at the caret; a null caret is not in the field. */
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
    // Do not offer matches of a shorter query that the longer one excludes.
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
  /** The query of these results; null before the first. */
  readonly query: string | null;
  readonly files: readonly FoundFile[];
  readonly words: string;
}

const noFiles: Files = { query: null, files: [], words: "" };

function wordsOf({ query, words }: Files, wanted: string): string {
  return query === wanted ? words : "Searching files…";
}

/** Keeps the last results until newer ones arrive, and drops late answers. */
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
    return { query, files, words: "No matching files." };
  } catch (error) {
    return { query, files: [], words: describeError(error).message };
  }
}
