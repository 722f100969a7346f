import { expect, it } from "vitest";
import { scratch } from "../../test/config/scratch.ts";

it.each([
  ["turn the sandbox off", false],
  ["open more in it", { write: ["~"] }],
])("an untrusted project does not %s", async (_, sandbox) => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": { sandbox: { read: ["~/notes"] } },
    "project/landline.jsonc": { sandbox },
  });
  const { config, heldBack } = await folder.open();
  expect(config.sandbox).toEqual({
    write: [],
    read: [expect.stringMatching(/\/home\/notes$/)],
    caches: null,
  });
  expect(heldBack?.wants).toEqual(["changes what commands may use in their sandbox"]);
});

it("says so when a path of the sandbox is relative", async () => {
  await using folder = await scratch({
    "home/.config/landline/agent.jsonc": { sandbox: { write: ["relative"] } },
  });
  const { config } = await folder.open();
  expect(config.sandbox).toBeNull();
  expect(config.problems).toEqual([expect.stringContaining("sandbox")]);
});
