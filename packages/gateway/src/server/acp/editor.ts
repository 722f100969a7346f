import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { setNewest } from "@landline/system/evict-oldest";
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
  /** Whether it shows questions that are answered on a web page. */
  readonly #opensPages: boolean;
  /** Its ids of terminals of the sessions. */
  readonly #terminals = new Map<string, string>();

  constructor(connection: AgentConnection, capabilities: ClientCapabilities, info: unknown) {
    this.#connection = connection;
    this.name = nameOf(info);
    this.readsFiles = capabilities.fs?.readTextFile === true;
    this.writesFiles = capabilities.fs?.writeTextFile === true;
    this.opensTerminals = capabilities.terminal === true;
    this.#opensPages = Boolean(capabilities.elicitation?.url);
  }

  noteTerminal(terminalId: string, editorTerminalId: string): void {
    setNewest(this.#terminals, [terminalId, editorTerminalId], terminalsKept);
  }

  /** The id by which the client knows a terminal; undefined if the terminal is elsewhere. */
  terminalOf(terminalId: string): string | undefined {
    return this.#terminals.get(terminalId);
  }

  notify(method: string, params: object): void {
    if (method !== "elicitation/complete" || this.#opensPages)
      this.#connection.notify(method, params);
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return this.#connection.request(method, params, { signal });
  }
}

/** A further update about an older terminal contains its output as text. */
const terminalsKept = 1_000;

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
