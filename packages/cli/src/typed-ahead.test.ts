import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { dropTypedAhead } from "./typed-ahead.ts";

it("discards earlier input, and keeps later input", async () => {
  const input = new PassThrough();
  input.write("2\n");
  input.write("hal");
  await dropTypedAhead(input);
  input.write("1\n");
  expect(String(input.read())).toBe("1\n");
});

it("leaves line mode meanwhile, to read an incomplete line", async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => {
      modes.push(isRaw);
      // The terminal releases its buffered input.
      if (isRaw) input.write("2");
    },
  });
  await dropTypedAhead(input);
  expect(modes).toEqual([true, false]);
  expect(input.read()).toBeNull();
});
