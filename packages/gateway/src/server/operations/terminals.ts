import type { SignInTerminal } from "../services.ts";
import { waitFor } from "../wait.ts";
import type { Implementations } from "./operation.ts";

/** Sign-in terminals. Their screens may contain secrets, so only admins see them. */
export const terminalOperations = {
  "read-terminal": async ({ terminalId, after, wait = 0 }, { services, request, context }) => {
    const { screen, ended } = services.agents.terminal(terminalId);
    if (wait > 0 && after === screen.end) {
      const signals = [request.req.raw.signal, context.closing];
      const most = Math.min(wait, services.limits.eventWaitMs);
      await waitFor((wake) => watchOutput({ screen, ended }, wake), most, signals);
    }
    return {
      text: after === undefined ? screen.whole() : screen.since(after),
      next: screen.end,
    };
  },
  "terminal-attach": ({ terminalId }, { services, peer, reply }) => {
    const found = services.agents.terminal(terminalId);
    peer.writer.together(() => {
      reply({});
      peer.terminals.add(terminalId, found);
    });
  },
  "terminal-detach": ({ terminalId }, { peer, reply }) => {
    peer.terminals.remove(terminalId);
    reply({});
  },
  "terminal-input": ({ terminalId, text }, { services }) =>
    services.agents.terminal(terminalId).type(text),
  "terminal-resize": ({ terminalId, columns, rows }, { services }) =>
    services.agents.terminal(terminalId).resize(columns, rows),
} satisfies Partial<Implementations>;

function watchOutput(
  { screen, ended }: Pick<SignInTerminal, "screen" | "ended">,
  wake: () => void,
): Disposable {
  void ended.then(wake, wake);
  return screen.watch(wake);
}
