import { PassThrough } from "node:stream";
import type { AskOutcome } from "@landline/client";
import { LandlineError, limitsOf, type AskOpened } from "@landline/protocol";
import { expect, it } from "vitest";
import { Asker } from "./asker.ts";
import { Output } from "./output.ts";
import { question } from "../test/question.ts";

const permission = (askId: string): AskOpened => ({
  kind: "ask-opened",
  askId,
  ask: "permission",
  toolCall: { toolCallId: "c", title: askId },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
});

/** An asker with a person at a terminal, or without one. */
function world(given: {
  yes?: boolean;
  isAttended?: boolean;
  fails?: LandlineError;
  noRule?: string;
}) {
  const keyboard = new PassThrough();
  const screen = new PassThrough();
  let shown = "";
  screen.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  const answers: [string, AskOutcome][] = [];
  const heard: (() => void)[] = [];
  const asker = new Asker({
    output: new Output(new PassThrough(), screen),
    limits: limitsOf("default", { commandAskMs: 20 }),
    yes: given.yes ?? false,
    person: given.isAttended === true ? { input: keyboard, screen } : null,
    page: "http://page",
    noRule: async () => given.noRule ?? null,
    answer: async (askId, outcome) => {
      if (given.fails) throw given.fails;
      answers.push([askId, outcome]);
      for (const tell of heard.splice(0)) tell();
    },
  });
  const answered = () => new Promise<void>((tell) => heard.push(tell));
  return { asker, keyboard, answers, answered, shown: () => shown };
}

const selected = (optionId: string) => ({ outcome: "selected", optionId });

it("asks one request at a time, and again if the input is not a number", async () => {
  const { asker, keyboard, answers, answered, shown } = world({ isAttended: true });
  let next = answered();
  asker.opened(permission("first"));
  asker.opened(permission("second"));
  await expect.poll(shown).toContain("Number: ");
  keyboard.write("perhaps\n");
  await expect.poll(shown).toContain("Type one of the numbers.");
  keyboard.write("1\n");
  await next;
  next = answered();
  await expect.poll(() => shown().match(/1\. Yes[^]*?Number: /g)).toHaveLength(2);
  keyboard.write("2\n");
  await next;
  expect(answers).toEqual([
    ["first", selected("yes")],
    ["second", selected("no")],
  ]);
  expect(asker.refused).toBe(0);
});

it("ignores input that was typed before the question", async () => {
  const { asker, keyboard, answers, answered, shown } = world({ isAttended: true });
  keyboard.write("1\n1\n");
  const next = answered();
  asker.opened(permission("first"));
  await expect.poll(shown).toContain("Number: ");
  keyboard.write("2\n");
  await next;
  expect(answers).toEqual([["first", selected("no")]]);
});

it("prints why no rule would have allowed it", async () => {
  const noRule = "It is asked about every time, because .env may hold secrets.";
  const { asker, answered, shown } = world({ noRule });
  const next = answered();
  asker.opened(permission("open"));
  await next;
  await expect.poll(shown).toContain(noRule);
  expect(shown()).not.toContain("--allow or --yes");
  expect(shown()).toContain("--yes would allow it");
});

it("stops asking when another client answered first", async () => {
  const { asker, keyboard, answers, answered, shown } = world({ isAttended: true });
  asker.opened(permission("first"));
  await expect.poll(shown).toContain("1. Yes");
  asker.settled("first");
  const next = answered();
  asker.opened(permission("second"));
  await expect.poll(() => shown().match(/1\. Yes[^]*?Number: /g)).toHaveLength(2);
  keyboard.write("1\n");
  await next;
  expect(answers).toEqual([["second", selected("yes")]]);
});

it("rejects when the person disconnects", async () => {
  const { asker, keyboard, answers, answered } = world({ isAttended: true });
  const next = answered();
  asker.opened(permission("first"));
  keyboard.end();
  await next;
  expect(answers).toEqual([["first", selected("no")]]);
});

it("rejects what no rule answers in time if there is nobody, and counts it", async () => {
  const { asker, answers, answered, shown } = world({});
  const next = answered();
  asker.opened(permission("ruled"));
  asker.settled("ruled");
  asker.opened(permission("open"));
  await next;
  expect(answers).toEqual([["open", selected("no")]]);
  await expect.poll(() => asker.refused).toBe(1);
  expect(shown()).toContain("--allow or --yes");
});

it("allows permission requests with --yes, and cancels questions", async () => {
  const { asker, answers, answered } = world({ yes: true });
  asker.opened(permission("first"));
  const next = answered();
  asker.opened(question);
  await next;
  expect(answers).toEqual([
    ["first", selected("yes")],
    ["q", { action: "cancel" }],
  ]);
  expect(asker.refused).toBe(0);
});

it("refers to the page for a form", async () => {
  const { asker, answers, shown } = world({ isAttended: true });
  asker.opened(question);
  await expect.poll(shown).toContain("Answer it here: http://page");
  expect(answers).toEqual([]);
});

it("reports an answer that could not be sent, but not a late one", async () => {
  const late = world({ yes: true, fails: new LandlineError("ask-already-settled") });
  const lost = world({ yes: true, fails: new LandlineError("connection-lost") });
  late.asker.opened(permission("first"));
  lost.asker.opened(permission("first"));
  await expect(Promise.race([late.asker.failed, lost.asker.failed])).rejects.toMatchObject({
    code: "connection-lost",
  });
});
