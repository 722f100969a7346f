import type { CreateElicitationRequest } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import type { AskOutcome } from "../../src/acp-client/permissions/request-outcome.ts";
import { forever, form, page, usePermissions } from "./use-permissions.ts";

const { desk } = usePermissions();

describe("a question", () => {
  it("is as durable as a permission request", async () => {
    const { asks, events, lastId } = desk();
    const answered = asks.question(form, "child-1", forever());
    const askId = lastId();
    expect(events).toEqual([
      { kind: "ask-opened", askId, ask: "question", request: form, child: "child-1" },
    ]);
    const outcome = { action: "accept", content: { name: "x" } };
    asks.answer(askId, outcome, "client-1");
    expect(await answered).toEqual(outcome);
    expect(events[1]).toMatchObject({ kind: "ask-settled", outcome, by: { client: "client-1" } });
    expect(() => asks.answer(askId, outcome, "client-2")).toThrow(
      // The content is in the log only.
      expect.objectContaining({
        data: { by: { client: "client-1" }, outcome: { action: "accept" } },
      }),
    );
  });

  it("sends the values of hidden fields to the agent only", async () => {
    const { asks, events, lastId } = desk();
    const properties = {
      name: { type: "string" },
      pin: { type: "string", format: "password" },
      code: { type: "string", writeOnly: true },
      api_key: { type: "string" },
    };
    const request = { ...form, requestedSchema: { type: "object", properties } };
    const answered = asks.question(request, undefined, forever());
    const content = { name: "x", pin: "1234", code: "5678", api_key: "sk-90" };
    asks.answer(lastId(), { action: "accept", content }, "client-1");
    expect(await answered).toEqual({ action: "accept", content });
    const hidden = "[masked]";
    expect(events[1]).toMatchObject({
      kind: "ask-settled",
      outcome: {
        action: "accept",
        content: { name: "x", pin: hidden, code: hidden, api_key: hidden },
      },
    });
  });

  it.each([["decline"], ["cancel"]])("may be answered with %s", async (action) => {
    const { asks, lastId } = desk();
    const answered = asks.question(form, undefined, forever());
    asks.answer(lastId(), { action }, "client-1");
    expect(await answered).toEqual({ action });
  });

  it.each<readonly [CreateElicitationRequest, unknown, string]>([
    [form, { action: "accept" }, "“name” is required"],
    [form, { action: "accept", content: null }, "“name” is required"],
    [form, { action: "accept", content: { name: 5 } }, "“name” must be text"],
    [form, { action: "agree" }, "a valid action"],
    [form, { outcome: "selected", optionId: "yes" }, "a valid action"],
    [page, { action: "accept", content: { a: "b" } }, "takes no content"],
  ])("%j stays open after %j", (request, outcome, words) => {
    const { asks, lastId } = desk();
    void asks.question(request, undefined, forever());
    expect(() => asks.answer(lastId(), outcome as AskOutcome, "client-1")).toThrow(words);
    expect(asks.open).toHaveLength(1);
  });

  it.each([
    { ...form, mode: "dance" },
    { ...form, requestedSchema: "x" },
    { ...page, elicitationId: 5 },
    { ...page, url: "javascript:alert(1)" },
    { ...page, url: "data:text/html,x" },
    { ...page, url: "file:///etc/passwd" },
    { ...page, url: "nonsense" },
    { ...page, url: undefined },
  ])("that nobody could answer is refused: %j", async (request) => {
    const { asks, events } = desk();
    const asked = asks.question(request, undefined, forever());
    await expect(asked).rejects.toMatchObject({ code: "invalid-params" });
    expect(events).toEqual([]);
  });

  it("about a page is settled when the agent reports that it is done", async () => {
    const { asks, events } = desk();
    const answered = asks.question(page, undefined, forever());
    expect(asks.complete("e-2")).toBe(false);
    expect(asks.complete("e-1")).toBe(true);
    expect(await answered).toEqual({ action: "accept" });
    expect(events[1]).toMatchObject({ by: { gateway: "completed" } });
    expect(asks.complete("e-1")).toBe(false);
  });
});
