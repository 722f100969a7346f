import { expect, it } from "vitest";
import { guardedPaths } from "./guarded-paths.ts";

it("guards folders whose operations all need a token, and single paths in others", () => {
  expect(guardedPaths()).toEqual([
    { pattern: "/api/*", acceptsCookie: false },
    { pattern: "/metrics/*", acceptsCookie: false },
    { pattern: "/access/keys", acceptsCookie: true },
  ]);
});
