import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { type EventBody, LandlineError, limitsOf } from "@landline/protocol";
import { afterEach, beforeEach } from "vitest";
import type { AskOutcome } from "../../src/acp-client/permissions/request-outcome.ts";
import {
  type UserRequestOptions,
  UserRequests,
} from "../../src/acp-client/permissions/user-requests.ts";
import type { SessionContext } from "../../src/acp-client/session-context.ts";
import { NamedCalls } from "../../src/acp-client/permissions/named-calls.ts";
import { openRules, type Rules } from "../../src/acp-client/permissions/rules.ts";

interface DeskOptions extends Partial<UserRequestOptions> {
  readonly limits?: SessionContext["limits"];
  readonly rules?: Rules;
}

/** For each test a folder with rules, and requests with a log in memory that can refuse. */
export function usePermissions() {
  const place = { folder: "", rules: undefined as unknown as Rules, desk };
  beforeEach(async () => {
    place.folder = await mkdtemp(join(await realpath(tmpdir()), "landline-asks-"));
    place.rules = await openRules(join(place.folder, "rules.json"));
  });
  afterEach(() => rm(place.folder, { recursive: true }));

  function desk(deskOptions: DeskOptions = {}) {
    const events: EventBody[] = [];
    const log = { refuses: false };
    const context: SessionContext = {
      sessionId: "session-1",
      agent: "claude",
      cwd: place.folder,
      roots: [place.folder],
      limits: deskOptions.limits ?? limitsOf("default"),
      record: (...bodies) => {
        if (log.refuses) throw new LandlineError("disk-full");
        events.push(...bodies);
      },
    };
    const asks = new UserRequests(context, deskOptions.rules ?? place.rules, {
      calls: new NamedCalls(),
      ...deskOptions,
    });
    const lastId = () => asks.open.at(-1)!.askId;
    return { asks, events, log, lastId };
  }

  return place;
}

export const options: PermissionOption[] = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** A request to run `npm test`. */
export function permission(
  change: Partial<RequestPermissionRequest> = {},
): RequestPermissionRequest {
  const rawInput = { command: "npm test" };
  return {
    sessionId: "agent-session",
    toolCall: { toolCallId: "call-1", kind: "execute", title: "npm test", rawInput },
    options,
    ...change,
  };
}

export const form: CreateElicitationRequest = {
  sessionId: "agent-session",
  mode: "form",
  message: "Which?",
  requestedSchema: { required: ["name"], properties: { name: { type: "string" } } },
};

export const page: CreateElicitationRequest = {
  sessionId: "agent-session",
  mode: "url",
  message: "Sign in",
  elicitationId: "e-1",
  url: "https://example.com/sign-in",
};

export const forever = () => new AbortController().signal;

export const selected = (optionId: string, meta?: Record<string, unknown>): AskOutcome => ({
  outcome: "selected",
  optionId,
  ...(meta === undefined ? {} : { _meta: meta }),
});

/** The code of the thrown error. */
export function codeOf(action: () => void): unknown {
  try {
    return action();
  } catch (error) {
    return error instanceof LandlineError ? error.code : error;
  }
}

/** The same rules, and a promise that resolves when they were evaluated and applied. */
export function watched(rules: Rules) {
  const asked = Promise.withResolvers<void>();
  const watchedRules: Rules = {
    list: () => rules.list(),
    add: (rule) => rules.add(rule),
    remove: (id) => rules.remove(id),
    describe: (rule) => rules.describe(rule),
    notes: (rule) => rules.notes(rule),
    uncoveredReasons: (facts) => rules.uncoveredReasons(facts),
    damage: null,
    acknowledgeDamage: () => rules.acknowledgeDamage(),
    watchDamage: (listener) => rules.watchDamage(listener),
    decide(facts) {
      setImmediate(asked.resolve);
      return rules.decide(facts);
    },
  };
  return { rules: watchedRules, asked: asked.promise };
}
