import { expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

it("a usage update without a cost keeps the last cost, and one with a null cost clears it", () => {
  const cost = { amount: 0.5, currency: "USD" };
  const log = logOf(
    update("usage_update", { used: 1, size: 10, cost }),
    update("usage_update", { used: 2, size: 10 }),
    update("usage_update", { used: 3, size: 10, cost: null }),
    update("usage_update", { used: 9, size: 10 }, "child"),
    update("usage_update", { used: "many", size: 10 }),
  );
  expect(fold(emptyView(), log.slice(0, 2)).usage).toEqual({ used: 2, size: 10, cost });
  const view = fold(emptyView(), log);
  expect(view.usage).toEqual({ used: 3, size: 10, cost: null });
  expect(view.subagents[0]?.usage?.used).toBe(9);
  expect(view.unknownCount).toBe(1);
});
