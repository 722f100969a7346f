import { join } from "node:path";
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

  /** One that failed is looked for again: the machine may only have been too busy. */
  async find(): Promise<FoundSandbox> {
    this.#found ??= this.#find();
    const finding = this.#found;
    const found = await finding;
    if (found.sandbox === null && this.#found === finding) this.#found = null;
    return found;
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
