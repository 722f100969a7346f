import { test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { answers, dock, finds, loses, say, sees, thread } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

test("a device that is added while the page is open is named there, and is still known after its removal", async () => {
  const gateway = await stage().gateway(work);
  const sessionId = await gateway.open();
  const hash = `#/s/${sessionId}`;
  const mine = await stage().page(gateway, { hash });
  await say(mine, "Run the command");
  await finds(dock(mine));

  const { id, token } = await gateway.device("Anna’s phone", "control");
  const hers = await stage().page(gateway, { hash, token });
  await answers(dock(hers).getByRole("button", { name: /allow once/i }));
  await sees(mine, /Anna’s phone allowed/);
  await say(hers, "Good morning");
  await finds(thread(mine).getByRole("article").getByText("Anna’s phone", { exact: true }));
  await loses(thread(mine).getByText(/Somebody else/));

  // Its name is removed with it, but its earlier events still show it.
  await hers.context().close();
  await gateway.call("DELETE", `/api/devices/${id}`);
  await finds(thread(mine).getByRole("article").getByText("annas phone", { exact: true }));
  await sees(mine, /annas phone allowed/);
});
