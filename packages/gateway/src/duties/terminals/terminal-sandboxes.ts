import { join } from "node:path";
import { LandlineError } from "@landline/protocol";
import type { FoundSandbox } from "@landline/sandbox";
import type { Logger } from "../../observe/logger.ts";

export interface TerminalSandboxesOptions {
  readonly home: string;
  /** The data folder of the gateway. */
  readonly folder: string;
  readonly logger?: Pick<Logger, "warn">;
}

/** The sandbox of this machine, looked for when the first terminal is opened. */
export class TerminalSandboxes {
  readonly home: string;
  readonly #options: TerminalSandboxesOptions;
  #found: Promise<FoundSandbox> | null = null;
  #told = "";

  constructor(options: TerminalSandboxesOptions) {
    this.home = options.home;
    this.#options = options;
  }

  /** Where there is none, the next call looks again. Throws when the machine is too busy to tell. */
  async find(): Promise<FoundSandbox> {
    this.#found ??= this.#find();
    const finding = this.#found;
    let isFound = false;
    try {
      const found = await finding;
      isFound = found.sandbox !== null;
      return found;
    } catch (error) {
      throw new LandlineError("internal-error", {
        message: `Whether commands can be confined could not be found out: ${(error as Error).message}.`,
        help: "Try again when the machine is less busy.",
        cause: error,
      });
    } finally {
      if (!isFound && this.#found === finding) this.#found = null;
    }
  }

  /** Says it once for each reason. */
  tellUnconfined(reason: string): void {
    if (this.#told === reason) return;
    this.#told = reason;
    this.#options.logger?.warn(
      "Commands that agents run in terminals are not confined on this machine.",
      { reason },
    );
  }

  async #find(): Promise<FoundSandbox> {
    const { findSandbox } = await import("@landline/sandbox");
    const { home, folder } = this.#options;
    return findSandbox({ home, data: join(folder, "sandbox") });
  }
}
