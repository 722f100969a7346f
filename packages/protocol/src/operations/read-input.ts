import { z } from "zod";
import { LandlineError } from "../errors.ts";
import { isRecord } from "../record.ts";
import { contracts, type Input } from "./contracts.ts";
import { commandId } from "./fields.ts";
import { readPlainAnswer } from "./plain-answer.ts";
import { readWith } from "./read.ts";
import { type CommandName, operationNames, type OperationName, rowOf } from "./table.ts";

/** Throws `invalid-params` that names the field. */
export function readInput<Name extends OperationName>(
  name: Name,
  sent: unknown,
  what = "The input",
): Input<Name> {
  const { _meta: _, ...read } = readWith(contracts[name].input, sent, what);
  return read as unknown as Input<Name>;
}

/** A command of `landline.v1`: the input of an operation, with the operation's name as `type`. */
export type Command = { [Name in CommandName]: CommandOf<Name> }[CommandName];

export type CommandOf<Name extends CommandName> = {
  readonly id: string | number;
  readonly type: Name;
} & Input<Name>;

const commandNames: readonly string[] = operationNames.filter((name) => rowOf(name).socket);

/** Throws `invalid-params` that names the field. */
export function readCommand(sent: unknown): Command {
  const plain = readPlainAnswer(sent);
  if (plain) return plain;
  if (!isRecord(sent)) throw wrong("", "The command must be an object.");
  const { id, type, ...fields } = sent;
  if (!isCommandName(type))
    throw wrong("type", `type must be ${commandNames.map((name) => `"${name}"`).join(" or ")}.`);
  readWith(commandIdField, { id }, "The command");
  return { id, type, ...readInput(type, fields, "The command") } as unknown as Command;
}

function isCommandName(type: unknown): type is CommandName {
  return typeof type === "string" && commandNames.includes(type);
}

const commandIdField = z.object({ id: commandId });

function wrong(field: string, message: string): LandlineError {
  return new LandlineError("invalid-params", { message, data: { field } });
}
