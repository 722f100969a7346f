import { expect, it } from "vitest";
import { scratch } from "../../test/config/config-fixture.ts";

it.each([
  ["turn the sandbox off", false],
  ["open more in it", { write: ["~"] }],
])("an untrusted project does not %s", async (_, sandbox) => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": { sandbox: { read: ["~/notes"] } },
    "project/landline.jsonc": { sandbox },
  });
  const { config, untrustedConfig } = await folder.open();
  expect(config.sandbox).toEqual({
    isWanted: true,
    network: "off",
    write: [],
    read: [expect.stringMatching(/\/home\/notes$/)],
    caches: null,
  });
  expect(untrustedConfig?.wants).toEqual(["changes what commands may use in their sandbox"]);
});

const byDefault = { isWanted: false, network: "off", write: [], read: [], caches: null };

it.each([
  ["on by default", undefined, byDefault],
  ["required with true", true, { ...byDefault, isWanted: true }],
  ["off with false", false, null],
  [
    "open for the hosts that it lists",
    { network: ["example.com", "*.example.com:8443"] },
    { ...byDefault, isWanted: true, network: ["example.com", "*.example.com:8443"] },
  ],
])("is %s", async (_, sandbox, expected) => {
  await using folder = await scratch({ "home/.config/landline/agent.jsonc": { sandbox } });
  expect((await folder.open()).config.sandbox).toEqual(expected);
});

it.each([
  ["off", false],
  ["open for every host", { network: "on" }],
])(
  "an untrusted project does not turn it %s if the user has not configured it",
  async (_, sandbox) => {
    await using folder = await scratch({ "project/landline.jsonc": { sandbox } });
    const { config, untrustedConfig } = await folder.open();
    expect(config.sandbox).toEqual(byDefault);
    expect(untrustedConfig?.wants).toEqual(["changes what commands may use in their sandbox"]);
  },
);

it.each([
  ["a path is relative", { write: ["relative"] }],
  ["a host is an address of a page", { network: ["https://example.com/x"] }],
])("stays on, and reports it, when %s", async (_, sandbox) => {
  await using folder = await scratch({ "home/.config/landline/agent.jsonc": { sandbox } });
  const { config } = await folder.open();
  expect(config.sandbox).toEqual(byDefault);
  expect(config.problems).toEqual([expect.stringContaining("sandbox")]);
});
