import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { isRecord } from "@landline/system/json";
import type { Editor } from "../../acp-client/editors.ts";
import type { AgentConnection } from "../../acp-connection/connection.ts";

/** An ACP client whose files and terminals the agents of its sessions use. */
export class ConnectedEditor implements Editor {
  readonly name: string;
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly opensTerminals: boolean;
  readonly #connection: AgentConnection;

  constructor(connection: AgentConnection, capabilities: ClientCapabilities, info: unknown) {
    this.#connection = connection;
    this.name = nameOf(info);
    this.readsFiles = capabilities.fs?.readTextFile === true;
    this.writesFiles = capabilities.fs?.writeTextFile === true;
    this.opensTerminals = capabilities.terminal === true;
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancel = () => {
        if (requestId !== null) this.#connection.cancel(requestId);
      };
      const requestId = this.#connection.call(method, params, {}, ({ result, error }) => {
        signal?.removeEventListener("abort", cancel);
        if (error) reject(error);
        else resolve(result);
      });
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}

const nameLength = 60;

/** Its title or name, on one line; it is shown to people. */
function nameOf(info: unknown): string {
  const { title, name } = isRecord(info) ? info : {};
  for (const given of [title, name]) {
    const words = typeof given === "string" ? given.replace(/[\p{C}\s]+/gu, " ").trim() : "";
    if (words !== "") return words.slice(0, nameLength).toWellFormed();
  }
  return "the editor";
}
