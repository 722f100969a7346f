import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { TerminalRun } from "@landline/protocol";

/** What is known of a terminal: `agent` where the agent shows it as its own. */
export type KnownTerminal =
  | "agent"
  | (TerminalRun & {
      /** The ask that allowed its program to run again. */
      readonly restartAsk?: string;
    });

/** How the programs of terminals were confined, for the calls that name them. */
export class TerminalTable {
  readonly #one: StatementSync;
  readonly #save: StatementSync;

  constructor(database: DatabaseSync) {
    this.#one = database.prepare(
      "SELECT run FROM terminals WHERE session_id = ? AND terminal_id = ?",
    );
    this.#save = database.prepare(
      `INSERT INTO terminals (session_id, terminal_id, run) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET run = excluded.run`,
    );
  }

  one(sessionId: string, terminalId: string): KnownTerminal | undefined {
    const run = this.#one.get(sessionId, terminalId)?.["run"];
    return typeof run === "string" ? (JSON.parse(run) as KnownTerminal) : undefined;
  }

  save(sessionId: string, terminalId: string, terminal: KnownTerminal): void {
    this.#save.run(sessionId, terminalId, JSON.stringify(terminal));
  }
}
