import { mkdir } from "node:fs/promises";
import { Persona } from "../personas/persona.ts";
import type { WireMessage } from "../personas/wire.ts";
import { allowedDifferences, type Side } from "./allowed-differences.ts";
import type { ClientScenario } from "./client-scenarios.ts";

/** Connects a client to the agent, itself or behind a gateway. */
export type ConnectClient = (client: Persona) => void | Promise<void>;

export interface ComparedRun {
  /** What each client received, in order, without allowed differences. */
  readonly received: readonly (readonly unknown[])[];
  /** Violations of ACP. */
  readonly faults: readonly string[];
  /** The names of the differences that occurred. */
  readonly differences: ReadonlySet<string>;
}

/** Runs a scenario in a new folder. Two runs of one scenario, with and without a gateway, must have received the same. */
export async function runScenario(
  { run, isConcurrent = false }: ClientScenario,
  side: Omit<Side, "keepsOrder"> & { readonly isHttp?: boolean },
  connect: ConnectClient,
): Promise<ComparedRun> {
  const { cwd, isGateway, isHttp = false } = side;
  await mkdir(cwd);
  const clients: Persona[] = [];
  try {
    await run({
      cwd,
      connect: async (changes = {}) => {
        const client = new Persona("full", changes);
        clients.push(client);
        await connect(client);
        await client.initialize();
        return client;
      },
    });
  } finally {
    for (const client of clients) await client[Symbol.asyncDispose]();
  }
  const differences = new Set<string>();
  const keepsOrder = !isHttp && !isConcurrent;
  return {
    received: clients.map(({ wire }) =>
      comparable(wire.messages, { cwd, isGateway, keepsOrder }, differences),
    ),
    faults: clients.flatMap(({ wire }) => wire.faults()),
    differences,
  };
}

function comparable(
  messages: readonly WireMessage[],
  side: Side,
  differences: Set<string>,
): readonly unknown[] {
  let compared = messages;
  for (const [name, { apply }] of Object.entries(allowedDifferences)) {
    const next = apply(compared, side);
    if (JSON.stringify(next) !== JSON.stringify(compared)) differences.add(name);
    compared = next;
  }
  return compared.filter(({ from }) => from === "agent").map(({ message }) => message);
}
