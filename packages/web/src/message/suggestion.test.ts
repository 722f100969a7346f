import { expect, test } from "vitest";
import { commandSuggestions, fileSuggestions, hintAfter } from "./suggestion.ts";

const commands = [
  { name: "preview", description: "Shows it" },
  { name: "review", description: "Reads the changes", input: { hint: "which ones" } },
  { name: "plan", description: "Before a review" },
  { name: "other", description: "Something" },
];

test("ranks prefix matches first, then substring matches, then description matches", () => {
  expect(commandSuggestions(commands, "Review").map(({ insert }) => insert)).toEqual([
    "/review",
    "/preview",
    "/plan",
  ]);
  expect(commandSuggestions(commands, "")).toHaveLength(4);
  expect(commandSuggestions(commands, "nothing")).toEqual([]);
});

test("a command's input hint is shown in the list and after the chosen command", () => {
  expect(commandSuggestions(commands, "rev")[0]).toMatchObject({ hint: "which ones" });
  expect(hintAfter("/review ", commands)).toBe("which ones");
  expect(hintAfter("/review x", commands)).toBeNull();
  expect(hintAfter("/plan ", commands)).toBeNull();
});

test("ignores malformed commands", () => {
  const odd = [{ name: "/x", description: 1, input: { hint: 2 } }] as never;
  expect(commandSuggestions(odd, "")).toMatchObject([{ insert: "/x", hint: null, about: null }]);
});

test("a file is linked by its relative path; in another root, by its full path", () => {
  const files = [
    { path: "/repo/src/a.ts", name: "src/a.ts", root: "/repo", kind: "file" },
    { path: "/lib/a.ts", name: "a.ts", root: "/lib", kind: "file" },
    { path: "/repo/src", name: "src", root: "/repo", kind: "folder" },
  ] as const;
  expect(fileSuggestions(files, "/repo")).toMatchObject([
    { name: "a.ts", about: "src", insert: "@src/a.ts", mention: { path: "/repo/src/a.ts" } },
    { name: "a.ts", about: "/lib", insert: "@/lib/a.ts", mention: { path: "/lib/a.ts" } },
    { name: "src/", about: null, insert: "@src", mention: { path: "/repo/src" } },
  ]);
});
