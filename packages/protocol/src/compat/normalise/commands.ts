import type { Hits } from "./hits.ts";
import { isList, isRecord, mapSame } from "../../record.ts";

/** Seed 001 wraps a command's hint: `input.unstructured.hint`. */
export function normaliseCommands(commands: unknown, hits?: Hits): unknown {
  return isList(commands) ? mapSame(commands, (command) => unwrapped(command, hits)) : commands;
}

function unwrapped(command: unknown, hits?: Hits): unknown {
  if (!isRecord(command) || !isRecord(command["input"])) return command;
  const { unstructured, ...rest } = command["input"];
  if (!isRecord(unstructured) || rest["hint"] !== undefined) return command;
  hits?.count("command-input");
  return { ...command, input: { ...rest, ...unstructured } };
}
