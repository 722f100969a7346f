import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const items = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies)).items;

describe("a notice", () => {
  it("is an item", () => {
    expect(items(update("notice", { severity: "warning", title: "Slow" }))).toMatchObject([
      { type: "notice", severity: "warning", title: "Slow", description: null },
    ]);
  });
});

describe("an error", () => {
  it("is an item with help", () => {
    expect(
      items({ kind: "error", code: "timeout", message: "Too long.", help: "Try again." }),
    ).toMatchObject([{ type: "error", code: "timeout", message: "Too long.", help: "Try again." }]);
  });
});
