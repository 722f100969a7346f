import { expect, it } from "vitest";
import { personName } from "./person-name.ts";

it.each([
  ["phone-0a1b2c3d", "Anna’s phone"],
  ["my-old-phone-99999999", "my old phone"],
  ["token-0a1b2c3d", null],
  ["environment", null],
  ["-0a1b2c3d", null],
  ["--0a1b2c3d", null],
  ["cut-off-here--0a1b2c3d", "cut off here"],
  ["__proto__", null],
  ["toString", null],
  ["", null],
])("%j is displayed as %j", (clientId, name) => {
  expect(personName(clientId, { "phone-0a1b2c3d": "Anna’s phone" })).toBe(name);
});
