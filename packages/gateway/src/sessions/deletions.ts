import type { Limits } from "@landline/protocol";
import { appendAudit, readAudit, type AuditLine } from "../data-folder/audit-file.ts";
import type { AuditEntry } from "../index/audit-table.ts";

/** The deleted sessions and who deleted them, for the audit. */
export class Deletions {
  readonly #path: string;
  readonly #mostBytes: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, { accessLogBytes }: Pick<Limits, "accessLogBytes">) {
    this.#path = path;
    this.#mostBytes = accessLogBytes;
  }

  list(): Promise<readonly AuditEntry[]> {
    return readAudit(this.#path);
  }

  /**
   * Records the deletion before it happens, or after it if the disk was full. Returns the error if it could not be
   * recorded, or null. Rejects if the session could not be erased.
   */
  async note(deletion: Omit<AuditLine, "what">, erase: () => Promise<void>): Promise<unknown> {
    const line: AuditLine = { what: "session-deleted", ...deletion };
    const problem = await this.#append(line);
    await erase();
    return problem === null ? null : this.#append(line);
  }

  #append(line: AuditLine): Promise<unknown> {
    const appended = this.#last.then(() => appendAudit(this.#path, line, this.#mostBytes));
    this.#last = appended.catch(() => {});
    return appended.then(
      () => null,
      (error: unknown) => error,
    );
  }
}
