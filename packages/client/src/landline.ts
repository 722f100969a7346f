import type { AgentSummary, GatewayFrame } from "@landline/protocol";
import { WritableStore, reuseIfEqual } from "./writable-store.ts";
import { methodsOfGateway, type GatewayMethods } from "./command-methods.ts";
import { Commands, type Changed } from "./commands.ts";
import type { Api } from "./api.ts";
import { fixedCredential, type Credential } from "./credential.ts";
import type { Landline, LandlineOptions, QuestionOutcome } from "./contract.ts";
import { FrameClock } from "./frame-clock.ts";
import { gatewayAddress, type GatewayAddress } from "./gateway-address.ts";
import { CurrentUser } from "./current-user.ts";
import { Http } from "./http.ts";
import { httpApi } from "./http-api.ts";
import { Connection } from "./connection.ts";
import { defaultStorage, StoredOutbox } from "./stored-outbox.ts";
import { Outbox } from "./outbox.ts";
import { PageCredential, takeLink } from "./page-credential.ts";
import { Poll } from "./poll.ts";
import { longestMs } from "./problem.ts";
import { LoadedSessions } from "./session-list.ts";
import { SessionRegistry } from "./session-registry.ts";
import { ListenedTerminal } from "./sign-in-terminal.ts";
import { defaultTiming, type Timing } from "./timing.ts";

/** Connects immediately. A page needs no options; other programs pass `url` and `token`. */
export function createLandline(options: LandlineOptions = {}): Landline {
  return connectLandline(options, defaultTiming);
}

/** With other timeouts, for tests. */
export function connectLandline(options: LandlineOptions, timing: Timing): Landline {
  const commandMs = Math.min(options.commandMs ?? timing.commandMs, longestMs);
  const landline = new ConnectedLandline(options, { ...timing, commandMs });
  return Object.assign(landline, methodsOfGateway(landline.commands));
}

/** Only `api`: it keeps no connection, so there is nothing to close. */
export function createApi(options: LandlineOptions): Api {
  return httpApi(httpOf(options, defaultTiming));
}

function httpOf(options: LandlineOptions, timing: Timing): Http {
  const address = gatewayAddress(options);
  return new Http(address, credentialOf(options, address), timing, options.fetch);
}

/** Without a token or an address, a page authenticates with its own key. */
function credentialOf({ credential, url }: LandlineOptions, address: GatewayAddress): Credential {
  if (credential) return credential;
  const isPage = url === undefined && globalThis.document !== undefined;
  if (address.token !== null || !isPage) return fixedCredential(address.token);
  return new PageCredential(address, takeLink(address));
}

class ConnectedLandline implements Omit<Landline, keyof GatewayMethods> {
  readonly api: Api;
  readonly me: CurrentUser;
  readonly sessions: LoadedSessions;
  readonly agents = new WritableStore<readonly AgentSummary[] | null>(null);
  readonly #timing: Timing;
  readonly #http: Http;
  readonly #line: Connection;
  readonly commands: Commands;
  readonly #outbox: Outbox;
  readonly #clock: FrameClock;
  readonly #registry: SessionRegistry;
  readonly #terminals = new Map<string, ListenedTerminal>();
  readonly #agentsPoll: Poll;
  readonly #mePoll: Poll;
  readonly #polls: readonly Poll[];
  #signIns = 0;

  constructor(options: LandlineOptions, timing: Timing) {
    this.#http = httpOf(options, timing);
    const { address } = this.#http;
    this.#timing = timing;
    const changed = (what: Changed) =>
      (what === "agents" ? this.#agentsPoll : this.#mePoll).askNow();
    this.api = httpApi(this.#http, changed);
    this.me = new CurrentUser(this.api);
    this.sessions = new LoadedSessions(this.api, timing);
    this.#clock = new FrameClock(timing.drawMs);
    this.#line = new Connection(this.#http, options.transport, timing);
    this.commands = new Commands(this.#line, timing, changed);
    this.#outbox = new Outbox({
      line: this.#line,
      commands: this.commands,
      stored: new StoredOutbox(options.storage ?? defaultStorage(), address.key),
      timing,
      isFollowed: (sessionId) => this.#registry.isAttached(sessionId),
    });
    this.#registry = new SessionRegistry({
      line: this.#line,
      commands: this.commands,
      outbox: this.#outbox,
      api: this.api,
      clock: this.#clock,
      timing,
    });
    this.#agentsPoll = new Poll(
      this.#line,
      this.agents,
      () => (this.#isSigningIn ? timing.signInPollMs : timing.agentsPollMs),
      async () => this.#putAgents((await this.api.listAgents()).agents),
    );
    this.#mePoll = new Poll(
      this.#line,
      this.me,
      () => timing.mePollMs,
      () => this.me.ask(),
    );
    this.#polls = [
      this.#agentsPoll,
      this.#mePoll,
      new Poll(
        this.#line,
        this.sessions,
        () => timing.sessionsPollMs,
        () => this.sessions.refresh(),
      ),
    ];
    this.#line.onFrame.add((frame) => this.#hear(frame));
    this.#line.onOnline.add(() => {
      for (const terminal of this.#terminals.values()) if (terminal.isHeard) terminal.attach();
    });
  }

  get connection() {
    return this.#line.connection;
  }

  session(sessionId: string) {
    return this.#registry.handle(sessionId);
  }

  async signIn(agent: string, methodId: string): Promise<void> {
    const { signInMs: withinMs } = this.#timing;
    this.#signIns += 1;
    try {
      const signedIn = this.commands.run("sign-in", { agent, methodId }, { withinMs });
      this.#agentsPoll.askNow();
      await signedIn;
    } finally {
      this.#signIns -= 1;
    }
  }

  async answerSignIn(agent: string, outcome: QuestionOutcome): Promise<void> {
    const questionId = this.agents.getSnapshot()?.find(({ id }) => id === agent)
      ?.progress?.questionId;
    // Without the id, it could answer the next question.
    await this.commands.run("answer-sign-in", { agent, outcome, questionId });
  }

  terminal(terminalId: string): ListenedTerminal {
    const known = this.#terminals.get(terminalId);
    if (known) return known;
    // A terminal without listeners has no state.
    for (const [id, { isHeard }] of this.#terminals) if (!isHeard) this.#terminals.delete(id);
    const { terminalLength } = this.#timing;
    const terminal = new ListenedTerminal(terminalId, this.#line, this.commands, terminalLength);
    this.#terminals.set(terminalId, terminal);
    return terminal;
  }

  reconnect(): void {
    this.#line.reconnect();
  }

  close(): void {
    this.#line.close();
    for (const poll of this.#polls) poll.close();
    this.#registry.close();
    this.#outbox.close();
    this.#clock.close();
    this.#http.close();
  }

  /** In this client or, as far as known, in another. */
  get #isSigningIn(): boolean {
    const agents = this.agents.getSnapshot() ?? [];
    return this.#signIns > 0 || agents.some(({ progress }) => Boolean(progress));
  }

  #hear(frame: GatewayFrame): void {
    if (frame.type === "sessions") this.sessions.hear(frame.sessions, frame.gone);
    else if (frame.type === "agents") this.#putAgents(frame.agents);
    else if (frame.type === "people") this.me.hear({ people: frame.people });
    else if (frame.type === "rules-damage") this.me.hear({ rulesDamage: frame.damage });
    else if (frame.type === "terminal") this.#terminals.get(frame.terminalId)?.hear(frame.text);
  }

  #putAgents(agents: readonly AgentSummary[]): void {
    this.agents.set(reuseIfEqual(this.agents.getSnapshot(), agents));
  }
}
