import { expect, test } from "vitest";
import { anAgent } from "../../test/fake-landline.tsx";
import { hasSignIn, credentialText, signOutText } from "./credential-text.ts";

const stored = { name: "Anthropic", variable: null };
const other = { name: "OpenAI", variable: null };
const set = { name: "xAI", variable: "XAI_API_KEY" };

test("sign-out is offered if the agent supports it, unless it is known to be signed out", () => {
  const has = (facts: Parameters<typeof anAgent>[1]) => hasSignIn(anAgent("a", facts));
  expect(has({ signedIn: true })).toBe(false);
  expect(has({ signedIn: true, canSignOut: false })).toBe(false);
  expect(has({ signedIn: true, canSignOut: true })).toBe(true);
  expect(has({ signedIn: null, canSignOut: true })).toBe(true);
  expect(has({ signedIn: false, canSignOut: true })).toBe(false);
  expect(has({ signedIn: null, canSignOut: true, keys: [set] })).toBe(false);
  expect(has({ signedIn: false, canSignOut: true, keys: [stored] })).toBe(true);
});

test("credentials are described by provider and source", () => {
  expect(credentialText([])).toBe("No keys");
  expect(credentialText([stored, other, set])).toBe(
    "Stored keys: Anthropic, OpenAI · From the environment: XAI_API_KEY",
  );
});

test("sign-out describes what is deleted and what is not", () => {
  expect(signOutText({ name: "A", keys: null })).toContain("A can't answer until");
  const words = signOutText({ name: "A", keys: [stored, other, set] });
  expect(words).toContain("The stored keys of Anthropic and OpenAI are all deleted.");
  expect(words).toContain("still apply: XAI_API_KEY.");
  expect(signOutText({ name: "A", keys: [stored] })).toBe(
    "Your conversations stay. The stored key of Anthropic is deleted. A can't use it until someone signs in again.",
  );
});
