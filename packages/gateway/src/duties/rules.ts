import { randomUUIDv7 } from "node:crypto";
import { LandlineError, limitsOf, type Limits } from "@landline/protocol";
import { removeLeftovers } from "../folder/leftovers.ts";
import { describeRule } from "./describe-rule.ts";
import { realOf } from "./real-path.ts";
import { isAbout } from "./rule-match.ts";
import type { AskFacts, NewRule, Rule, RuleDecision, RulePlace } from "./rule.ts";
import { readRulesFile, type RulesDamage, writeRulesFile } from "./rules-file.ts";

/** What was decided once and for all, kept in one file. A change counts when it is on the disk. */
export interface Rules {
  /** Oldest first: the last that matches counts. */
  list(): readonly Rule[];
  /** Takes the place of one about the same thing in the same place. Throws `invalid-params`. */
  add(rule: NewRule): Promise<Rule>;
  /** Does nothing when there is no such rule. */
  remove(id: string): Promise<void>;
  /** Null when no rule speaks about it. */
  decide(facts: AskFacts): { readonly decision: RuleDecision; readonly rule: Rule } | null;
  /** The rule in words, to be shown before it is saved. */
  describe(rule: NewRule): string;
}

export interface RulesOptions {
  readonly limits?: Limits;
  /** Told of a file that could not be understood and was moved aside. */
  readonly report?: (damage: RulesDamage) => void;
}

export async function openRules(path: string, options: RulesOptions = {}): Promise<Rules> {
  const { limits = limitsOf("default"), report = () => {} } = options;
  await removeLeftovers(path);
  const kept = await readRulesFile(path, {
    mostBytes: limits.rulesBytes,
    mostRules: limits.rulesKept,
    report,
  });
  return new KeptRules(path, limits.rulesKept, kept);
}

class KeptRules implements Rules {
  readonly #path: string;
  readonly #most: number;
  #rules: readonly Rule[];
  /** Changes are written one after the other; a failed one leaves the rules as they were. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, most: number, rules: readonly Rule[]) {
    this.#path = path;
    this.#most = most;
    this.#rules = rules;
  }

  list(): readonly Rule[] {
    return this.#rules;
  }

  async add(rule: NewRule): Promise<Rule> {
    const { readNewRule } = await import("./rule-schema.ts");
    const { where, ...rest } = readNewRule(rule);
    const added: Rule = {
      ...rest,
      where: await realPlace(where),
      id: randomUUIDv7(),
      at: Date.now(),
    };
    await this.#change((rules) => {
      const others = rules.filter((other) => subjectOf(other) !== subjectOf(added));
      if (others.length >= this.#most) throw tooMany(this.#most);
      return [...others, added];
    });
    return added;
  }

  async remove(id: string): Promise<void> {
    await this.#change((rules) => {
      const others = rules.filter((rule) => rule.id !== id);
      return others.length === rules.length ? rules : others;
    });
  }

  decide(facts: AskFacts): { readonly decision: RuleDecision; readonly rule: Rule } | null {
    const rule = this.#rules.findLast((each) => isAbout(each, facts));
    return rule === undefined ? null : { decision: rule.decision, rule };
  }

  describe(rule: NewRule): string {
    return describeRule(rule);
  }

  #change(change: (rules: readonly Rule[]) => readonly Rule[]): Promise<void> {
    const changed = this.#changeAfter(this.#last, change);
    this.#last = changed.catch(() => {});
    return changed;
  }

  async #changeAfter(
    last: Promise<unknown>,
    change: (rules: readonly Rule[]) => readonly Rule[],
  ): Promise<void> {
    await last;
    const rules = change(this.#rules);
    if (rules === this.#rules) return;
    await writeRulesFile(this.#path, rules);
    this.#rules = rules;
  }
}

/** Sessions are compared with it by where their folder really is. */
async function realPlace(where: RulePlace): Promise<RulePlace> {
  if (where.in !== "project") return where;
  return { ...where, folder: (await realOf(where.folder)) ?? where.folder };
}

function subjectOf({ what, where }: Rule): string {
  return JSON.stringify([sorted(what), sorted(where)]);
}

function sorted(fields: object): readonly [string, unknown][] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function tooMany(most: number): LandlineError {
  return new LandlineError("invalid-params", {
    message: `There are ${most} rules already, which is as many as there may be.`,
    help: "Remove rules that are not needed, or raise the limit rulesKept in the config.",
  });
}
