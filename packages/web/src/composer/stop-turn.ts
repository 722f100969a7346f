import type { Session } from "@landline/client";
import type { QueuedPrompt } from "@landline/protocol";
import { toast } from "sonner";
import { runCommand } from "../state/run-command.ts";

/** Long enough to read the notice and reach its button. */
const shownMs = 12_000;

/** Stops the turn. Queued prompts continue; a notice says so and offers to withdraw them. */
export async function stopTurn(session: Session): Promise<void> {
  const waiting = new Set(session.getSnapshot().view?.queue.map(({ promptId }) => promptId));
  if (!(await runCommand(session.cancel())) || waiting.size === 0) return;
  toast(`Stopped. ${promptsWords(waiting.size)} will run next.`, {
    duration: shownMs,
    action: {
      label: waiting.size === 1 ? "Withdraw it" : "Withdraw them",
      onClick: () => void withdrawAll(session, waiting),
    },
  });
}

/** Stops the turn of a prompt that started meanwhile, too. */
async function withdrawAll(session: Session, promptIds: ReadonlySet<string>): Promise<void> {
  const { view } = session.getSnapshot();
  if (view === null) return;
  const isAmong = ({ promptId }: { readonly promptId: string | null }) =>
    promptId !== null && promptIds.has(promptId);
  const wanted = view.queue.filter(isAmong);
  // From the end, so that no prompt starts because the one before it was withdrawn.
  const done: QueuedPrompt[] = [];
  for (const prompt of wanted.toReversed()) {
    if (await runCommand(session.withdrawPrompt(prompt.promptId))) done.unshift(prompt);
  }
  const { turn } = session.getSnapshot().view ?? view;
  if (turn.state === "running" && isAmong(turn)) await runCommand(session.cancel());
  if (done.length === 0) return;
  toast(`Withdrawn: ${promptsWords(done.length)}.`, {
    duration: shownMs,
    action: {
      label: "Put back",
      onClick: () => {
        for (const { content } of done) void runCommand(session.prompt(content));
      },
    },
  });
}

function promptsWords(count: number): string {
  return `${count} queued ${count === 1 ? "prompt" : "prompts"}`;
}
