import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import type { SignInTerminal } from "../services.ts";
import { waitFor } from "../wait.ts";
import { bodyOf } from "./body.ts";
import { wholeNumber } from "./query.ts";
import { idParameter } from "./session.ts";

const anyNumber = { least: 0, most: Number.MAX_SAFE_INTEGER };

/** The terminals of sign-ins, for who can open no socket. What is on a screen may be secret: who only watches sees none. */
export function addTerminalRoutes(app: DoorApp, context: DoorContext): void {
  const { services, closing } = context;
  const terminalOf = (request: DoorRequest) =>
    services.agents.terminal(idParameter(request, "id", services.limits.idLength));
  app.on("GET", "/api/terminals/:id", async (request) => {
    const { screen, ended } = terminalOf(request);
    const after = wholeNumber(request, "after", anyNumber);
    const waitMs = wholeNumber(request, "wait", anyNumber) ?? 0;
    if (waitMs > 0 && after === screen.end) {
      const signals = [request.req.raw.signal, closing];
      const most = Math.min(waitMs, services.limits.eventWaitMs);
      await waitFor((wake) => watchOutput({ screen, ended }, wake), most, signals);
    }
    const text = after === undefined ? screen.whole() : screen.since(after);
    return request.json({ text, next: screen.end });
  });
  app.on("POST", "/api/terminals/:id/input", async (request) => {
    const { text } = await bodyOf("terminal-input", request, context);
    terminalOf(request).type(text);
    return request.body(null, 204);
  });
  app.on("POST", "/api/terminals/:id/size", async (request) => {
    const { columns, rows } = await bodyOf("terminal-resize", request, context);
    terminalOf(request).resize(columns, rows);
    return request.body(null, 204);
  });
}

function watchOutput(
  { screen, ended }: Pick<SignInTerminal, "screen" | "ended">,
  wake: () => void,
): Disposable {
  void ended.then(wake, wake);
  return screen.watch(wake);
}
