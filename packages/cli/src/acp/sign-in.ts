import type { Landline, SignInTerminal } from "@landline/client";
import { LandlineError } from "@landline/protocol";
import { onTerminationSignal } from "@landline/system/termination-signal";
import type { CommandContext } from "../command-context.ts";
import { ReachedGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import type { GatewayAddress } from "../gateway-fetch.ts";

interface SignInRequest {
  readonly agent: string | undefined;
  readonly methodId: string;
}

/**
 * Signs in to an agent with one of its terminal methods. The agent's program runs in a terminal of the gateway, which is
 * shown in this terminal. An editor runs this as the terminal method of its agent, which is `landline acp`.
 */
export async function signInHere(
  { output }: CommandContext,
  address: GatewayAddress,
  { agent, methodId }: SignInRequest,
): Promise<number> {
  if (agent === undefined)
    throw new LandlineError("invalid-params", { message: "--sign-in needs --agent." });
  using stack = new DisposableStack();
  const landline = stack.adopt(await new ReachedGateway(address).connect(), (one) => one.close());
  stack.use(
    onTerminationSignal(() => {
      landline.api.cancelSignIn({ agent }).catch(() => {});
    }),
  );
  stack.defer(showTerminal(landline, agent, (text) => output.note(text)));
  await landline.signIn(agent, methodId);
  return exitCode.done;
}

/** Shows the terminal of the sign-in as soon as there is one, and what else happens. Returns a function that ends it. */
function showTerminal(landline: Landline, agent: string, note: (text: string) => void): () => void {
  const { agents } = landline;
  let shown: { readonly id: string; readonly end: () => void } | null = null;
  let said = "";
  const look = () => {
    const progress = agents.getSnapshot()?.find(({ id }) => id === agent)?.progress;
    if (!progress) return;
    const { terminalId, message, url, question } = progress;
    if (terminalId === undefined) {
      const where = question ? "Answer in the page of the gateway." : "";
      const text = [message, url, where].filter(Boolean).join(" ");
      if (text !== said) note(text);
      said = text;
    } else if (terminalId !== shown?.id) {
      shown?.end();
      shown = { id: terminalId, end: joined(landline.terminal(terminalId)) };
    }
  };
  const stop = agents.subscribe(look);
  look();
  return () => {
    stop();
    shown?.end();
  };
}

/** Joins this terminal to that of the gateway. */
function joined(terminal: SignInTerminal): () => void {
  const { stdin, stdout } = process;
  const stop = terminal.onOutput((text) => stdout.write(text));
  const type = (text: string) => void terminal.write(text).catch(() => {});
  const resize = () => void terminal.resize(stdout.columns, stdout.rows).catch(() => {});
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", type);
  if (stdout.isTTY) {
    stdout.on("resize", resize);
    resize();
  }
  return () => {
    stop();
    stdin.off("data", type);
    stdout.off("resize", resize);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  };
}
