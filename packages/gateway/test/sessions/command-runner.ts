import type { PermissionOpened } from "@landline/protocol";
import type { Session } from "../../src/sessions/sessions.ts";
import { text, turn, type Watcher } from "./scripted-gateway.ts";

/** Runs the prompt as a command, shows it as a tool call, and reports the result. */
export const runner = {
  turns: [
    {
      steps: [
        { tool: { toolCallId: "t1", title: "Run it", kind: "execute", status: "pending" } },
        { createTerminal: { command: "{{prompt}}", env: [{ name: "WISHED", value: "yes" }] } },
        {
          toolUpdate: {
            toolCallId: "t1",
            content: [{ type: "terminal", terminalId: "{{terminalId}}" }],
          },
        },
        { waitForExit: { save: "exit" } },
        { terminalOutput: { save: "output" } },
        { releaseTerminal: {} },
        { say: "{{exit.exitCode}} {{exit.signal}}|{{output.output}}" },
      ],
    },
  ],
  whenTurnsRunOut: "again",
};

/** The agent's report of the last command. */
const lastSaid = (watcher: Watcher, before: string) => watcher.said.slice(before.length);

export async function run(
  { session, watcher }: { session: Session; watcher: Watcher },
  command: string,
) {
  const { said } = watcher;
  await turn(session, watcher, command);
  return lastSaid(watcher, said);
}

/** Prompts, and waits for the request of the command. */
export async function stopped(
  { session, watcher }: { session: Session; watcher: Watcher },
  command: string,
) {
  const from = watcher.events.length;
  const before = watcher.said;
  await session.prompt(crypto.randomUUID(), text(command), "tester");
  const ask = (await watcher.until("ask-opened", () => true, from)) as PermissionOpened & {
    readonly seq: number;
  };
  const answer = async (chosen: string) => {
    const option = ask.options.find(({ kind, optionId }) => [kind, optionId].includes(chosen));
    const outcome = { outcome: "selected", optionId: option?.optionId ?? "" } as const;
    await session.answer(ask.askId, outcome, "tester");
    await watcher.until("turn-ended", () => true, ask.seq);
    return lastSaid(watcher, before);
  };
  return { ask, answer };
}

/** The text above the command in the request. */
export function textOf({ toolCall }: PermissionOpened): string {
  const [first] = toolCall.content ?? [];
  return first?.type === "content" && first.content.type === "text" ? first.content.text : "";
}
