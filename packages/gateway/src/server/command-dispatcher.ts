import {
  asLandlineError,
  operations,
  type CommandName,
  type LandlineError,
} from "@landline/protocol";
import { shownTo } from "./hidden-paths.ts";
import type { Peer, SocketDialect } from "./peer.ts";
import { logCommand } from "./request-log.ts";
import { requireRole } from "./roles.ts";
import { withinScope } from "./scope.ts";

/**
 * Handles each message of one socket in any dialect: reads, authorizes, counts, executes and logs it. It never throws
 * or rejects; every failure becomes a frame.
 */
export class CommandDispatcher<SocketCommand extends { readonly type: CommandName }> {
  readonly #peer: Peer;
  readonly #dialect: SocketDialect<SocketCommand>;

  constructor(peer: Peer, dialect: SocketDialect<SocketCommand>) {
    this.#peer = peer;
    this.#dialect = dialect;
  }

  async receive(message: unknown): Promise<void> {
    const { services, principal } = this.#peer;
    const startedAt = performance.now();
    try {
      const command = this.#dialect.read(message);
      services.metrics.commands.add(command.type);
      requireRole(principal, operations[command.type].role);
      const opened = await this.#dialect.execute(withinScope(principal, command.type, command));
      this.#log(command, { outcome: "ok", startedAt, opened });
    } catch (error) {
      const known = asLandlineError(error);
      if (known.code === "internal-error") services.logger.error("A command failed.", { error });
      this.refuse(known, message, startedAt);
    }
  }

  /** Also used for messages that could not be read or accepted. */
  refuse(error: LandlineError, message: unknown, startedAt = performance.now()): void {
    this.#peer.services.metrics.errors.add(error.code);
    this.#log(message, { outcome: error.code, startedAt });
    const shown = shownTo(this.#peer.principal, error, this.#peer.services);
    this.#peer.writer.send(this.#dialect.refusal(shown, message));
  }

  /** Called when nothing was sent for a while. */
  ping(): void {
    const { pingFrame } = this.#dialect;
    if (pingFrame) this.#peer.writer.send(pingFrame);
  }

  #log(message: unknown, end: Parameters<typeof logCommand>[3]): void {
    logCommand(this.#peer, this.#dialect.name, message, end);
  }
}
