import { join } from "node:path";
import { expect, test } from "vitest";
import { forever, form, options, permission, usePermissions } from "./use-permissions.ts";

const place = usePermissions();
const others = "Other known arguments that stay in the project are allowed too.";

test("a suggested rule answers the same request from then on", async () => {
  const { asks, events, lastId } = place.desk();
  void asks.permission(permission(), undefined, forever());
  const { rules } = await asks.suggestRules(lastId());
  expect(rules.map(({ text }) => text)).toEqual([
    `Allow commands that start with “npm test”, in this session. ${others}`,
    `Allow commands that start with “npm test”, in ${place.folder}. ${others}`,
  ]);
  for (const { rule } of rules) {
    const kept = await place.rules.add({ ...rule, by: "tester" });
    await asks.permission(permission(), undefined, forever());
    expect(events.at(-1)).toMatchObject({ kind: "ask-settled", by: { rule: kept.id } });
    await place.rules.remove(kept.id);
  }
});

test("and for reading commands", async () => {
  const { asks, events, lastId } = place.desk();
  const asking = (command: string) =>
    permission({ toolCall: { toolCallId: command, kind: "execute", rawInput: { command } } });
  void asks.permission(asking("ls"), undefined, forever());
  const [first] = (await asks.suggestRules(lastId())).rules;
  expect(first?.rule.what).toEqual({ onlyReads: true });
  const kept = await place.rules.add({ ...first!.rule, by: "tester" });
  await asks.permission(asking("cat rules.json | wc -l"), undefined, forever());
  expect(events.at(-1)).toMatchObject({ kind: "ask-settled", by: { rule: kept.id } });
});

test("and for a file", async () => {
  const { asks, lastId } = place.desk();
  const path = join(place.folder, "src", "a.ts");
  const toolCall = { toolCallId: "call-2", kind: "edit" as const, locations: [{ path }] };
  void asks.permission(permission({ toolCall }), undefined, forever());
  const { rules } = await asks.suggestRules(lastId());
  expect(rules.map(({ rule }) => rule.what.pathGlob)).toEqual([
    "src/a.ts",
    "src/a.ts",
    "src/**",
    undefined,
  ]);
});

test("none is suggested if no rule could answer", async () => {
  const { asks, lastId } = place.desk();
  const onlyNo = options.filter(({ kind }) => kind === "reject_once");
  void asks.permission(permission({ options: onlyNo }), undefined, forever());
  expect(await asks.suggestRules(lastId())).toMatchObject({ rules: [], reason: /offers nothing/ });
  void asks.question(form, undefined, forever());
  await expect(asks.suggestRules(lastId())).rejects.toMatchObject({ code: "invalid-params" });
  await expect(asks.suggestRules("none")).rejects.toMatchObject({ code: "ask-not-found" });
  asks.answer(asks.open[0]!.askId, { outcome: "cancelled" }, "tester");
});
