import { contentBlocks, type Command } from "@landline/protocol/commands";
import type { Session } from "../sessions/sessions.ts";

/** Commands that are about one session and change something in it. */
export type SessionCommand = Exclude<
  Command,
  {
    type:
      | "attach"
      | "detach"
      | "open"
      | "delete"
      | "sign-in"
      | "answer-sign-in"
      | "cancel-sign-in"
      | "sign-out"
      | "terminal-attach"
      | "terminal-detach"
      | "terminal-input"
      | "terminal-resize";
  }
>;

/** Carries it out, and returns what the reply says. The session is spoken to before this returns. */
export async function actOn(
  session: Session,
  command: SessionCommand,
  by: string,
): Promise<unknown> {
  switch (command.type) {
    case "prompt":
      await session.prompt(command.promptId, contentBlocks(command.content), by);
      return { promptId: command.promptId };
    case "change-prompt":
      await session.changePrompt(command.promptId, contentBlocks(command.content), by);
      return { promptId: command.promptId };
    case "withdraw-prompt":
      await session.withdrawPrompt(command.promptId, by);
      return { promptId: command.promptId };
    case "move-prompt":
      await session.movePrompt(command.promptId, command.before, by);
      return { promptId: command.promptId };
    case "cancel":
      await session.cancel(by);
      return {};
    case "answer":
      return session.answer(command.askId, command.outcome, by, command.note);
    case "set-mode":
      await session.setMode(command.modeId, by);
      return {};
    case "set-config":
      await session.setConfig(command.configId, command.value, by, command.remember);
      return {};
    case "rename":
      await session.rename(command.title, by);
      return {};
    case "fork":
      return (await session.fork(by)).summary;
    default:
      await session.close(by);
      return {};
  }
}
