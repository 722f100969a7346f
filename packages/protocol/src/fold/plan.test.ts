import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { limitsOf } from "../limits.ts";
import { emptyView } from "../view/empty.ts";

const viewOf = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies));
const entry = (content: string) => ({ content, priority: "medium", status: "pending" });
const plan = (planId: string, fields: object) =>
  update("plan_update", { plan: { planId, ...fields } });

describe("plans", () => {
  it("are replaced as a whole", () => {
    const view = viewOf(
      update("plan", { entries: [entry("a"), entry("b")] }),
      update("plan", { entries: [entry("c")] }),
    );
    expect(view.plan).toEqual([entry("c")]);
    expect(view.items).toEqual([]);
  });

  it("of a child are its own", () => {
    const view = viewOf(update("plan", { entries: [entry("a")] }, "child"));
    expect(view.plan).toEqual([]);
    expect(view.subagents[0]?.plan).toEqual([entry("a")]);
  });

  it("with ids are replaced and removed by id", () => {
    const view = viewOf(
      plan("a", { type: "markdown", content: "# A" }),
      plan("b", { type: "file", uri: "file:///plan.md" }),
      plan("a", { type: "items", entries: [entry("x")] }),
      update("plan_removed", { planId: "b" }),
      update("plan_removed", { planId: "never there" }),
    );
    expect(view.plans).toEqual([{ planId: "a", type: "items", entries: [entry("x")] }]);
  });

  it("with ids are bounded", () => {
    const { plansKept } = limitsOf("default");
    const many = Array.from({ length: plansKept + 5 }, (_, index) =>
      plan(`p${index}`, { content: "" }),
    );
    const { plans } = viewOf(...many);
    expect(plans).toHaveLength(plansKept);
    expect(plans[0]?.planId).toBe("p5");
  });
});
