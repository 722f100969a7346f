import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { dropTypedAhead } from "./typed-ahead.ts";

it("drops what was there, and keeps what comes later", async () => {
  const input = new PassThrough();
  input.write("2\n");
  input.write("hal");
  await dropTypedAhead(input);
  input.write("1\n");
  expect(String(input.read())).toBe("1\n");
});

it("takes a terminal out of line mode meanwhile, for a line that is not ended", async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => {
      modes.push(isRaw);
      // As the terminal gives out what it kept.
      if (isRaw) input.write("2");
    },
  });
  await dropTypedAhead(input);
  expect(modes).toEqual([true, false]);
  expect(input.read()).toBeNull();
});
