import { scenario } from "./gateway.ts";
import { choosesAgent, finds } from "./page-actions.ts";
import type { State } from "./states.ts";

/** The form with an attachment, text, mentions and the last chosen model. */
export const newConversation: State = {
  name: "new-conversation",
  set: async (stage) => {
    const gateway = await stage.gateway({ agents: { scripted: scenario("work") } });
    const config = `/api/sessions/${await gateway.open()}/config`;
    await gateway.call("POST", config, { configId: "model", value: "large", remember: true });
    await gateway.call("POST", config, { configId: "effort", value: "high", remember: true });
    return {
      gateway,
      hash: "#/",
      show: async (page) => {
        await choosesAgent(page, "Scripted");
        await finds(page.getByText("Large 4, High"));
        const words = page.getByRole("textbox", { name: "What should it do?" });
        const buffer = Buffer.from("login: 3 of 14 tests failed\n");
        const file = { name: "tests.log", mimeType: "text/plain", buffer };
        await page.locator("input[type=file]").setInputFiles(file);
        await finds(page.getByText("tests.log"));
        await words.pressSequentially("Why do these tests fail? Look at @acc");
        await finds(page.getByRole("option", { name: /account/ }));
      },
    };
  },
};
