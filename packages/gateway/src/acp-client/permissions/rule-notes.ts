import { reachOf } from "./command-reach.ts";
import { plainWords, startsWith } from "./command-prefix.ts";
import { alsoAllows, sentenceOf } from "./describe-rule.ts";
import { isInside } from "./rule-match.ts";
import type { NewRule, RuleDecision, RulePlace, RuleSubject } from "./rule.ts";
import { neverAllowed } from "./never-allowed.ts";

type Noted = Omit<NewRule, "by">;

/**
 * Notes for a person about a rule: which stricter rules take precedence, and what the rule does not cover although its
 * description may suggest it.
 */
export async function ruleNotes(rule: Noted, all: readonly Noted[]): Promise<readonly string[]> {
  return [...(await precedence(rule, all)), ...(await limitsOf(rule))];
}

const strictness: Readonly<Record<RuleDecision, number>> = { deny: 2, ask: 1, allow: 0 };

async function precedence(rule: Noted, all: readonly Noted[]): Promise<readonly string[]> {
  const stricter = all.filter(({ decision }) => strictness[decision] > strictness[rule.decision]);
  const over = stricter.find((other) => contains(other, rule));
  if (over) return [`It is never used, because this rule decides before it: ${sentenceOf(over)}`];
  const near: Noted[] = [];
  for (const other of stricter)
    if (overlaps(other, rule) && (await mayMeet(other, rule))) near.push(other);
  const [first, ...others] = near;
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${others.length} more that ask or deny)`;
  return [`Where both apply, this rule${more} decides before it: ${sentenceOf(first)}`];
}

/** A rule for commands that only read cannot match the same call as a rule for a command that does more. */
async function mayMeet({ what }: Noted, { what: { onlyReads } }: Noted): Promise<boolean> {
  if (!onlyReads || what.commandPrefix === undefined) return true;
  const { isAnything, longerEffects } = await reachOf(what.commandPrefix);
  return !isAnything && [...longerEffects].every((effect) => effect === "read");
}

/** Whether the first rule matches everything that the second matches. */
function contains(wide: Noted, narrow: Noted): boolean {
  return (
    isPlaceWithin(wide.where, narrow.where) &&
    subjectFields.every((field) => {
      const [outer, inner] = [wide.what[field], narrow.what[field]];
      return outer === undefined || (inner !== undefined && isPart(field, inner, outer));
    })
  );
}

/** Whether both rules may match the same call. */
function overlaps(one: Noted, other: Noted): boolean {
  const [a, b] = [one.where, other.where];
  return (
    (isPlaceWithin(a, b) || isPlaceWithin(b, a) || a.in !== b.in) &&
    subjectFields.every((field) => {
      const [left, right] = [one.what[field], other.what[field]];
      if (left === undefined || right === undefined) return isNear(one.what, other.what);
      return isPart(field, left, right) || isPart(field, right, left) || field === "pathGlob";
    })
  );
}

/** A rule about commands and a rule about the kind of an edit cannot match the same call. */
function isNear(one: RuleSubject, other: RuleSubject): boolean {
  return isNearOne(one, other) && isNearOne(other, one);
}

function isNearOne(commands: RuleSubject, other: RuleSubject): boolean {
  if (commands.commandPrefix === undefined && commands.onlyReads === undefined) return true;
  const { toolKind } = other;
  return toolKind === undefined || toolKind === "execute" || toolKind === "other";
}

const subjectFields = [
  "toolKind",
  "toolName",
  "commandPrefix",
  "pathGlob",
  "host",
  "agent",
] as const satisfies (keyof RuleSubject)[];

function isPart(field: (typeof subjectFields)[number], inner: string, outer: string): boolean {
  if (inner === outer) return true;
  if (field === "pathGlob") return outer === "**";
  if (field === "host") return inner.replace(/:\d+$/, "") === outer;
  return field === "commandPrefix" && startsWith(plainWords(inner) ?? [], plainWords(outer) ?? []);
}

function isPlaceWithin(outer: RulePlace, inner: RulePlace): boolean {
  if (outer.in === "everywhere") return true;
  if (outer.in === "project") return inner.in === "project" && isInside(inner.folder, outer.folder);
  return inner.in === "session" && inner.sessionId === outer.sessionId;
}

const protectedPlaces =
  "protected files (such as `.git` and CI workflows), credentials (such as `.env`)";

/**
 * For a rule that allows: why it never applies, or what it does not cover. A rule that can do anything has no limits.
 */
export async function limitsOf(rule: Noted): Promise<readonly string[]> {
  const { decision, what } = rule;
  if (decision !== "allow" || what.toolKind === "think" || what.toolKind === "switch_mode")
    return [];
  const never = await neverAllowed(rule);
  if (never !== null) return [`It is never used, because ${never}, which rules do not allow.`];
  const also = await alsoAllows(rule);
  const isUnlimited = also?.isAnything || (also !== null && what.commandPrefix === undefined);
  if (what.onlyReads || isUnlimited) return [];
  if (what.commandPrefix === undefined)
    return [`Not covered: ${protectedPlaces}, and anything outside the project.`];
  return [
    "Not covered: unknown options, options that change the folder or the configuration (such as `-C`, `--prefix`, `--config`), " +
      `output into files, ${protectedPlaces}, and anything outside the project.`,
  ];
}
