import { answerTo, quoted } from "./answer-text.ts";
import { questionOf, todos } from "./tool-calls.ts";
import type { Call, Outcome, Play, Stage } from "./answer-builder.ts";

const FOLDER = "landline-tour";
const FILE = `${FOLDER}/greeting.txt`;

/** A path in it, and not the pattern itself in the words of a tool that found nothing. */
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
 * A walk through everything that an agent does, in a folder of its own that it removes at the end. A step
 * that fails or is refused is told, and the walk goes on: that is part of what there is to see.
 */
export function* tour(stage: Stage): Play<boolean> {
  stage.think("This is what a thought looks like. A model that reasons would think here.");
  stage.say(
    `Let us walk through it all. I work in the folder \`${FOLDER}\`, and remove it at the end. You can stop me at any time.`,
  );
  const there = yield* step(stage, { tool: "glob", input: { pattern: `${FOLDER}/**` } });
  if (there !== null && !there.failed && anyFile.test(there.text)) {
    stage.say(
      `There is a folder \`${FOLDER}\` already, which I leave alone. Move it away and say \`tour\` again.`,
    );
    return false;
  }
  yield* tick(stage, 0);
  yield* look(stage);
  yield* tick(stage, 1);
  yield* files(stage);
  yield* tick(stage, 2);
  yield* searches(stage);
  yield* tick(stage, 3);
  yield* page(stage);
  yield* tick(stage, 4);
  yield* others(stage);
  yield* tick(stage, 5);
  yield* cleanUp(stage);
  yield* tick(stage, 6);
  stage.say("That was the tour. Say `help` for the sentences that I understand.");
  return true;
}

function* tick(stage: Stage, count: number): Play {
  const done = new Set(items.keys().take(count));
  yield* step(stage, todos(items, done, count < items.length ? count : undefined));
}

function* look(stage: Stage): Play {
  stage.say("First a look around. Reading needs no permission.");
  const found = yield* step(stage, { tool: "list", input: {} });
  if (found !== null) stage.say(answerTo({ verb: "list", path: undefined }, found));
}

function* files(stage: Stage): Play {
  stage.say("Now I write a file. You see what will be in it before you allow it.");
  const written = yield* step(stage, {
    tool: "write",
    input: { filePath: FILE, content: "Hello from the tour.\nThis line will change.\n" },
  });
  if (written !== null) stage.say(answerTo({ verb: "create", file: FILE, text: "" }, written));
  const read = yield* step(stage, { tool: "read", input: { filePath: FILE } });
  if (read !== null) stage.say(answerTo({ verb: "read", file: FILE }, read));
  stage.say("And a change of one line, which comes as a diff.");
  const edited = yield* step(stage, {
    tool: "edit",
    input: { filePath: FILE, oldString: "will change", newString: "has changed" },
  });
  if (edited !== null) {
    const change = { from: "will change", to: "has changed", file: FILE, all: false };
    stage.say(answerTo({ verb: "replace", ...change }, edited));
  }
}

function* searches(stage: Stage): Play {
  stage.say("Two searches at once, by words and by name.");
  const found = yield* steps(stage, [
    { tool: "grep", input: { pattern: "changed", path: FOLDER } },
    { tool: "glob", input: { pattern: "*.txt", path: FOLDER } },
  ]);
  for (const outcome of found) stage.say(quoted(outcome.text));
  stage.say("A command runs in the shell, and its output is shown while it runs.");
  const ran = yield* step(stage, {
    tool: "bash",
    input: { command: `ls -l ${FOLDER}`, description: "Lists the folder of the tour" },
  });
  if (ran !== null) stage.say(answerTo({ verb: "run", command: "ls" }, ran));
}

function* page(stage: Stage): Play {
  stage.say("A page of the web. Without a network this fails, and you see how a failure looks.");
  const url = "https://example.com/";
  const fetched = yield* step(stage, { tool: "webfetch", input: { url, format: "markdown" } });
  if (fetched !== null) stage.say(answerTo({ verb: "fetch", url }, fetched));
}

function* others(stage: Stage): Play {
  stage.say("A subagent works in a conversation of its own; you can look into it.");
  const prompt = `read ${FILE}`;
  const sent = yield* step(stage, {
    tool: "task",
    input: { description: "Read the greeting", prompt, subagent_type: "explore" },
  });
  if (sent !== null) stage.say(answerTo({ verb: "delegate", prompt }, sent));
  if (!stage.tools.includes("question")) {
    stage.say("Questions are left out: this client does not take any.");
    return;
  }
  const question = "Do you like it so far?";
  const answered = yield* step(stage, {
    tool: "question",
    input: { questions: [questionOf(question, ["Yes", "No"])] },
  });
  if (answered !== null) stage.say(answerTo({ verb: "ask", question, options: [] }, answered));
}

function* cleanUp(stage: Stage): Play {
  const removed = yield* step(stage, {
    tool: "bash",
    input: { command: `rm -r ${FOLDER}`, description: "Removes the folder of the tour" },
  });
  stage.say(
    removed === null || removed.failed
      ? `The folder \`${FOLDER}\` is still there. Remove it when you like.`
      : `The folder \`${FOLDER}\` is removed.`,
  );
}

/** Null when the tool is not offered, which is said. */
function* step(stage: Stage, call: Call): Play<Outcome | null> {
  return (yield* steps(stage, [call]))[0] ?? null;
}

function* steps(stage: Stage, calls: Call[]): Play<Outcome[]> {
  const offered = calls.filter(({ tool }) => stage.tools.includes(tool));
  for (const { tool } of calls) {
    if (!stage.tools.includes(tool))
      stage.say(`The tool \`${tool}\` is not offered here: left out.`);
  }
  return offered.length === 0 ? [] : yield* stage.call(...offered);
}
