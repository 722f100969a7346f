import { readFileSync } from "node:fs";
import type { ErrorCode } from "@landline/protocol";
import type { NormaliseRule } from "@landline/protocol/compat";

/** One JSON example of a seed. A block with several messages is several examples. */
export interface Example {
  /** Seed, number of its JSON block, and content: a failing test prints this. */
  readonly name: string;
  readonly block: number;
  readonly where: string;
  readonly is: keyof typeof subjectKeys;
  readonly method: string;
  readonly note?: string;
  /** `none`: the method is in no schema. */
  readonly schema?: "stable" | "unstable" | "none";
  /** The only session of its connection. */
  readonly onlySession?: string;
  readonly outcome: "accepted" | "normalised" | "refused" | "nothing" | "means" | "outside";
  /** The code of the refusal, or the meaning of a peer's error. */
  readonly code?: ErrorCode;
  readonly hits?: Readonly<Partial<Record<NormaliseRule, number>>>;
  readonly printed: Readonly<Record<string, unknown>>;
  readonly normalised?: unknown;
}

/** The part that is normalised; `null` for all of it. */
const subjectKeys = {
  request: "params",
  notification: "params",
  response: "result",
  error: "error",
  params: null,
  result: null,
  update: null,
  message: null,
  outside: null,
} as const;

export function subjectOf(example: Example): unknown {
  const key = subjectKeys[example.is];
  return key === null ? example.printed : example.printed[key];
}

export function examplesOf(seed: string): readonly Example[] {
  const file = new URL(`seed-${seed}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { examples: Example[] }).examples;
}
