import { randomUUIDv7 } from "node:crypto";
import { LandlineError, limitsOf, type Limits, type RulesDamage } from "@landline/protocol";
import { removeTemporaryFiles } from "@landline/system/replace-file";
import { reasonsNotCovered } from "./uncovered-reasons.ts";
import { realOf } from "../real-path.ts";
import { isAbout, isUsedFor } from "./rule-match.ts";
import type { RuleInput, NewRule, Rule, RuleDecision, RulePlace } from "./rule.ts";
import { RulesDamageNote } from "./rules-damage.ts";
import { readRulesFile, writeRulesFile } from "./rules-file.ts";

/** The stored rules, in one file. A change takes effect once it is on disk. */
export interface Rules {
  /** Oldest first. */
  list(): readonly Rule[];
  /** Replaces a rule about the same subject in the same place. Throws `invalid-params`. */
  add(rule: NewRule): Promise<Rule>;
  /** Does nothing if there is no such rule. */
  remove(id: string): Promise<void>;
  /** Of the matching rules, the newest of the strictest: deny, then ask, then allow. Null if none matches. */
  decide(facts: RuleInput): { readonly decision: RuleDecision; readonly rule: Rule } | null;
  /** Why no rule allows the call, each as a clause. Empty if no rule concerns it. */
  uncoveredReasons(facts: RuleInput): readonly string[];
  /** Describes the rule in the text that is shown before it is saved. */
  describe(rule: NewRule): Promise<string>;
  /** Notes for a person about the rule, given all other rules. */
  notes(rule: NewRule): Promise<readonly string[]>;
  /** While the rules file is known to have been damaged, no rule allows anything. */
  readonly damage: RulesDamage | null;
  /** A person has reviewed the rules, so they allow again. */
  acknowledgeDamage(): Promise<void>;
  watchDamage(listener: (damage: RulesDamage | null) => void): Disposable;
}

export interface RulesOptions {
  readonly limits?: Limits;
}

export async function openRules(path: string, options: RulesOptions = {}): Promise<Rules> {
  const { limits = limitsOf("default") } = options;
  await removeTemporaryFiles(path);
  const note = await RulesDamageNote.open(path);
  const kept = await readRulesFile(path, {
    mostBytes: limits.rulesBytes,
    mostRules: limits.rulesKept,
    noteDamage: (damage) => note.write(damage),
  });
  return new KeptRules(path, limits.rulesKept, kept, note);
}

/** People read only the first few. */
const reasonsMax = 20;

const decisions: readonly RuleDecision[] = ["deny", "ask", "allow"];

class KeptRules implements Rules {
  readonly #path: string;
  readonly #most: number;
  readonly #note: RulesDamageNote;
  #rules: readonly Rule[];
  /** Changes are written one after another. A failed change leaves the rules unchanged. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, most: number, rules: readonly Rule[], note: RulesDamageNote) {
    this.#path = path;
    this.#most = most;
    this.#rules = rules;
    this.#note = note;
  }

  get damage(): RulesDamage | null {
    return this.#note.damage;
  }

  acknowledgeDamage(): Promise<void> {
    return this.#note.remove();
  }

  watchDamage(listener: (damage: RulesDamage | null) => void): Disposable {
    return this.#note.watch(listener);
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

  decide(facts: RuleInput): { readonly decision: RuleDecision; readonly rule: Rule } | null {
    for (const decision of decisions) {
      const rule = this.#usable.findLast(
        (each) => each.decision === decision && isAbout(each, facts),
      );
      if (rule !== undefined) return { decision, rule };
    }
    return null;
  }

  uncoveredReasons(facts: RuleInput): readonly string[] {
    const reasons = [...facts.unread, ...facts.protections];
    // A rule may match a part that was not read.
    const mayMatter =
      facts.unread.length > 0 && this.#usable.some((rule) => isUsedFor(rule, facts));
    const freed = { ...facts, unread: [], protections: [] };
    const isExplained = mayMatter || this.decide(freed)?.decision === "allow";
    const further = isExplained ? [] : reasonsNotCovered(this.#usable, facts);
    return isExplained || further.length > 0 ? [...reasons, ...further].slice(0, reasonsMax) : [];
  }

  async describe(rule: NewRule): Promise<string> {
    const { describeRule } = await import("./describe-rule.ts");
    return describeRule(rule);
  }

  async notes(rule: NewRule): Promise<readonly string[]> {
    const { ruleNotes } = await import("./rule-notes.ts");
    return ruleNotes(rule, this.#rules);
  }

  /** The rules that may decide: without allow rules while there is damage. */
  get #usable(): readonly Rule[] {
    if (this.damage === null) return this.#rules;
    return this.#rules.filter(({ decision }) => decision !== "allow");
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

/** Resolves the folder, because sessions are compared by the real path of their folder. */
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
    message: `There are already ${most} rules, which is the maximum.`,
    help: "Remove rules that are not needed, or raise the limit rulesKept in the config.",
  });
}
