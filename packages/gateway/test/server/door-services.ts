import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LandlineError,
  type LimitOverrides,
  limitsOf,
  type LimitsProfile,
} from "@landline/protocol";
import { openDerived } from "../../src/index/derived.ts";
import type { AddressPolicy, Services, SignInTerminal } from "../../src/server/services.ts";
import { createDoors, type Doors } from "../../src/server/server.ts";
import { openTokens, type Tokens } from "../../src/server/tokens.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import type { LogFields, Logger } from "../../src/telemetry/logger.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { FakeSessions } from "./fake-sessions.ts";

export interface TestDoorsOptions {
  readonly profile?: LimitsProfile;
  readonly limits?: LimitOverrides;
  readonly address?: Partial<AddressPolicy>;
  readonly publicUrl?: string;
  readonly readTrace?: Services["readTrace"];
  readonly terminals?: ReadonlyMap<string, SignInTerminal>;
}

export interface TestDoors extends AsyncDisposable {
  readonly doors: Doors;
  readonly services: Services;
  readonly sessions: FakeSessions;
  readonly tokens: Tokens;
  /** With the role admin. */
  readonly token: string;
  readonly folder: string;
  /** What was logged: level, words and fields. */
  readonly logged: readonly (readonly [level: string, message: string, fields?: LogFields])[];
  /** Without a socket, with the token. */
  readonly ask: (path: string, init?: AskInit) => Promise<Response>;
}

export interface AskInit {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The real doors with real tokens, rules and tables, over sessions without agents. */
export async function openTestDoors(options: TestDoorsOptions = {}): Promise<TestDoors> {
  const folder = await mkdtemp(join(tmpdir(), "landline-doors-"));
  const profile = options.profile ?? "default";
  const limits = limitsOf(profile, options.limits);
  const tokens = await openTokens(join(folder, "tokens.json"), { limits, showsLink: true });
  const sessions = new FakeSessions(limits);
  const logged: [string, string, LogFields?][] = [];
  const services: Services = {
    sessions,
    tokens,
    limits,
    profile,
    agents: {
      list: async () => [],
      watch: () => ({ [Symbol.dispose]: () => {} }),
      signInMethods: async () => [],
      signIn: async () => {},
      answerSignIn: () => {},
      cancelSignIn: async () => {},
      forgetChoices: async () => {},
      signOut: async () => {},
      terminal: (terminalId) => {
        const terminal = options.terminals?.get(terminalId);
        if (terminal) return terminal;
        throw new LandlineError("terminal-not-found");
      },
    },
    derived: openDerived(join(folder, "derived.sqlite"), { limits }),
    rules: await openRules(join(folder, "rules.json"), { limits }),
    logger: recordingLogger(logged),
    metrics: createMetrics(),
    address: { basePath: "", hosts: [], origins: [], ...options.address },
    ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
    ...(options.readTrace && { readTrace: options.readTrace }),
  };
  const doors = createDoors(services);
  const token = tokens.shown ?? "";
  return {
    doors,
    services,
    sessions,
    tokens,
    token,
    folder,
    logged,
    ask: async (path, { method = "GET", body, headers = {} } = {}) => {
      const app = await doors.app();
      return app.request(`http://localhost${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body: textOf(body) }),
      });
    },
    [Symbol.asyncDispose]: async () => {
      await doors.close();
      await sessions.close();
      services.derived.close();
      tokens[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function recordingLogger(logged: [string, string, LogFields?][]): Logger {
  const at = (level: string) => (message: string, fields?: LogFields) => {
    logged.push([level, message, ...(fields ? [fields] : [])] as [string, string, LogFields?]);
  };
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  return logger;
}
