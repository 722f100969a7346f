import { LandlineError } from "@landline/protocol";
import type { FoundSandbox } from "@landline/sandbox";
import { type SandboxSearch, sandboxSearch } from "@landline/sandbox/sandbox-search";
import type { Logger } from "../../telemetry/logger.ts";

export interface TerminalSandboxesOptions {
  readonly home: string;
  /** The data folder of the gateway. */
  readonly folder: string;
  readonly logger?: Pick<Logger, "warn">;
}

/** The sandbox for the terminals of all sessions. */
export class TerminalSandboxes {
  readonly home: string;
  readonly #search: SandboxSearch;
  readonly #logger: Pick<Logger, "warn"> | undefined;
  #warnedReason = "";

  constructor({ home, folder, logger }: TerminalSandboxesOptions) {
    this.home = home;
    this.#search = sandboxSearch({ home, dataFolder: folder });
    this.#logger = logger;
  }

  /** Throws if the machine is too busy to find out. */
  find(): Promise<FoundSandbox> {
    return this.#search.find().catch((error: Error) => {
      throw new LandlineError("internal-error", {
        message: `Could not determine whether commands can be confined: ${error.message}.`,
        help: "Try again when the machine is less busy.",
        cause: error,
      });
    });
  }

  /** Logs it once for each reason. */
  warnUnconfined(reason: string): void {
    if (this.#warnedReason === reason) return;
    this.#warnedReason = reason;
    this.#logger?.warn("Commands that agents run in terminals are not confined on this machine.", {
      reason,
    });
  }
}
