import { answerTo, quoted } from "./answer-text.ts";
import { questionOf, todos } from "./tool-calls.ts";
import type { Call, Outcome, DemoTurn, AnswerBuilder } from "./answer-builder.ts";

const FOLDER = "landline-tour";
const FILE = `${FOLDER}/greeting.txt`;

/** Matches a path in the folder, but not the pattern that a tool repeats when it found nothing. */
const anyFile = new RegExp(`${FOLDER}/[^*\\s]`);

const items = [
  "Look around",
  "Write, read and change a file",
  "Search and run a command",
  "Fetch a page",
  "Send a subagent, ask a question",
  "Clean up",
];

/**
 * Demonstrates all features in its own folder, which it removes at the end. A step that fails or is refused
 * is reported, and the tour continues.
 */
export function* tour(builder: AnswerBuilder): DemoTurn<boolean> {
  builder.think("This is what a thought looks like. A model that reasons would think here.");
  builder.say(
    `Let us walk through it all. I work in the folder \`${FOLDER}\`, and remove it at the end. You can stop me at any time.`,
  );
  const there = yield* step(builder, { tool: "glob", input: { pattern: `${FOLDER}/**` } });
  if (there !== null && !there.failed && anyFile.test(there.text)) {
    builder.say(
      `There is a folder \`${FOLDER}\` already, which I leave alone. Move it away and say \`tour\` again.`,
    );
    return false;
  }
  yield* tick(builder, 0);
  yield* look(builder);
  yield* tick(builder, 1);
  yield* files(builder);
  yield* tick(builder, 2);
  yield* searches(builder);
  yield* tick(builder, 3);
  yield* page(builder);
  yield* tick(builder, 4);
  yield* others(builder);
  yield* tick(builder, 5);
  yield* cleanUp(builder);
  yield* tick(builder, 6);
  builder.say("That was the tour. Say `help` for the sentences that I understand.");
  return true;
}

function* tick(builder: AnswerBuilder, count: number): DemoTurn {
  const done = new Set(items.keys().take(count));
  yield* step(builder, todos(items, done, count < items.length ? count : undefined));
}

function* look(builder: AnswerBuilder): DemoTurn {
  builder.say("First a look around. Reading needs no permission.");
  const found = yield* step(builder, { tool: "list", input: {} });
  if (found !== null) builder.say(answerTo({ verb: "list", path: undefined }, found));
}

function* files(builder: AnswerBuilder): DemoTurn {
  builder.say("Now I write a file. You see what will be in it before you allow it.");
  const written = yield* step(builder, {
    tool: "write",
    input: { filePath: FILE, content: "Hello from the tour.\nThis line will change.\n" },
  });
  if (written !== null) builder.say(answerTo({ verb: "create", file: FILE, text: "" }, written));
  const read = yield* step(builder, { tool: "read", input: { filePath: FILE } });
  if (read !== null) builder.say(answerTo({ verb: "read", file: FILE }, read));
  builder.say("And a change of one line, which comes as a diff.");
  const edited = yield* step(builder, {
    tool: "edit",
    input: { filePath: FILE, oldString: "will change", newString: "has changed" },
  });
  if (edited !== null) {
    const change = { from: "will change", to: "has changed", file: FILE, all: false };
    builder.say(answerTo({ verb: "replace", ...change }, edited));
  }
}

function* searches(builder: AnswerBuilder): DemoTurn {
  builder.say("Two searches at once, by words and by name.");
  const found = yield* steps(builder, [
    { tool: "grep", input: { pattern: "changed", path: FOLDER } },
    { tool: "glob", input: { pattern: "*.txt", path: FOLDER } },
  ]);
  for (const outcome of found) builder.say(quoted(outcome.text));
  builder.say("A command runs in the shell, and its output is shown while it runs.");
  const ran = yield* step(builder, {
    tool: "bash",
    input: { command: `ls -l ${FOLDER}`, description: "Lists the folder of the tour" },
  });
  if (ran !== null) builder.say(answerTo({ verb: "run", command: "ls" }, ran));
}

function* page(builder: AnswerBuilder): DemoTurn {
  builder.say("A page of the web. Without a network this fails, and you see how a failure looks.");
  const url = "https://example.com/";
  const fetched = yield* step(builder, { tool: "webfetch", input: { url, format: "markdown" } });
  if (fetched !== null) builder.say(answerTo({ verb: "fetch", url }, fetched));
}

function* others(builder: AnswerBuilder): DemoTurn {
  builder.say("A subagent works in a conversation of its own; you can look into it.");
  const prompt = `read ${FILE}`;
  const sent = yield* step(builder, {
    tool: "task",
    input: { description: "Read the greeting", prompt, subagent_type: "explore" },
  });
  if (sent !== null) builder.say(answerTo({ verb: "delegate", prompt }, sent));
  if (!builder.tools.includes("question")) {
    builder.say("Questions are left out: this client does not take any.");
    return;
  }
  const question = "Do you like it so far?";
  const answered = yield* step(builder, {
    tool: "question",
    input: { questions: [questionOf(question, ["Yes", "No"])] },
  });
  if (answered !== null) builder.say(answerTo({ verb: "ask", question, options: [] }, answered));
}

function* cleanUp(builder: AnswerBuilder): DemoTurn {
  const removed = yield* step(builder, {
    tool: "bash",
    input: { command: `rm -r ${FOLDER}`, description: "Removes the folder of the tour" },
  });
  builder.say(
    removed === null || removed.failed
      ? `The folder \`${FOLDER}\` is still there. Remove it when you like.`
      : `The folder \`${FOLDER}\` is removed.`,
  );
}

/** Null when the tool is not offered; the answer says so. */
function* step(builder: AnswerBuilder, call: Call): DemoTurn<Outcome | null> {
  return (yield* steps(builder, [call]))[0] ?? null;
}

function* steps(builder: AnswerBuilder, calls: Call[]): DemoTurn<Outcome[]> {
  const offered = calls.filter(({ tool }) => builder.tools.includes(tool));
  for (const { tool } of calls) {
    if (!builder.tools.includes(tool))
      builder.say(`The tool \`${tool}\` is not offered here: left out.`);
  }
  return offered.length === 0 ? [] : yield* builder.call(...offered);
}
