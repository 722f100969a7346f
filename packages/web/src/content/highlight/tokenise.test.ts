import { describe, expect, it } from "vitest";
import { languageOf, languageOfPath, type Language } from "./languages.ts";
import { tokenise, type CodeLine } from "./tokenise.ts";

async function linesOf(text: string, language: Language): Promise<CodeLine[]> {
  const found: CodeLine[] = [];
  for await (const lines of tokenise(text, language)) found.push(...lines);
  return found;
}

async function kindsOf(text: string, language: Language): Promise<string[]> {
  const tokens = (await linesOf(text, language)).flat();
  return tokens.flatMap(([words, kind]) => (kind ? [`${kind} ${words.trim()}`] : []));
}

describe("tokens of code", () => {
  it("have the coloured kinds", async () => {
    const code = '// Why\nimport { a } from "b";\nconst c: Map<string> = f(1);';
    expect(await kindsOf(code, "typescript")).toEqual([
      "comment // Why",
      "keyword import",
      "keyword from",
      'string "b"',
      "keyword const",
      "property c",
      "type Map",
      "type string",
      "function f",
      "number 1",
    ]);
  });

  it.each([
    ["json", '{ "name": true }', ["property name", "keyword true"]],
    ["bash", "npm test # c", ["function npm", "comment # c"]],
    ["diff", "-old\n+new", ["deleted -old", "inserted +new"]],
    ["html", '<p class="a">', ["tag <p", "property class", 'string "a"', "tag >"]],
    ["yaml", "a: 1", ["property a", "number 1"]],
  ] as const)("are found in %s", async (language, code, expected) => {
    expect(await kindsOf(code, language)).toEqual(expected);
  });

  it("are the lines of the text, across the batch boundaries", async () => {
    const text = `/*\n${"inside\n".repeat(250)}*/\nlet a;`;
    const lines = await linesOf(text, "javascript");
    expect(lines.map((line) => line.map(([words]) => words).join("")).join("\n")).toBe(text);
    expect(lines[240]).toEqual([["inside", "comment"]]);
    expect(lines.at(-1)?.[0]).toEqual(["let", "keyword"]);
  });
});

describe("languages", () => {
  it.each([
    ["ts", "typescript"],
    ["TypeScript", "typescript"],
    ["language-py", "python"],
    ["js {1,3}", "javascript"],
    ["c++", "cpp"],
    ["nonsense", null],
    ["constructor", null],
    ["", null],
    [null, null],
  ])("%j is %s", (name, language) => {
    expect(languageOf(name)).toBe(language);
  });

  it.each([
    ["/a/b/main.rs", "rust"],
    ["Dockerfile", "docker"],
    ["a.tar", null],
    ["C:\\x\\y.PY", "python"],
  ])("the file %s is %s", (path, language) => {
    expect(languageOfPath(path)).toBe(language);
  });
});
