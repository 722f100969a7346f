import { isObject, type JsonObject } from "./json.ts";
import { capability } from "./options.ts";
import { invalidParams, notSupported, Refusal } from "./refusal.ts";
import type { Scenario } from "./scenario.ts";
import type { SessionStore } from "./sessions.ts";

/** Checks what the client may call: `initialize` first, sign-in if required, and only offered capabilities. */
export class ClientAccess {
  readonly #scenario: Scenario;
  #client: JsonObject | undefined;
  readonly #store: Pick<SessionStore, "isSignedIn" | "forgetSignIn">;
  #signedIn = false;

  constructor(scenario: Scenario, store: Pick<SessionStore, "isSignedIn" | "forgetSignIn">) {
    this.#scenario = scenario;
    this.#store = store;
  }

  clientCapabilities(): JsonObject {
    const capabilities = this.#client?.["clientCapabilities"];
    return isObject(capabilities) ? capabilities : {};
  }

  /** The params of `initialize`. */
  clientParams(): JsonObject {
    return this.#client ?? {};
  }

  initialize(params: JsonObject): JsonObject {
    if (typeof params["protocolVersion"] !== "number") {
      throw invalidParams("protocolVersion: expected a number");
    }
    this.#client = params;
    return { protocolVersion: 1, ...this.#scenario.initialize };
  }

  authenticate(params: JsonObject): void {
    const methods = this.#scenario.initialize?.["authMethods"];
    const known = Array.isArray(methods) ? methods.filter(isObject) : [];
    if (!known.some((method) => method["id"] === params["methodId"])) {
      throw invalidParams("methodId: no such sign-in method");
    }
    this.#signedIn = true;
  }

  logout(): void {
    this.requireCapability("auth.logout", "logout");
    this.#signedIn = false;
    this.#store.forgetSignIn();
  }

  requireInitialized(): void {
    if (this.#client === undefined) {
      throw new Refusal({ code: -32600, message: "initialize must be called first" });
    }
  }

  requireSignIn(): void {
    if (this.#scenario.authentication !== "required") return;
    if (!this.#signedIn && !this.#store.isSignedIn) {
      throw new Refusal({ code: -32000, message: "Authentication required" });
    }
  }

  requireCapability(path: string, method: string): void {
    const capabilities = this.#scenario.initialize?.["agentCapabilities"];
    if (!isObject(capabilities) || !capability(capabilities, path)) throw notSupported(method);
  }
}
