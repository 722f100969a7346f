import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hrefOf, routeOf, routeWithin, settingsTabs, type Route } from "./routes.ts";

const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constant({ name: "home" } as const),
  fc.record({
    name: fc.constant("session" as const),
    sessionId: fc.string({ minLength: 1, unit: "grapheme" }),
    at: fc.option(fc.integer({ min: 1 })),
  }),
  fc.record({
    name: fc.constant("protocol" as const),
    sessionId: fc.string({ minLength: 1, unit: "grapheme" }),
  }),
  fc.record({ name: fc.constant("settings" as const), tab: fc.constantFrom(...settingsTabs) }),
);

test("every route is parsed from its own URL", () => {
  fc.assert(
    fc.property(route, (wanted) => {
      expect(routeOf(hrefOf(wanted))).toEqual(wanted);
    }),
  );
});

test("no URL breaks the page", () => {
  fc.assert(
    fc.property(fc.string(), (address) => {
      expect(routeOf(address).name).toBeTypeOf("string");
    }),
  );
});

test.each([
  ["", { name: "home" }],
  ["/nowhere", { name: "home" }],
  ["/s/", { name: "home" }],
  ["/s/%E0%A4%A", { name: "home" }],
  ["/s/1?at=0", { name: "session", sessionId: "1", at: null }],
  ["/s/1?at=x", { name: "session", sessionId: "1", at: null }],
  ["#/s/1?at=12", { name: "session", sessionId: "1", at: 12 }],
  ["/settings", { name: "settings", tab: "preferences" }],
  ["/settings/nothing", { name: "settings", tab: "preferences" }],
])("%j", (address, expected) => {
  expect(routeOf(address)).toEqual(expected);
});

test("a link that is limited to one session shows that session, whatever the address", () => {
  const only = { name: "session", sessionId: "own", at: null } as const;
  for (const hash of ["#/", "#/settings/rules", "#/s/other", "#/s/other/protocol"])
    expect(routeWithin(routeOf(hash), "own")).toEqual(only);
  for (const hash of ["#/s/own?at=3", "#/s/own/protocol"])
    expect(routeWithin(routeOf(hash), "own")).toEqual(routeOf(hash));
  expect(routeWithin(routeOf("#/s/other"), null)).toEqual(routeOf("#/s/other"));
});
