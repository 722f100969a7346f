import { describe, expect, test } from "vitest";
import { PermissionQueue } from "../../src/core/permission-queue.ts";
import type { Decision } from "../../src/core/user-requests.ts";

interface PendingRequests {
  name: string;
  settle: PromiseWithResolvers<Decision>;
}

function queue() {
  const asks = new PermissionQueue();
  const shown: PendingRequests[] = [];
  const controller = new AbortController();
  const allowed = new Set<string>();
  const ask = (name: string) =>
    asks
      .ask({
        signal: controller.signal,
        isAllowed: () => allowed.has(name),
        decide: () => {
          const settle = Promise.withResolvers<Decision>();
          shown.push({ name, settle });
          controller.signal.addEventListener("abort", () => settle.reject(new Error("stopped")));
          return settle.promise;
        },
      })
      .then(
        (answer) => answer ?? "allowed meanwhile",
        (error: unknown) => (error as Error).name,
      );
  return { ask, shown, allowed, controller };
}

describe("permission requests", () => {
  test("are asked one at a time and in order", async () => {
    const { ask, shown } = queue();
    const answers = [ask("a"), ask("b")];
    expect(shown.map(({ name }) => name)).toEqual(["a"]);
    shown[0]?.settle.resolve({ answer: "once" });
    expect(await answers[0]).toBe("once");
    expect(shown.map(({ name }) => name)).toEqual(["a", "b"]);
    shown[1]?.settle.resolve({ answer: "once" });
    expect(await answers[1]).toBe("once");
  });

  test("are not asked if an earlier answer settled them", async () => {
    const { ask, shown, allowed } = queue();
    const answers = [ask("a"), ask("b")];
    allowed.add("b");
    shown[0]?.settle.resolve({ answer: "always" });
    expect(await Promise.all(answers)).toEqual(["always", "allowed meanwhile"]);
    expect(shown).toHaveLength(1);
  });

  test.each(["reject", "never"] as const)("are rejected: %s", async (answer) => {
    const { ask, shown } = queue();
    const answers = [ask("a"), ask("b"), ask("c")];
    shown[0]?.settle.resolve({ answer });
    expect(await Promise.all(answers)).toEqual([answer, "PermissionRefused", "PermissionRefused"]);
    const later = ask("d");
    expect(shown.map(({ name }) => name)).toEqual(["a", "d"]);
    shown[1]?.settle.resolve({ answer: "once" });
    expect(await later).toBe("once");
  });

  test("end when they are aborted, even while they wait", async () => {
    const { ask, shown, controller } = queue();
    const answers = [ask("a"), ask("b")];
    controller.abort();
    expect(await Promise.all(answers)).toEqual(["Error", "AbortError"]);
    expect(shown).toHaveLength(1);
  });

  test("that could not be asked do not affect the others", async () => {
    const { ask, shown } = queue();
    const answers = [ask("a"), ask("b")];
    shown[0]?.settle.reject(new TypeError("the client is gone"));
    expect(await answers[0]).toBe("TypeError");
    shown[1]?.settle.resolve({ answer: "once" });
    expect(await answers[1]).toBe("once");
  });
});
