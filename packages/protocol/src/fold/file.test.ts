import { describe, expect, it } from "vitest";
import { logOf } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import { emptyView } from "../view/empty.ts";

const read = (path: string): EventBody => ({ kind: "file-read", path, bytes: 1, via: "disk" });
const written = (path: string): EventBody => ({
  kind: "file-written",
  path,
  bytes: 1,
  via: "disk",
});

describe("files", () => {
  it("are counted by path", () => {
    const log = logOf(read("/a"), written("/b"), read("/a"), written("/a"));
    expect(fold(emptyView(), log).files).toEqual({
      reads: 2,
      writes: 2,
      touched: [
        { path: "/a", reads: 2, writes: 1, last: 4 },
        { path: "/b", reads: 0, writes: 1, last: 2 },
      ],
    });
  });

  it("are only counted if there are too many", () => {
    const { filesKept } = limitsOf("default");
    const many = Array.from({ length: filesKept + 3 }, (_, index) => read(`/${index}`));
    const { files } = fold(emptyView(), logOf(...many));
    expect(files.reads).toBe(filesKept + 3);
    expect(files.touched).toHaveLength(filesKept);
  });
});
