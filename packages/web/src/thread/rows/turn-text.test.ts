import { describe, expect, it } from "vitest";
import { stopReasonText, turnFacts } from "./turn-text.ts";

const end = { at: 13_000, stopReason: "end_turn", error: null, usage: null } as const;

describe("the end of a turn", () => {
  it("has no text for the ordinary stop reason", () => {
    expect(stopReasonText("end_turn")).toBeNull();
  });

  it("names an unknown stop reason", () => {
    expect(stopReasonText("out_of_budget")).toBe("Ended: out of budget");
  });

  it("shows the duration, and the tokens if they are known", () => {
    expect(turnFacts(end, 1_000)).toBe("12 s");
    expect(turnFacts({ ...end, usage: { totalTokens: 3_400 } }, 1_000)).toBe("12 s · 3,400 tokens");
    expect(turnFacts({ ...end, usage: { inputTokens: 1, outputTokens: 2 } }, 1_000)).toBe(
      "12 s · 3 tokens",
    );
    expect(turnFacts({ ...end, usage: {} }, 1_000)).toBe("12 s");
    expect(turnFacts(end, 12_990)).toBe("");
  });
});
