import { answerTo, notUnderstood, planned } from "./answer-text.ts";
import { parse, type Instruction } from "./grammar.ts";
import { guide, type DemoFacts } from "./guide.ts";
import { callOf, todos } from "./tool-calls.ts";
import type { Play, Stage } from "./answer-builder.ts";
import { tour } from "./tour.ts";

/** A whole turn: what was asked for, in order, until something fails. */
export function* playTurn(text: string, stage: Stage, facts: DemoFacts): Play {
  const groups = parse(text);
  if (groups === null) {
    stage.say(notUnderstood(text));
    stage.say(guide(facts, stage.tools));
    return;
  }
  yield* playGroups(groups, stage, facts);
}

/** True when all of it went well. */
function* playGroups(groups: Instruction[][], stage: Stage, facts: DemoFacts): Play<boolean> {
  for (const [index, group] of groups.entries()) {
    const went = yield* playGroup(group, stage, facts);
    if (went) continue;
    const left = groups.length - index - 1;
    if (left > 0)
      stage.say(`I stopped there; ${left === 1 ? "one step was" : `${left} steps were`} left.`);
    return false;
  }
  return true;
}

function* playGroup(group: Instruction[], stage: Stage, facts: DemoFacts): Play<boolean> {
  const [only] = group;
  if (group.length === 1 && only !== undefined) {
    const spoken = speak(only, stage, facts);
    if (spoken !== undefined) return spoken;
    if (only.verb === "plan") return yield* playPlan(only.items, stage, facts);
    if (only.verb === "tour") return yield* tour(stage);
  }
  const calls = group.map((each) => callOf(each, stage.tools));
  const missing = calls.find((call) => call.tool === undefined);
  if (missing !== undefined) {
    stage.say(
      `The tool \`${missing.wanted}\` is not offered to me here. The mode, the rules or the client leave it out.`,
    );
    return false;
  }
  yield* readBefore(group, stage);
  const outcomes = yield* stage.call(
    ...calls.flatMap(({ tool, input }) => (tool === undefined ? [] : [{ tool, input }])),
  );
  for (const [index, each] of group.entries()) stage.say(answerTo(each, outcomes[index]));
  return group.every((_, index) => outcomes[index]?.failed === false);
}

/** The edit tool refuses files that were not read. */
function* readBefore(group: readonly Instruction[], stage: Stage): Play {
  const files = group.flatMap((each) => (each.verb === "replace" ? [each.file] : []));
  if (files.length === 0 || !stage.tools.includes("read")) return;
  const reads = [...new Set(files)].map((filePath) => ({ tool: "read", input: { filePath } }));
  yield* stage.call(...reads);
}

/** What needs no tool; undefined for the rest. */
function speak(one: Instruction, stage: Stage, facts: DemoFacts): boolean | undefined {
  if (one.verb === "help") {
    stage.say(guide(facts, stage.tools));
    return true;
  }
  if (one.verb === "think") {
    stage.think(one.text);
    stage.say("I put these words into a thought, as a model does that reasons. I do not.");
    return true;
  }
  if (one.verb === "unclear") {
    stage.say(
      `I know the verb, but not the rest of “${one.text}”. Write: \`${one.form}\`. Say \`help\` for all that I understand.`,
    );
    return false;
  }
  return undefined;
}

function* playPlan(items: string[], stage: Stage, facts: DemoFacts): Play<boolean> {
  if (!stage.tools.includes("todowrite")) {
    stage.say("The tool `todowrite` is not offered to me here, so I can't show a plan.");
    return false;
  }
  const done = new Set<number>();
  stage.say(`A plan of ${items.length}. I tick what I can do.`);
  for (const [index, item] of items.entries()) {
    yield* stage.call(todos(items, done, index));
    const groups = parse(item);
    if (groups === null) stage.say(`“${item}” is nothing that I can do: it stays open.`);
    else if (yield* playGroups(groups, stage, facts)) done.add(index);
  }
  yield* stage.call(todos(items, done, undefined));
  stage.say(planned(items.length, done.size));
  return done.size === items.length;
}
