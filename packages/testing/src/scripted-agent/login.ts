import { createInterface } from "node:readline/promises";
import type { Scenario } from "./scenario.ts";
import type { SessionStore } from "./sessions.ts";

/** Signs in like agents with a login command: in a terminal, with a code. Resolves to the exit code. */
export async function logIn(scenario: Scenario, store: SessionStore): Promise<number> {
  const { stdin: input, stdout: output } = process;
  const { code } = scenario.login ?? { code: "" };
  if (!input.isTTY || !output.isTTY) {
    output.write("Signing in needs a terminal.\n");
    return 1;
  }
  const tellSize = () => output.write(`\u001B[2m${output.columns}x${output.rows}\u001B[22m\n`);
  tellSize();
  output.on("resize", tellSize);
  output.write("Open https://example.invalid/device and enter the code that it shows.\n");
  const lines = createInterface({ input, output });
  // Without a listener, Ctrl-C would only end the question.
  lines.once("SIGINT", () => process.exit(130));
  const entered = await lines.question("\u001B[1mCode:\u001B[22m ");
  lines.close();
  const isRight = code !== "" && entered.trim() === code;
  if (isRight) store.noteSignIn();
  output.write(isRight ? "You are signed in.\n" : "That is not the code.\n");
  return isRight ? 0 : 1;
}
