import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig, type GatewayOptions } from "@landline/gateway";
import { LandlineError, type SessionSummary } from "@landline/protocol";
import { readAllowRule, type AllowedSubject } from "../allow-rule.ts";
import { Asker } from "../asker.ts";
import { builtInAgent } from "../built-in-agent.ts";
import { GatewayClient } from "../client.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { findGateway } from "../connect.ts";
import { onEndSignal } from "../end-signal.ts";
import { exitCode, exitCodeOfTurn } from "../exit-code.ts";
import { followTurn } from "../follow-turn.ts";
import type { Output } from "../output.ts";
import { startOwnGateway } from "../own-gateway.ts";
import { sessionIdOf, sessionPath } from "../session-list.ts";
import { Transcript } from "../transcript.ts";
import { within } from "../within.ts";

interface RunOptions extends PlaceOptions, JsonOption {
  readonly agent?: string;
  readonly cwd?: string;
  readonly session?: string;
  readonly allow?: readonly string[];
  readonly yes?: boolean;
  readonly quiet?: boolean;
}

/** One prompt, one turn, one exit code. */
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
  await using gateway = await reachGateway(options, isNewAgent);
  const agentId = agent?.split("=")[0] ?? options.defaultAgent ?? ours.id;
  const { sessionId, head } = await enterSession(gateway.client, agentId, given);
  const turn = new Run({ output, options, given, client: gateway.client, sessionId });
  try {
    await turn.allow(subjects);
    return await turn.play(prompt, head);
  } finally {
    await within(options.limits.stopMs, turn.leave());
  }
}

interface RuleSuggestions {
  readonly rules: readonly unknown[];
  readonly reason?: string;
}

interface RunFacts {
  readonly output: Output;
  readonly options: GatewayOptions;
  readonly given: RunOptions;
  readonly client: GatewayClient;
  readonly sessionId: string;
}

class Run {
  readonly #facts: RunFacts;
  readonly #rules: string[] = [];

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  /** Rules for this session alone, taken back at the end. */
  async allow(subjects: readonly AllowedSubject[]): Promise<void> {
    const { client, sessionId } = this.#facts;
    for (const what of subjects) {
      const where = { in: "session", sessionId };
      const rule = (await client.post("/api/rules", { decision: "allow", what, where })) as {
        id: string;
      };
      this.#rules.push(rule.id);
    }
  }

  async play(prompt: string, after: number): Promise<number> {
    const { output, client, sessionId, given } = this.#facts;
    const promptId = randomUUID();
    const json = given.json === true;
    const transcript = new Transcript(output, {
      quiet: given.quiet === true,
      isAsking: this.#isAttended,
      isOwnPrompt: (id) => id === promptId,
    });
    const stopping = new AbortController();
    const interrupted = (count: number) => this.#interrupted(count, stopping);
    using _signals = onEndSignal(interrupted);
    const asker = this.#asker();
    if (json) output.json({ sessionId });
    await client.post(sessionPath(sessionId, "/prompts"), { promptId, content: prompt });
    const ended = followTurn({
      client,
      sessionId,
      promptId,
      after,
      signal: stopping.signal,
      onEvent: (event, line) => {
        if (json) output.rawLine(line);
        else transcript.show(event);
        if (event.kind === "ask-opened") asker.opened(event as Parameters<Asker["opened"]>[0]);
        if (event.kind === "ask-settled")
          asker.settled(String((event as { askId: unknown }).askId));
      },
    });
    try {
      const stopReason = await Promise.race([ended, asker.failed]);
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

  /** Takes the rules back, and ends a session that was only opened for this. */
  async leave(): Promise<void> {
    const { client, sessionId, given } = this.#facts;
    for (const id of this.#rules) await client.delete(`/api/rules/${encodeURIComponent(id)}`);
    if (given.session === undefined) await client.delete(sessionPath(sessionId));
  }

  get #isAttended(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY && this.#facts.given.json !== true;
  }

  #asker(): Asker {
    const { output, options, given, client, sessionId } = this.#facts;
    return new Asker({
      output,
      limits: options.limits,
      yes: given.yes === true,
      person: this.#isAttended ? { input: process.stdin, screen: process.stderr } : null,
      noRule: (askId) => this.#noRule(askId),
      page: options.publicUrl ?? client.url,
      answer: (askId, answer) =>
        client.post(sessionPath(sessionId, `/asks/${encodeURIComponent(askId)}`), answer),
    });
  }

  async #noRule(askId: string): Promise<string | null> {
    const { client, sessionId } = this.#facts;
    const path = sessionPath(sessionId, `/asks/${encodeURIComponent(askId)}/rules`);
    const { rules, reason } = (await client.get(path)) as RuleSuggestions;
    return rules.length > 0 ? null : (reason ?? "It can't be named in a rule.");
  }

  /** The first time the agent is asked to stop; the second time nobody waits for it. */
  #interrupted(count: number, stopping: AbortController): void {
    const { output, client, sessionId } = this.#facts;
    if (count > 2) process.exit(exitCode.cancelled);
    if (count > 1) return stopping.abort();
    output.note("Cancelling; once more ends it at once.", "yellow");
    client.post(sessionPath(sessionId, "/cancel")).catch(() => stopping.abort());
  }
}

interface ReachedGateway extends AsyncDisposable {
  readonly client: GatewayClient;
}

async function reachGateway(options: GatewayOptions, isNewAgent: boolean): Promise<ReachedGateway> {
  const running = await findGateway(options);
  if (running && isNewAgent)
    throw new LandlineError("invalid-params", {
      message: `The gateway at ${running.url} runs already, and takes no new agents from here.`,
      help: "Add the agent to the config, or name another data folder with --data.",
    });
  if (running) return { client: running, [Symbol.asyncDispose]: async () => {} };
  const logLevel = options.logLevel === "info" ? "error" : options.logLevel;
  const own = await startOwnGateway({ ...options, port: 0, logLevel });
  return {
    client: new GatewayClient(own, options.limits),
    [Symbol.asyncDispose]: () => own.close(),
  };
}

async function enterSession(
  client: GatewayClient,
  agent: string,
  { session, cwd = "." }: RunOptions,
): Promise<SessionSummary> {
  if (session !== undefined) {
    const sessionId = await sessionIdOf(client, session);
    return (await client.get(sessionPath(sessionId))) as SessionSummary;
  }
  const opened = (await client.post("/api/sessions", {
    agent,
    cwd: resolve(cwd),
  })) as SessionSummary;
  return { ...opened, head: 0 };
}

async function promptText(typed: string | undefined): Promise<string> {
  const isFromStdin = typed === "-" || (typed === undefined && !process.stdin.isTTY);
  const prompt = isFromStdin ? await text(process.stdin) : (typed ?? "");
  if (prompt.trim() !== "") return prompt;
  throw new LandlineError("invalid-params", {
    message: "There is nothing to say.",
    help: 'Give a prompt: landline run "explain this folder" --agent ID, or pipe one in.',
  });
}
