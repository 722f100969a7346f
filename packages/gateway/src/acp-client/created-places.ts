import { PendingWork } from "@landline/system/pending-work";
import { relative } from "node:path";
import { errorMessage } from "@landline/system/error-message";
import type { SetAside } from "@landline/sandbox";
import type { SessionContext } from "./session-context.ts";
import {
  type CreatedBy,
  createdRequest,
  type SandboxRequest,
} from "./terminals/sandbox-request.ts";

export interface CreatedPlacesOptions {
  /** Asks the person; null when nobody answered. The request is open until then, even when the turn has ended. */
  readonly ask: (
    request: SandboxRequest,
    child: string | null,
  ) => Promise<"keep" | "reject" | null>;
  /** Whether the session ends: then nobody can be asked. */
  readonly isOver: () => boolean;
}

/** Asks the person about protected places that confined programs of one session created. */
export class CreatedPlaces {
  readonly #context: SessionContext;
  readonly #options: CreatedPlacesOptions;
  readonly #open = new PendingWork();

  constructor(context: SessionContext, options: CreatedPlacesOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Resolves when the person has answered: to the places that were removed. Never rejects. */
  ask(created: SetAside, by: CreatedBy): Promise<readonly string[]> {
    return this.#open.add(
      this.#ask(created, by).catch((error: unknown) => {
        this.#tell(created, by, errorMessage(error));
        return [];
      }),
    );
  }

  /** How many requests are open. */
  get openCount(): number {
    return this.#open.size;
  }

  /** When no request is open. */
  ended(): Promise<void> {
    return this.#open.ended();
  }

  async #ask(created: SetAside, by: CreatedBy): Promise<readonly string[]> {
    const display = (path: string) => this.#shown(path);
    const { createdText } = await import("@landline/sandbox");
    const words = createdText(created.places, by.name, display);
    if (this.#options.isOver()) {
      this.#tell(created, by, "the session was being closed, so nobody was asked");
      return [];
    }
    const answer = await this.#options.ask(createdRequest(created, words, by), by.child);
    if (answer === "keep") await created.restore();
    if (answer !== "reject") return [];
    await created.remove();
    return created.places.map(({ path }) => display(path));
  }

  #tell({ places }: SetAside, { name }: CreatedBy, reason: string): void {
    const renamed = places.map(({ renamed: from, aside }) =>
      aside === null
        ? `${this.#shown(from)} keeps its name`
        : `${this.#shown(from)} is now ${this.#shown(aside)}`,
    );
    const message = `Protected places that ${name} created: ${renamed.join(", ")} (${reason}).`;
    const help = "Check them, then restore their names or delete them.";
    try {
      this.#context.record({ kind: "error", code: "permission-denied", message, help });
    } catch {
      // The log refuses: its owner reports that.
    }
  }

  /** Paths in the session's folder as people write them. */
  #shown(path: string): string {
    const { cwd } = this.#context;
    return path.startsWith(`${cwd}/`) ? relative(cwd, path) : path;
  }
}
