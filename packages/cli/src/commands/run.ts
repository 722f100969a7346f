import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig, type GatewayOptions } from "@landline/gateway";
import type { Api, Landline, NewRule, Session } from "@landline/client";
import { LandlineError } from "@landline/protocol";
import { readAllowRule } from "../allow-rule.ts";
import { Asker } from "../asker.ts";
import { builtInAgent } from "../built-in-agent.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { findGateway, ReachedGateway } from "../connect.ts";
import { onTerminationSignal } from "@landline/system/termination-signal";
import { exitCode, exitCodeOfTurn } from "../exit-code.ts";
import { followTurn } from "../follow-turn.ts";
import type { Output } from "../output.ts";
import { startOwnGateway } from "../own-gateway.ts";
import { SessionFeed } from "../session-feed.ts";
import { sessionIdOf } from "../session-list.ts";
import { Transcript } from "../transcript.ts";
import { finishedWithin } from "@landline/system/finished-within";

interface RunOptions extends PlaceOptions, JsonOption {
  readonly agent?: string;
  readonly cwd?: string;
  readonly session?: string;
  readonly allow?: readonly string[];
  readonly yes?: boolean;
  readonly quiet?: boolean;
}

/** Sends one prompt and exits with a code for its turn. */
export async function run(
  { output }: CommandContext,
  typed: string | undefined,
  given: RunOptions,
): Promise<number> {
  const { agent, config, data } = given;
  const subjects = (given.allow ?? []).map(readAllowRule);
  const isNewAgent = agent?.includes("=") === true;
  const ours = builtInAgent();
  const options = await loadConfig({
    builtInAgent: ours,
    flags: {
      ...(config === undefined ? {} : { config }),
      ...(data === undefined ? {} : { data }),
      ...(isNewAgent ? { agent: [agent] } : {}),
    },
  });
  const prompt = await promptText(typed);
  await using stack = new AsyncDisposableStack();
  const { url, landline } = await reachGateway(options, isNewAgent, stack);
  const agentId = agent?.split("=")[0] ?? options.defaultAgent ?? ours.id;
  const session = landline.session(await enterSession(landline, agentId, given));
  const feed = stack.use(new SessionFeed(landline, session));
  const head = given.session === undefined ? 0 : await feed.head();
  const turn = new Run({ output, options, given, url, api: landline.api, session, feed });
  try {
    await turn.allow(subjects);
    return await turn.play(prompt, head);
  } finally {
    await finishedWithin(turn.leave(), options.limits.stopMs);
  }
}

interface RunFacts {
  readonly output: Output;
  readonly options: GatewayOptions;
  readonly given: RunOptions;
  readonly url: string;
  readonly api: Api;
  readonly session: Session;
  readonly feed: SessionFeed;
}

class Run {
  readonly #facts: RunFacts;
  readonly #rules: string[] = [];

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  /** Adds rules for this session, which are removed at the end. */
  async allow(subjects: readonly NewRule["what"][]): Promise<void> {
    const { api, session } = this.#facts;
    for (const what of subjects) {
      const where = { in: "session", sessionId: session.id } as const;
      this.#rules.push((await api.addRule({ decision: "allow", what, where })).id);
    }
  }

  async play(prompt: string, after: number): Promise<number> {
    const { output, api, session, feed, given } = this.#facts;
    const sessionId = session.id;
    const promptId = randomUUID();
    const json = given.json === true;
    const { people } = await api.readMe();
    const transcript = new Transcript(output, {
      quiet: given.quiet === true,
      people,
      isAsking: this.#isAttended,
      isOwnPrompt: (id) => id === promptId,
    });
    const stopping = new AbortController();
    const interrupted = (count: number) => this.#interrupted(count, stopping);
    using _signals = onTerminationSignal(interrupted);
    const asker = this.#asker();
    if (json) output.json({ sessionId });
    const ended = followTurn({
      api,
      feed,
      sessionId,
      promptId,
      after,
      signal: stopping.signal,
      onEvent: (event, logged) => {
        if (json) output.json(logged);
        else transcript.show(event);
        if (event.kind === "ask-opened") asker.opened(event as Parameters<Asker["opened"]>[0]);
        if (event.kind === "ask-settled")
          asker.settled(String((event as { askId: unknown }).askId));
      },
    });
    try {
      // A prompt that cannot be sent waits for the connection, until the events end.
      const sent = session.prompt(prompt, promptId).then(() => ended);
      const stopReason = await Promise.race([sent, ended, asker.failed]);
      transcript.end();
      const isRefused = stopReason === "end_turn" && asker.refused > 0;
      const code = isRefused ? exitCode.refused : exitCodeOfTurn(stopReason);
      if (json) output.json({ sessionId, stopReason, exitCode: code });
      return code;
    } finally {
      asker.close();
      stopping.abort();
      await ended.catch(() => {});
    }
  }

  /** Removes the rules, and closes a session that was opened for this run. */
  async leave(): Promise<void> {
    const { api, session, given } = this.#facts;
    for (const id of this.#rules) await api.removeRule({ id });
    if (given.session === undefined) await session.close();
  }

  get #isAttended(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY && this.#facts.given.json !== true;
  }

  #asker(): Asker {
    const { output, options, given, url, session } = this.#facts;
    return new Asker({
      output,
      limits: options.limits,
      yes: given.yes === true,
      person: this.#isAttended ? { input: process.stdin, screen: process.stderr } : null,
      noRule: (askId) => this.#noRule(askId),
      page: options.publicUrl ?? url,
      answer: (askId, outcome) => session.answer(askId, outcome),
    });
  }

  async #noRule(askId: string): Promise<string | null> {
    const { api, session } = this.#facts;
    const { rules, reason } = await api.suggestRules({ sessionId: session.id, askId });
    return rules.length > 0 ? null : (reason ?? "It can't be named in a rule.");
  }

  /** The first Ctrl-C cancels the turn. The second one exits without waiting. */
  #interrupted(count: number, stopping: AbortController): void {
    const { output, session } = this.#facts;
    if (count > 2) process.exit(exitCode.cancelled);
    if (count > 1) return stopping.abort();
    output.note("Cancelling. Press Ctrl-C again to exit at once.", "yellow");
    session.cancel().catch(() => stopping.abort());
  }
}

/** Connects until the stack is disposed of. Starts a gateway in this process if none is running. */
async function reachGateway(
  options: GatewayOptions,
  isNewAgent: boolean,
  stack: AsyncDisposableStack,
): Promise<{ readonly url: string; readonly landline: Landline }> {
  const running = await findGateway(options);
  if (running && isNewAgent)
    throw new LandlineError("invalid-params", {
      message: `The gateway at ${running.url} is already running and accepts no new agents from here.`,
      help: "Add the agent to the config, or name another data folder with --data.",
    });
  const logLevel = options.logLevel === "info" ? "error" : options.logLevel;
  const gateway =
    running ??
    new ReachedGateway(stack.use(await startOwnGateway({ ...options, port: 0, logLevel })));
  const landline = await gateway.connect();
  stack.defer(() => landline.close());
  return { url: gateway.url, landline };
}

async function enterSession(
  landline: Landline,
  agent: string,
  { session, cwd = "." }: RunOptions,
): Promise<string> {
  if (session !== undefined) return sessionIdOf(landline.api, session);
  return (await landline.open({ agent, cwd: resolve(cwd) })).sessionId;
}

async function promptText(typed: string | undefined): Promise<string> {
  const isFromStdin = typed === "-" || (typed === undefined && !process.stdin.isTTY);
  const prompt = isFromStdin ? await text(process.stdin) : (typed ?? "");
  if (prompt.trim() !== "") return prompt;
  throw new LandlineError("invalid-params", {
    message: "The prompt is empty.",
    help: 'Give a prompt: landline run "explain this folder" --agent ID, or pipe one in.',
  });
}
