import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.doUnmock("web-tree-sitter");
  vi.resetModules();
});

it("is loaded again after a failure", async () => {
  let tries = 0;
  const init = () => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error("too many open files")) : Promise.resolve();
  };
  const setLanguage = () => {};
  vi.resetModules();
  vi.doMock("web-tree-sitter", () => ({
    Parser: Object.assign(
      class {
        readonly setLanguage = setLanguage;
      },
      { init },
    ),
    Language: { load: () => Promise.resolve(null) },
  }));
  const { openParser } = await import("./parser.ts");
  expect(await openParser()).toBeNull();
  expect(await openParser()).not.toBeNull();
  await openParser();
  expect(tries).toBe(2);
});
