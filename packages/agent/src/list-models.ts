import type { AgentOptions } from "./agent.ts";
import { inspect, printLine } from "./inspection.ts";
import type { ModelInfo } from "./model/model.ts";

/** Prints the models that can be used from the current folder. */
export async function listModels(options: AgentOptions, json: boolean): Promise<number> {
  const { models: open } = await inspect(options);
  const byDefault = open.default().id;
  const list = open.list();
  open.close();
  if (json)
    for (const model of list)
      printLine(JSON.stringify({ ...model, default: model.id === byDefault }));
  else for (const line of modelLines(list, byDefault)) printLine(line);
  return 0;
}

function modelLines(list: ModelInfo[], byDefault: string): string[] {
  const rows = list.map(({ id, name, contextTokens, cost }) => [
    `${id === byDefault ? "* " : "  "}${id}`,
    name,
    `${Math.round(contextTokens / 1_000)}k`,
    cost ? `$${cost.input} in, $${cost.output} out` : "",
  ]);
  const all = [["  MODEL", "NAME", "CONTEXT", "PER MILLION TOKENS"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
