import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as schemas from "../src/operations.ts";
import * as compat from "../src/compat.ts";
import * as root from "../src/index.ts";

/**
 * The exports of the package, by name, in `surface/*.txt`. A new export is a decision: run `vitest run
 * packages/protocol/test/surface.test.ts -u` and read the diff.
 */
const entries = [
  { file: "index", module: root },
  { file: "operations", module: schemas },
  { file: "compat", module: compat },
] as const;

interface Surface {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const comments = /\/\*[\s\S]*?\*\/|^\/\/.*$/gm;
const statement = /export (type )?\{([^}]*)\} from "\.\/[^"]+\.ts";/g;

/** An entry is only a list of names, so that it can be parsed without a compiler. */
function surfaceOf(source: string): Surface {
  const code = source.replaceAll(comments, "");
  const rest = code.replaceAll(statement, "").trim();
  if (rest !== "")
    throw new Error(`An entry lists names and does nothing else, but it has: ${rest}`);
  const names = (isType: boolean) =>
    [...code.matchAll(statement)]
      .filter(([, type]) => (type !== undefined) === isType)
      .flatMap(([, , list = ""]) => list.split(",").map((name) => name.trim()))
      .filter((name) => name !== "")
      .toSorted();
  return { values: names(false), types: names(true) };
}

describe.each(entries)("the entry $file.ts", ({ file, module }) => {
  it("exports the listed names", async () => {
    const source = await readFile(new URL(`../src/${file}.ts`, import.meta.url), "utf8");
    const { values, types } = surfaceOf(source);
    expect(Object.keys(module).toSorted()).toEqual(values);
    const lines = [...values, ...types.map((name) => `type ${name}`)];
    expect(new Set(lines).size).toBe(lines.length);
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`surface/${file}.txt`);
  });
});
