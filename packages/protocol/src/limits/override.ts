import { LandlineError } from "../errors.ts";
import type { LimitRow } from "./row.ts";

/** Validates an override from a config file. */
export function checkOverride(name: string, row: LimitRow | undefined, value: unknown): void {
  if (!row) throw refusal(`There is no limit "${name.slice(0, 100)}".`);
  if (row.fixed && value !== row.default)
    throw refusal(`The limit ${name} is part of the protocol and can't be changed.`);
  if (value === null && (row.default === null || row.spec === null)) return;
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw refusal(`The limit ${name} must be a whole number, 0 or more (unit: ${row.unit}).`);
}

function refusal(message: string): LandlineError {
  return new LandlineError("invalid-params", {
    message,
    help: "docs/limits.md lists the limits, their units and which of them can be changed.",
  });
}
