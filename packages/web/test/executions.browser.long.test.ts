import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { executeInEveryWay } from "./executions-scene.ts";
import { scenario } from "./gateway.ts";
import { finds, presses } from "./page-actions.ts";

const stage = useStage();

test("each call shows who ran it, how it was confined and who allowed it", async () => {
  const gateway = await stage().gateway({ agents: { codex: scenario("work") } });
  const sessionId = await gateway.open("codex");
  await executeInEveryWay(gateway, sessionId);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  for (const name of [
    /^Run npm view .*Run by Landline agent · sandboxed \(example\.com\) · not asked: level Sandboxed/,
    /^Run npm install .*Run by Landline · outside the sandbox, allowed once by Anna/,
    /^Run npm test .*Run by Landline · sandboxed \(no network\) · allowed by a rule/,
    /^Edit src\/hash\.ts .*Run by codex · not confined by Landline · allowed once by Anna/,
    /^Read src\/hash\.ts .*Run by codex · not confined by Landline · not asked/,
  ])
    await finds(page.getByRole("button", { name }));
  // An opened call says that it was rejected, even when it is opened by keyboard.
  const rejected = page.getByRole("button", { name: /^Run git push/ });
  await rejected.focus();
  await page.keyboard.press("Enter");
  await finds(page.getByText("Requested by codex · rejected by Anna", { exact: true }));
  await presses(page.getByRole("button", { name: /^Read src\/hash\.ts/ }));
  const line = page.getByText("Run by codex · not confined by Landline · not asked", {
    exact: true,
  });
  expect(await line.filter({ visible: true }).count()).toBeGreaterThan(0);
});
