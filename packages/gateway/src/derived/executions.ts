import {
  confinementOf,
  newExecution,
  withReading,
  type Confinement,
  type Execution,
  type ExecutionReading,
  type TerminalLookup,
  type TerminalOpened,
  type TerminalRestarted,
} from "@landline/protocol";
import { identifier } from "./reading.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { Tables } from "./tables.ts";

/** How the calls of one session are executed, by the same rules as in a view (`execution.ts` of the protocol). */
export class Executions {
  readonly #sessionId: string;
  readonly #tables: Pick<Tables, "terminals" | "asks">;

  constructor(sessionId: string, tables: Pick<Tables, "terminals" | "asks">) {
    this.#sessionId = sessionId;
    this.#tables = tables;
  }

  ofNew({ agent, agentRun }: SessionFacts): Execution {
    return newExecution(agent, agentRun);
  }

  read(execution: Execution, reading: ExecutionReading): Execution {
    return withReading(execution, reading, this.#lookup);
  }

  /** Told anew after a terminal was restarted. */
  again(execution: Execution): Execution {
    return this.read(execution, { terminals: [], report: null });
  }

  opened({ terminalId, confinement: given }: TerminalOpened): void {
    const confinement = confinementOf(given);
    const run = confinement === undefined ? {} : { confinement };
    this.#tables.terminals.save(this.#sessionId, idOf(terminalId), run);
  }

  restarted({ terminalId, confinement: given, ask }: TerminalRestarted): void {
    const confinement = confinementOf(given);
    if (confinement === undefined) return;
    this.#tables.terminals.save(this.#sessionId, idOf(terminalId), {
      confinement,
      ...(confinement === null ? { hasLeftSandbox: true } : {}),
      restartAsk: idOf(ask),
    });
  }

  /** The agent shows a terminal of its own. What it says of one of the gateway does not count. */
  shown(terminalId: string): void {
    const id = idOf(terminalId);
    if (this.#tables.terminals.one(this.#sessionId, id) !== undefined) return;
    this.#tables.terminals.save(this.#sessionId, id, "agent");
  }

  readonly #lookup: TerminalLookup = (terminalId) => {
    const terminal = this.#tables.terminals.one(this.#sessionId, idOf(terminalId));
    if (terminal === undefined || terminal === "agent" || terminal.restartAsk === undefined)
      return terminal;
    const restart = this.#tables.asks.decision(this.#sessionId, terminal.restartAsk);
    return restart === null ? terminal : { ...terminal, restart };
  };
}

function idOf(value: unknown): string {
  return identifier(value) ?? "";
}

const hostsTold = 20;
const decisionsTold = 5;

/** As the audit has it: short, so that nothing of it is cut. */
export function auditedExecution(execution: Execution): object {
  const { terminals: _terminals, agentConfinement: _agent, report, ...told } = execution;
  const { confinement } = execution;
  return {
    ...told,
    ...(confinement ? { confinement: withFewHosts(confinement) } : {}),
    ...(report ? { report: { ...report, confinement: null } } : {}),
    decisions: execution.decisions.slice(-decisionsTold),
  };
}

function withFewHosts(confinement: Confinement): Confinement {
  const { network } = confinement;
  return typeof network === "string" || network.length <= hostsTold
    ? confinement
    : { ...confinement, network: network.slice(0, hostsTold) };
}
