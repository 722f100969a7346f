import { expect, test } from "vitest";
import type { Opening } from "./opening.ts";
import { accessWords, leavingText } from "./opening-text.ts";

const folder = (path: string, more: Partial<Opening> = {}): Opening => ({
  kind: "change",
  target: `${path}/deep/file`,
  named: `${path}/deep/file`,
  what: accessWords("change", `${path}/deep/file`),
  adds: { write: [path] },
  addsWhat: accessWords("change", path, true),
  isOnce: false,
  protection: null,
  wasOpen: false,
  ...more,
});

test("the text lists everything that the option opens, one per line", () => {
  const names = Array.from({ length: 4 }, (_, number) => `/srv/${"x".repeat(40)}${number}`);
  const words = leavingText(names.map((name) => folder(name)));
  const { text, clauses } = words;
  const opens = names.map((name) => `changing any file in "${name}"`);
  expect(words.opens).toEqual(opens);
  expect(words.options).toEqual([
    { id: "outside", name: "Run outside the sandbox once", kind: "allow_once" },
    { id: "open", name: "Allow these 4 in this session", kind: "allow_always" },
    { id: "reject", name: "Reject", kind: "reject_once" },
  ]);
  expect(text.split("\n")).toEqual([
    ...names.map((name) => `The sandbox kept it from changing "${name}/deep/file".`),
    ...opens.map((each) => `You can allow in this session: ${each}.`),
    "If you allow it, the command runs again from the beginning.",
  ]);
  expect(clauses[0]).toBe(`the sandbox kept it from changing "${names[0]}/deep/file"`);
});

test("what cannot be opened for the session is offered once", () => {
  const once = leavingText([folder("/srv/a"), folder("/etc", { isOnce: true })]);
  expect(once.options[1]).toEqual({
    id: "open-once",
    name: 'Allow changing any file in "/srv/a" and changing any file in "/etc" once',
    kind: "allow_once",
  });
  expect(once.text).toContain('\nYou can allow once: changing any file in "/etc".\n');
});

test("a list that is too long to read is not offered as one option", () => {
  const many = (length: number) => Array.from({ length }, (_, number) => folder(`/srv/${number}`));
  expect(leavingText(many(8)).opens).toHaveLength(8);
  expect(leavingText(many(9)).options.map(({ id }) => id)).toEqual(["outside", "reject"]);
});

test("the text says why only running outside helps", () => {
  const { text } = leavingText([
    folder("/srv/a", { adds: null, wasOpen: true }),
    folder("/srv/b", { adds: null, protection: '"/srv/b" is protected (git hooks)' }),
  ]);
  expect(text.split("\n").slice(2, -1)).toEqual([
    'Note that changing "/srv/a/deep/file" was allowed in the sandbox and failed.',
    'Note that "/srv/b" is protected (git hooks).',
    'Note that "/srv/b/deep/file" cannot be opened in the sandbox by itself.',
  ]);
});
