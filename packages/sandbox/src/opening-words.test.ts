import { expect, test } from "vitest";
import type { Opening } from "./opening.ts";
import { accessWords, leavingWords } from "./opening-words.ts";

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

test("the text has everything that the option opens, a line each", () => {
  const names = Array.from({ length: 4 }, (_, number) => `/srv/${"x".repeat(40)}${number}`);
  const { text, option, clauses } = leavingWords(
    names.map((name) => folder(name)),
    { hasOnce: true },
  );
  const opens = names.map((name) => `changing any file in "${name}"`);
  expect(option).toEqual({ name: "Allow these 4 in this session", isOnce: false, opens });
  expect(text.split("\n")).toEqual([
    ...names.map((name) => `The sandbox kept it from changing "${name}/deep/file".`),
    ...opens.map((words) => `You can allow in this session: ${words}.`),
    "If you allow it, the command runs again from its beginning.",
  ]);
  expect(clauses[0]).toBe(`the sandbox kept it from changing "${names[0]}/deep/file"`);
});

test("what is not for a session is offered once, or not at all", () => {
  const openings = [folder("/srv/a"), folder("/etc", { isOnce: true })];
  const once = leavingWords(openings, { hasOnce: true });
  expect(once.option?.name).toBe(
    'Allow changing any file in "/srv/a" and changing any file in "/etc" once',
  );
  expect(once.text).toContain('\nYou can allow once: changing any file in "/etc".\n');
  const never = leavingWords(openings, { hasOnce: false });
  expect(never.option).toBeNull();
  expect(never.text).not.toContain("You can allow");
});

test("more than a person reads is not one option", () => {
  const many = (length: number) => Array.from({ length }, (_, number) => folder(`/srv/${number}`));
  expect(leavingWords(many(8), { hasOnce: true }).option?.opens).toHaveLength(8);
  expect(leavingWords(many(9), { hasOnce: true }).option).toBeNull();
});

test("a person is told why only running outside helps", () => {
  const { text } = leavingWords(
    [
      folder("/srv/a", { adds: null, wasOpen: true }),
      folder("/srv/b", { adds: null, protection: '"/srv/b" is protected (git hooks)' }),
    ],
    { hasOnce: true },
  );
  expect(text.split("\n").slice(2, -1)).toEqual([
    'Note that changing "/srv/a/deep/file" was allowed in the sandbox and failed.',
    'Note that "/srv/b" is protected (git hooks).',
    'Note that "/srv/b/deep/file" cannot be opened in the sandbox by itself.',
  ]);
});
