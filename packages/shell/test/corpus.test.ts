import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coversLine, type Judge, openJudge, type Verdict } from "../src/index.ts";
import {
  type CorpusLine,
  type Fixture,
  hostileCorpus,
  hostileProject,
  ordinaryCorpus,
  ordinaryProject,
  wideningCorpus,
} from "./corpus.ts";

let ordinary: Fixture;
let hostile: Fixture;
let judge: Judge;

beforeAll(async () => {
  [ordinary, hostile] = await Promise.all([ordinaryProject(), hostileProject()]);
  judge = await openJudge();
});
afterAll(async () => {
  await ordinary[Symbol.asyncDispose]();
  await hostile[Symbol.asyncDispose]();
});

const judged = (line: string, { project, home }: Fixture): Promise<Verdict> =>
  judge.judge(line, { cwd: project, roots: [project], home });

/** The differences between a verdict and the corpus. */
function disagreements(wanted: CorpusLine, verdict: Verdict, { project }: Fixture): string[] {
  const { reasons, paths } = verdict;
  const codes = new Set(reasons.map(({ code }) => code));
  const isAllowed = reasons.length === 0;
  const touched = new Set(paths.map(({ use, named }) => `${use} ${named}`));
  return [
    ...(isAllowed === (wanted.verdict === "allow")
      ? []
      : [isAllowed ? "is allowed" : "needs permission"]),
    ...(isAllowed || wanted.verdict === "ask" ? [] : reasons.map(({ message }) => message)),
    ...wanted.reasons.filter((code) => !codes.has(code)).map((code) => `no reason ${code}`),
    ...wanted.paths
      .map(([use, path]) => `${use} ${resolve(project, path)}`)
      .filter((path) => !touched.has(path))
      .map((path) => `no path: ${path}`),
    ...programDisagreements(wanted, verdict),
  ];
}

function programDisagreements({ programs }: CorpusLine, { facts }: Verdict): string[] {
  const all = facts.commands;
  const found = new Set(all.flatMap(({ words }) => words.slice(0, 1)));
  const missing = programs.filter((program) => !found.has(program));
  // An unreadable line is split wherever a command may begin. A variable does not name a program.
  const certain = facts.unreadable === null ? all.filter(({ role }) => role !== "guess") : [];
  const others = certain
    .flatMap(({ words }) => words.slice(0, 1))
    .filter((name) => !programs.includes(name) && !name.includes("$"));
  return [
    ...missing.map((program) => `does not name ${program}`),
    ...others.map((program) => `names ${program}`),
  ];
}

async function wrong(corpus: readonly CorpusLine[], fixture: Fixture) {
  const found: { line: string; but: string[] }[] = [];
  for (const wanted of corpus) {
    const but = disagreements(wanted, await judged(wanted.line, fixture), fixture);
    if (but.length > 0) found.push({ line: wanted.line, but });
  }
  return found;
}

const linesOf = (corpus: readonly { readonly line: string }[]) => corpus.map(({ line }) => line);
const programsOf = (corpus: readonly CorpusLine[]) =>
  new Set(corpus.flatMap(({ programs }) => programs));

describe("ordinary lines", () => {
  it("have the expected verdict, programs and paths", async () => {
    expect(await wrong(ordinaryCorpus(ordinary), ordinary)).toEqual([]);
  });

  it("are many and unique", () => {
    const corpus = ordinaryCorpus(ordinary);
    expect(corpus.length).toBeGreaterThanOrEqual(300);
    expect(new Set(linesOf(corpus)).size).toBe(corpus.length);
    const free = corpus.filter(({ verdict }) => verdict === "allow");
    expect(free.length).toBeGreaterThanOrEqual(300);
    expect(free.flatMap(({ reasons }) => reasons)).toEqual([]);
  });
});

/** Syntactic forms of attacks. The corpus has several lines for each. */
const forms: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["bundled short options", /\s-[a-zA-Z]{2,}(?:\s|$)/],
  ["a value attached to a short option", /\s-[A-Z][./'a-z]/],
  ["--option=value", /\s--[a-z-]+=/],
  ["--option value", /\s--[a-z-]+ [^-\s]/],
  [
    "an abbreviated long option",
    /\s--(?:outpu|out|in-pl|open-files|compress-prog|target|use-compress-prog)[= ]/,
  ],
  ["an option after the operands", /^\w+ [\w.]+ (?:.* )?-{1,2}\w/],
  ["operands after --", /\s--\s/],
  ["arguments from a file", /\s@\w/],
  ["an assignment before the command", /^[A-Za-z_]\w*=\S/],
  ["a wrapper", /^(?:timeout|nice|nohup|env|stdbuf|setsid|ionice|command|exec)\s/],
  ["another user", /^(?:sudo|doas|su|pkexec)\s/],
  ["command substitution", /\$\(/],
  ["backquotes", /`/],
  ["process substitution", /[<>]\(/],
  ["parameter expansion", /\$\{/],
  ["a variable", /\$[A-Za-z]/],
  ["a glob", /[*?]|\[[a-z]\]/],
  ["braces", /\{\w*,\w*\}|[\w-]\{[\w-]+,/],
  ["~user", /~[a-z]/],
  ["~+ and other folders of the shell", /~[-+\d]/],
  ["~", /~(?:\/|\s|$)/],
  ["..", /(?:^|[\s/])\.\.(?:\/|\s|$)/],
  ["a link", /\blink(?:ed)?-/],
  ["a redirection", /\s[\d&]*[<>]+[|&]?\s*\S/],
  ["a here-document", /<<-?['A-Z]/],
  ["a here-string", /<<</],
  ["a function", /\(\)\s*[{(]|^function\s/],
  ["an alias", /\balias\s/],
  ["a shell inside the line", /\b(?:ba|da|z|k)?sh -\w*c\s/],
  ["several commands", /;|&&|\|\||\n/],
  ["a pipe", /\s\|&?\s/],
  ["a loop", /^(?:for|while|select)\s/],
  ["a quoted piece of a word", /\w(?:''|\\)\w/],
  ["a change of the folder", /^(?:cd|pushd)\b/],
  ["a control character", /[^\P{Cc}\n\t]/u],
];

describe("hostile lines", () => {
  it("need permission, for the right reasons, with their programs and paths", async () => {
    expect(await wrong(hostileCorpus(hostile), hostile)).toEqual([]);
  });

  it("are many and unique, for many programs", () => {
    const corpus = hostileCorpus(hostile);
    expect(corpus.length).toBeGreaterThanOrEqual(450);
    expect(programsOf(corpus).size).toBeGreaterThanOrEqual(90);
    expect(new Set(linesOf(corpus)).size).toBe(corpus.length);
    expect(
      corpus.filter(({ verdict, reasons }) => verdict !== "ask" || reasons.length === 0),
    ).toEqual([]);
  });

  it.each(forms)("are written with %s", (_, pattern) => {
    const lines = linesOf(hostileCorpus(hostile)).filter((line) => pattern.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(3);
  });
});

/** Whether a rule for commands that start with `allowed` allows a line. */
async function isAllowedByRule(allowed: string, line: string): Promise<boolean> {
  const prefixes = judge.analyse(allowed).commands.filter(({ role }) => role === "run");
  const verdict = await judged(line, ordinary);
  const isPlain = !verdict.reasons.some(({ code }) => never.has(code));
  return isPlain && prefixes.length === 1 && coversLine(prefixes, verdict);
}

/** Reasons that no rule overrides. */
const never = new Set(["outside", "credential", "protected"]);

describe("rules for the start of a command", () => {
  it("allow lines that do the same, and nothing else", async () => {
    const found: { allowed: string; line: string; isAllowed: boolean }[] = [];
    for (const { allowed, line, covered } of wideningCorpus(ordinary)) {
      const isThrough = await isAllowedByRule(allowed, line);
      if (isThrough !== covered) found.push({ allowed, line, isAllowed: isThrough });
    }
    expect(found).toEqual([]);
  });

  it("are tested with many unique pairs of both kinds", () => {
    const corpus = wideningCorpus(ordinary);
    expect(new Set(corpus.map(({ allowed, line }) => `${allowed}\0${line}`)).size).toBe(
      corpus.length,
    );
    expect(corpus.filter(({ covered }) => covered).length).toBeGreaterThanOrEqual(60);
    expect(corpus.filter(({ covered }) => !covered).length).toBeGreaterThanOrEqual(120);
  });
});
