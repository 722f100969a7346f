import { expect, test } from "vitest";
import { fetchStrategy } from "./fetch-strategy.ts";

const scope = "https://host:3001/chat/";

test.each([
  ["the page", { mode: "navigate", url: "https://host:3001/chat/" }, "page"],
  ["the page at a route", { mode: "navigate", url: "https://host:3001/chat/#/s/1" }, "page"],
  ["a script", { mode: "cors", url: "https://host:3001/chat/assets/index-abc.js" }, "asset"],
  ["the API", { mode: "cors", url: "https://host:3001/chat/api/me" }, "leave"],
  ["an export in a tab", { mode: "navigate", url: "https://host:3001/chat/api/x" }, "leave"],
  ["a token", { mode: "navigate", url: "https://host:3001/chat/?token=secret" }, "leave"],
  ["another base path", { mode: "cors", url: "https://host:3001/assets/index-abc.js" }, "leave"],
  ["another host", { mode: "cors", url: "https://other/chat/assets/index-abc.js" }, "leave"],
  ["the worker itself", { mode: "same-origin", url: "https://host:3001/chat/sw.js" }, "leave"],
])("%s", (_name, asked, plan) => {
  expect(fetchStrategy({ method: "GET", ...asked }, scope)).toBe(plan);
});

test("handles GET only", () => {
  const asked = { mode: "navigate", url: scope };
  expect(fetchStrategy({ method: "POST", ...asked }, scope)).toBe("leave");
});
