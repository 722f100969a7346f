import type { PromptItem } from "@landline/protocol";
import { runCommand } from "../../state/run-command.ts";
import { useMe, useThisSession, useView } from "../../state/session.tsx";
import { Button } from "../../ui/button.tsx";

/** Sends the last prompt again, which starts the agent if necessary. */
export function SendAgain({ prompt }: { readonly prompt: PromptItem }) {
  const session = useThisSession();
  const me = useMe();
  const isLast = useView(
    (view) => view.lastTurn?.promptId === prompt.promptId && view.turn.state === "idle",
    false,
  );
  if (!isLast || me?.role === "watch" || prompt.content.length === 0) return null;
  const blocks = prompt.content.map(({ blob: _kept, ...block }) => block);
  // Text that is stored as a blob is not here to be sent.
  if (prompt.content.some(({ blob }) => blob !== undefined)) return null;
  return <Button onClick={() => void runCommand(session.prompt(blocks))}>Send again</Button>;
}
