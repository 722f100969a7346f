import { setImmediate as nextRound } from "node:timers/promises";
import { effectText, type Judge, type Line, openJudge, type Use } from "@landline/shell";
import type { AuditEntry } from "./audit-table.ts";

/** The effects of an entry's commands, according to the shell analysis. */
interface CommandEffects {
  readonly programs: readonly string[];
  /** As clauses: "deletes files". */
  readonly does: readonly string[];
}

/** Maximum characters per page. Further commands are marked as not analysed. */
const charactersMax = 500_000;
/** Commands analysed before the event loop runs again. */
const stretch = 20;

/**
 * Adds the effects of commands to the entries. They are computed when the audit is read, so that indexing stays fast
 * and old entries use the current analysis.
 */
export async function withEffects(entries: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
  const withCommands = entries.filter((entry) => commandsOf(entry).length > 0);
  if (withCommands.length === 0) return entries;
  const analysis = new PageAnalysis(await openJudge());
  const annotated: AuditEntry[] = [];
  for (const entry of entries) {
    const commands = commandsOf(entry);
    if (commands.length === 0) annotated.push(entry);
    else
      annotated.push({ ...entry, detail: { ...entry.detail, ...(await analysis.of(commands)) } });
  }
  return annotated;
}

function commandsOf({ what, detail }: AuditEntry): readonly Line[] {
  const { commands, command, args } = detail;
  if (Array.isArray(commands)) return commands.filter((line) => typeof line === "string");
  if (what !== "command-started" || typeof command !== "string") return [];
  const words = Array.isArray(args) ? args.filter((word) => typeof word === "string") : [];
  return [words.length === 0 ? command : [command, ...words]];
}

class PageAnalysis {
  readonly #judge: Judge;
  /** Cached, because a call has entries for its start, its end and its permission. */
  readonly #known = new Map<string, CommandEffects>();
  #characters = 0;

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  async of(lines: readonly Line[]): Promise<CommandEffects> {
    const all: CommandEffects[] = [];
    for (const line of lines) all.push(await this.#effectsOf(line));
    return {
      programs: [...new Set(all.flatMap(({ programs }) => programs))],
      does: [...new Set(all.flatMap(({ does }) => does))],
    };
  }

  async #effectsOf(line: Line): Promise<CommandEffects> {
    const key = JSON.stringify(line);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#characters += key.length;
    const effects = this.#characters > charactersMax ? notAnalysed : effectsOf(this.#judge, line);
    this.#known.set(key, effects);
    if (this.#known.size % stretch === 0) await nextRound();
    return effects;
  }
}

const notAnalysed: CommandEffects = {
  programs: [],
  does: ["is not analysed, because there is too much on this page"],
};

function effectsOf(judge: Judge, line: Line): CommandEffects {
  const { commands, redirects, unreadable } = judge.analyse(line);
  const certain = commands.filter(({ role }) => role === "run");
  const programs = certain.map(({ program, words }) => program ?? words[0] ?? "");
  const effects = new Set(certain.flatMap((command) => [...command.effects]));
  const uses = [...certain.flatMap(({ paths }) => paths), ...redirects].map(({ use }) => use);
  if (uses.some((use) => reading.has(use))) effects.add("read");
  if (uses.includes("write")) effects.add("write");
  const unknown = [unreadable, ...certain.map((command) => command.unknown)];
  return {
    programs: [...new Set(programs)].filter((name) => name !== ""),
    does: [
      ...Array.from(effects, (effect) => effectText[effect]),
      ...unknown.filter((reason) => reason !== null).map((reason) => `may do more: ${reason}`),
    ],
  };
}

const reading: ReadonlySet<Use> = new Set<Use>(["name", "read", "search", "load"]);
