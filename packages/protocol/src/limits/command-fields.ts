import type { LimitRow, Unit } from "./row.ts";

/** The maximum lengths of the fields of commands. The schemas use them. */
export const commandFieldRows = {
  idLength: field("characters", 1_024),
  pathLength: field("characters", 4_096),
  titleLength: field("characters", 1_000),
  deviceNameLength: field("characters", 100),
  noteLength: field("characters", 32 * 1_024),
  textLength: field("characters", 64 * 1_024 * 1_024),
  valueLength: field("characters", 32 * 1_024),
  rootsPerSession: field("count", 100),
  choicesPerSession: field("count", 100),
  mcpServersPerSession: field("count", 100),
  valuesPerMcpServer: field("count", 256),
  blocksPerPrompt: field("count", 1_000),
  fieldsPerAnswer: field("count", 256),
  terminalInputLength: field("characters", 64 * 1_024),
  terminalCells: field("count", 10_000),
} as const satisfies Record<string, LimitRow>;

function field(unit: Unit, most: number) {
  return {
    unit,
    default: most,
    spec: most,
    consequence: "The command is refused with invalid-params, which names the field.",
    fixed: true,
  } as const;
}
