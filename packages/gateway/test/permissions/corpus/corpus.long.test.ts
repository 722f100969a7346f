import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import {
  type CorpusLine,
  type Fixture,
  hostileCorpus,
  hostileProject,
  ordinaryCorpus,
  ordinaryProject,
  wideningCorpus,
} from "@landline/shell/corpus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anyRule, keptRule } from "./any-rule.ts";
import { collectRuleInput } from "../../../src/acp-client/permissions/rule-input.ts";
import { namesOf } from "../../../src/tool-calls/call-names.ts";
import { isAbout } from "../../../src/acp-client/permissions/rule-match.ts";
import type { RuleInput } from "../../../src/acp-client/permissions/rule.ts";
import { openRules, type Rules } from "../../../src/acp-client/permissions/rules.ts";

let folder: string;
let rules: Rules;

beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), "landline-corpus-"));
  rules = await openRules(join(folder, "rules.json"));
  await rules.add(anyRule({ what: { onlyReads: true } }));
});

afterAll(() => rm(folder, { recursive: true }));

/** The rule input of a call that runs a line in a project. */
function factsOf({ project }: Fixture, command: string): Promise<RuleInput> {
  const context = {
    sessionId: "s",
    agent: "claude",
    cwd: project,
    roots: [project],
    limits: limitsOf("default"),
    record: () => {},
  };
  return collectRuleInput(context, namesOf({ kind: "execute", rawInput: { command } }));
}

/** The lines for which the rule "commands that only read" differs from the corpus. */
async function wrong(fixture: Fixture, lines: readonly CorpusLine[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { line, verdict } of lines) {
    const decided = rules.decide(await factsOf(fixture, line));
    const isFree = decided?.decision === "allow";
    if (isFree !== (verdict === "allow")) found.push(`${isFree ? "allow" : "ask"}: ${line}`);
  }
  return found;
}

test("a rule for reading commands allows the harmless lines of daily work and no others", async () => {
  await using fixture = await ordinaryProject();
  const lines = ordinaryCorpus(fixture);
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(await wrong(fixture, lines)).toEqual([]);
});

test("and no hostile line", async () => {
  await using fixture = await hostileProject();
  const lines = hostileCorpus(fixture);
  expect(lines.length).toBeGreaterThanOrEqual(400);
  expect(await wrong(fixture, lines)).toEqual([]);
});

test("a rule for the first words of a command covers exactly what the corpus says", async () => {
  await using fixture = await ordinaryProject();
  const pairs = wideningCorpus(fixture);
  expect(pairs.length).toBeGreaterThan(0);
  const found: string[] = [];
  for (const { allowed, line, covered } of pairs) {
    const rule = keptRule({ what: { commandPrefix: allowed } });
    const isCovered = isAbout(rule, await factsOf(fixture, line));
    if (isCovered !== covered) found.push(`${allowed} → ${line}: ${String(isCovered)}`);
  }
  expect(found).toEqual([]);
});
