import type { AuthMethod } from "@agentclientprotocol/sdk";
import { LandlineError } from "@landline/protocol";
import { describe, expect, it } from "vitest";
import type { AgentEntry } from "../agents/agent.ts";
import { shownCall } from "../agents/terminal-process.ts";
import { signInNeeded, signInStep } from "./sign-in-method.ts";

const base = {
  id: "one",
  name: "One",
  withhold: { files: false, terminals: false },
  terminalSandbox: null,
  quirks: { missingFileIsEmpty: false, relativePaths: false },
};
const local: AgentEntry = { ...base, kind: "process", command: "one", args: ["--acp"], env: {} };
const endpoint: AgentEntry = { ...base, kind: "endpoint", endpoint: "tcp://127.0.0.1:1" };

function refusal(method: object, entry = endpoint): LandlineError {
  const offered = { id: "m", name: "Method", ...method } as AuthMethod;
  try {
    signInStep(entry, [offered], "m");
  } catch (error) {
    if (error instanceof LandlineError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("a method", () => {
  it("without a type is performed by the agent", () => {
    const method = { id: "m", name: "Method", _meta: { "api-key": { provider: "p" } } };
    expect(signInStep(local, [method], "m")).toEqual({ method, call: null });
  });

  it.each([
    [
      "its arguments come after the agent's",
      { type: "terminal", args: ["--login"] },
      "one --acp --login",
    ],
    ["without arguments", { type: "terminal" }, "one --acp"],
    [
      "with variables",
      { type: "terminal", args: ["login"], env: { HOME_OF: "/a b", "no name": "x" } },
      "HOME_OF='/a b' one --acp login",
    ],
    [
      "marked outside the schema",
      { _meta: { type: "terminal", args: ["--auth=x"] } },
      "one --acp --auth=x",
    ],
    [
      "with its own command",
      { _meta: { "terminal-auth": { command: "two", args: ["login"] } } },
      "two login",
    ],
  ])("for a terminal has a program: %s", (_what, more, shown) => {
    const method = { id: "m", name: "Method", ...more } as AuthMethod;
    const { call } = signInStep(local, [method], "m");
    expect(call && shownCall(call)).toBe(shown);
  });

  it("for a terminal that names no program is refused", () => {
    const { code } = refusal({ _meta: { "terminal-auth": { command: 1 } } }, local);
    expect(code).toBe("tool-disabled");
  });

  it("for a terminal of a remote agent is described", () => {
    const method = { type: "terminal", description: "Run `one login`" };
    expect(refusal(method, endpoint).help).toBe("Sign in where the agent runs (Run `one login`).");
  });

  it.each([
    [{ vars: [{ name: "A_KEY" }, { name: "B_KEY" }] }, "A_KEY, B_KEY"],
    [{ vars: "nonsense" }, "what m needs"],
    [{}, "what m needs"],
  ])("by variables names them: %j", (more, named) => {
    const { code, help } = refusal({ type: "env_var", ...more });
    expect(code).toBe("tool-disabled");
    expect(help).toMatch(new RegExp(`^Set ${named} in the gateway's environment`));
  });

  it("that the agent does not have is refused with a list", () => {
    const refuse = (methods: AuthMethod[]) => () => signInStep(local, methods, "other");
    expect(refuse([])).toThrow(expect.objectContaining({ code: "invalid-params" }));
    expect(refuse([{ id: "m", name: "Method" }])).toThrow(
      expect.objectContaining({ help: 'Its methods are "Method" (m).' }),
    );
  });
});

describe("a required sign-in", () => {
  const error = new LandlineError("auth-required", { message: "No account" });

  it("lists every method", () => {
    const methods = [
      { id: "a", name: "A" },
      { id: "b", name: "B", type: "terminal", args: ["login"] },
    ] as AuthMethod[];
    expect(signInNeeded(local, methods, error)).toMatchObject({
      code: "auth-required",
      message: "One wants you to sign in first. It says: No account",
      help: `Sign in and try again. Choose one of its methods: "A" (a), "B" (b). Or: Run this in a terminal on the gateway's machine: \`one --acp login\`.`,
      data: { agent: "one", signInMethods: ["a", "b"] },
    });
  });

  it("without methods refers to the agent's own command", () => {
    expect(signInNeeded(local, [], error).help).toMatch(/the agent's own command/);
  });
});
