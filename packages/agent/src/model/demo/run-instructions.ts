import { answerTo, notUnderstood, planned } from "./answer-text.ts";
import { parse, type Instruction } from "./grammar.ts";
import { guide, type DemoFacts } from "./guide.ts";
import { callOf, todos } from "./tool-calls.ts";
import type { DemoTurn, AnswerBuilder } from "./answer-builder.ts";
import { tour } from "./tour.ts";

/** Runs all instructions of a request in order, until one fails. */
export function* runInstructions(text: string, builder: AnswerBuilder, facts: DemoFacts): DemoTurn {
  const groups = parse(text);
  if (groups === null) {
    builder.say(notUnderstood(text));
    builder.say(guide(facts, builder.tools));
    return;
  }
  yield* runGroups(groups, builder, facts);
}

/** Returns true when all succeeded. */
function* runGroups(
  groups: Instruction[][],
  builder: AnswerBuilder,
  facts: DemoFacts,
): DemoTurn<boolean> {
  for (const [index, group] of groups.entries()) {
    const went = yield* runGroup(group, builder, facts);
    if (went) continue;
    const left = groups.length - index - 1;
    if (left > 0)
      builder.say(`I stopped there; ${left === 1 ? "one step was" : `${left} steps were`} left.`);
    return false;
  }
  return true;
}

function* runGroup(
  group: Instruction[],
  builder: AnswerBuilder,
  facts: DemoFacts,
): DemoTurn<boolean> {
  const [only] = group;
  if (group.length === 1 && only !== undefined) {
    const spoken = speak(only, builder, facts);
    if (spoken !== undefined) return spoken;
    if (only.verb === "plan") return yield* runPlan(only.items, builder, facts);
    if (only.verb === "tour") return yield* tour(builder);
  }
  const calls = group.map((each) => callOf(each, builder.tools));
  const missing = calls.find((call) => call.tool === undefined);
  if (missing !== undefined) {
    builder.say(
      `The tool \`${missing.wanted}\` is not offered to me here. The mode, the rules or the client leave it out.`,
    );
    return false;
  }
  yield* readBefore(group, builder);
  const outcomes = yield* builder.call(
    ...calls.flatMap(({ tool, input }) => (tool === undefined ? [] : [{ tool, input }])),
  );
  for (const [index, each] of group.entries()) builder.say(answerTo(each, outcomes[index]));
  return group.every((_, index) => outcomes[index]?.failed === false);
}

/** The edit tool requires that a file was read. */
function* readBefore(group: readonly Instruction[], builder: AnswerBuilder): DemoTurn {
  const files = group.flatMap((each) => (each.verb === "replace" ? [each.file] : []));
  if (files.length === 0 || !builder.tools.includes("read")) return;
  const reads = [...new Set(files)].map((filePath) => ({ tool: "read", input: { filePath } }));
  yield* builder.call(...reads);
}

/** Handles instructions without a tool; undefined for others. */
function speak(one: Instruction, builder: AnswerBuilder, facts: DemoFacts): boolean | undefined {
  if (one.verb === "help") {
    builder.say(guide(facts, builder.tools));
    return true;
  }
  if (one.verb === "think") {
    builder.think(one.text);
    builder.say("I put these words into a thought, as a model does that reasons. I do not.");
    return true;
  }
  if (one.verb === "unclear") {
    builder.say(
      `I know the verb, but not the rest of “${one.text}”. Write: \`${one.form}\`. Say \`help\` for all that I understand.`,
    );
    return false;
  }
  return undefined;
}

function* runPlan(items: string[], builder: AnswerBuilder, facts: DemoFacts): DemoTurn<boolean> {
  if (!builder.tools.includes("todowrite")) {
    builder.say("The tool `todowrite` is not offered to me here, so I can't show a plan.");
    return false;
  }
  const done = new Set<number>();
  builder.say(`A plan of ${items.length}. I tick what I can do.`);
  for (const [index, item] of items.entries()) {
    yield* builder.call(todos(items, done, index));
    const groups = parse(item);
    if (groups === null) builder.say(`“${item}” is nothing that I can do: it stays open.`);
    else if (yield* runGroups(groups, builder, facts)) done.add(index);
  }
  yield* builder.call(todos(items, done, undefined));
  builder.say(planned(items.length, done.size));
  return done.size === items.length;
}
