import { LandlineError } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Retry } from "./retry.ts";

const limits = { deriveRetryMs: 1_000, deriveRetryMsMax: 4_000 };

describe("a temporary failure", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function failing(times: number, code: "disk-full" | "internal-error" = "disk-full") {
    let tries = 0;
    return () => {
      tries += 1;
      if (tries <= times) throw new LandlineError(code);
      return tries;
    };
  }

  it("is retried with delays that double up to their limit, and reported once", async () => {
    const onProblem = vi.fn();
    const onFailure = vi.fn();
    const retry = new Retry({ limits, onProblem, onFailure });
    const began = Date.now();
    const done = retry.untilDone(failing(5));
    expect(retry.problem?.code).toBe("disk-full");
    await vi.runAllTimersAsync();
    expect(await done).toBe(6);
    expect(Date.now() - began).toBe(1_000 + 2_000 + 4_000 + 4_000 + 4_000);
    expect(onProblem).toHaveBeenCalledTimes(1);
    expect(onFailure).toHaveBeenCalledTimes(5);
    expect(retry.problem).toBeNull();

    const again = retry.untilDone(failing(1));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await again).toBe(2);
    expect(onProblem).toHaveBeenCalledTimes(2);
  });

  it("is retried immediately on request, and not after it is closed", async () => {
    const onFailure = vi.fn();
    const retry = new Retry({ limits, onProblem: () => {}, onFailure });
    const done = retry.untilDone(failing(2));
    retry.hurry();
    await vi.advanceTimersByTimeAsync(0);
    expect(onFailure).toHaveBeenCalledTimes(2);
    retry.hurry();
    expect(await done).toBe(3);
    const endless = retry.untilDone(failing(Infinity));
    retry.close();
    expect(await endless).toBeUndefined();
    expect(await retry.untilDone(() => "never")).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not retried if it is permanent", async () => {
    const onProblem = vi.fn();
    const retry = new Retry({ limits, onProblem, onFailure: () => {} });
    await expect(retry.untilDone(failing(1, "internal-error"))).rejects.toThrow(
      "Something went wrong",
    );
    const bug = () => {
      throw new TypeError("a bug");
    };
    await expect(retry.untilDone(bug)).rejects.toThrow("a bug");
    expect(onProblem).not.toHaveBeenCalled();
  });
});
