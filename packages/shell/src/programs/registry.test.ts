import { describe, expect, it } from "vitest";
import { optionTable } from "../arguments/options.ts";
import type { ProgramSpec, ValueKind } from "../arguments/program-spec.ts";
import type { Effect } from "../line-facts.ts";
import { isRunner, named, specOf } from "./registry.ts";

const kinds = {
  text: true,
  name: true,
  read: true,
  search: true,
  write: true,
  delete: true,
  enter: true,
  load: true,
  host: true,
  execute: true,
  verb: true,
  code: true,
  command: true,
  script: true,
  environment: true,
  sed: true,
  awk: true,
  jq: true,
  unknown: true,
} satisfies Record<ValueKind, true>;

const effects = {
  read: true,
  write: true,
  delete: true,
  execute: true,
  project: true,
  network: true,
  system: true,
  environment: true,
} satisfies Record<Effect, true>;

/** A spec and those of its subcommands, each with a name for messages. */
function* specsOf(name: string, spec: ProgramSpec): Generator<[string, ProgramSpec]> {
  yield [name, spec];
  if (spec.bare) yield* specsOf(`${name} (bare)`, spec.bare);
  for (const [names, inner] of Object.entries(spec.subcommands ?? {}))
    yield* specsOf(`${name} ${names}`, inner);
}

const knownPrograms = named.map(([name]) => name);
const all = knownPrograms.flatMap((name) => {
  const spec = specOf(name);
  return spec ? Array.from(specsOf(name, spec)) : [];
});

describe("the tables of programs", () => {
  it("are not empty", () => {
    expect(knownPrograms.length).toBeGreaterThan(300);
  });

  it("name each program once", () => {
    const names = knownPrograms;
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("have options of known kinds and effects", () => {
    const wrong = all.flatMap(([name, { options = "", style = "gnu" }]) => {
      const table = optionTable(options, style.startsWith("dash"));
      return [...table]
        .filter(
          ([, { kind, effect }]) => !(kind in kinds) || !(effect === null || effect in effects),
        )
        .map(([option, { kind, effect }]) => `${name} ${option}: ${kind} ${effect ?? ""}`);
    });
    expect(wrong).toEqual([]);
  });

  it("have operands and effects that are known", () => {
    const wrong = all.flatMap(([name, spec]) => {
      const operands = typeof spec.operands === "string" ? spec.operands.split(/\s+/) : [];
      const unknownKinds = operands.filter(
        (kind) => kind !== "" && !(kind.replace(/[*?]$/, "") in kinds),
      );
      const unknownEffects = (spec.effects ?? "")
        .split(/\s+/)
        .filter((effect) => effect !== "" && !(effect in effects));
      return [...unknownKinds, ...unknownEffects].map((word) => `${name}: ${word}`);
    });
    expect(wrong).toEqual([]);
  });

  it("describe programs that run others", () => {
    for (const name of ["env", "xargs", "sudo", "bash"]) expect(isRunner(name)).toBe(true);
  });
});
