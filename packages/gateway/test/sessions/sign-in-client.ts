import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentProgress, AgentSummary } from "@landline/protocol";
import { WebSocket } from "ws";
import { TestClient, type Frame } from "../server/socket-client.ts";

/** A client that signs in to one agent over `landline.v1`. */
export class SignInClient implements Disposable {
  readonly client: TestClient;
  readonly #agent: string;
  #read = 0;

  private constructor(client: TestClient, agent: string) {
    this.client = client;
    this.#agent = agent;
  }

  static async open(
    { url, token }: { readonly url: string; readonly token: string },
    agent: string,
  ): Promise<SignInClient> {
    const address = `${url.replace("http", "ws")}/ws?token=${token}`;
    const client = new TestClient(new WebSocket(address, ["landline.v1"]));
    await client.opened;
    return new SignInClient(client, agent);
  }

  signIn(methodId: string): Promise<Frame> {
    return this.client.ask("sign-in", { agent: this.#agent, methodId });
  }

  answer(outcome: unknown, questionId?: string): Promise<Frame> {
    const named = questionId === undefined ? {} : { questionId };
    return this.client.ask("answer-sign-in", { agent: this.#agent, outcome, ...named });
  }

  cancel(): Promise<Frame> {
    return this.client.ask("cancel-sign-in", { agent: this.#agent });
  }

  /** The next matching progress that was not read yet. */
  async shown(fits: (progress: AgentProgress) => boolean): Promise<AgentProgress> {
    const { frames } = this.client;
    let found: AgentProgress | null = null;
    await this.client.until((frame) => {
      if (frames.indexOf(frame) < this.#read || frame.type !== "agents") return false;
      const agents = frame["agents"] as readonly AgentSummary[];
      const progress = agents.find(({ id }) => id === this.#agent)?.progress;
      if (!progress || !fits(progress)) return false;
      this.#read = frames.indexOf(frame) + 1;
      found = progress;
      return true;
    });
    return found!;
  }

  /** Starts a sign-in in a terminal, and views it. */
  async inTerminal(
    methodId: string,
  ): Promise<{ readonly terminalId: string; reply: Promise<Frame> }> {
    const reply = this.signIn(methodId);
    // A test that ends the gateway awaits no reply.
    reply.catch(() => {});
    const { terminalId = "" } = await this.shown((progress) => progress.terminalId !== undefined);
    await this.attach(terminalId);
    // In an object, so that it is not awaited.
    return { terminalId, reply };
  }

  attach(terminalId: string): Promise<Frame> {
    return this.client.ask("terminal-attach", { terminalId });
  }

  type(terminalId: string, text: string): Promise<Frame> {
    return this.client.ask("terminal-input", { terminalId, text });
  }

  resize(terminalId: string, columns: number, rows: number): Promise<Frame> {
    return this.client.ask("terminal-resize", { terminalId, columns, rows });
  }

  /** Everything that the terminal has shown to this client. */
  screen(terminalId: string): string {
    return this.client.frames
      .filter((frame) => frame.type === "terminal" && frame["terminalId"] === terminalId)
      .map((frame) => frame["text"] as string)
      .join("");
  }

  /** Resolves when the terminal has shown it. */
  async sees(terminalId: string, text: string): Promise<void> {
    if (this.screen(terminalId).includes(text)) return;
    await this.client.until(
      (frame) => frame.type === "terminal" && this.screen(terminalId).includes(text),
    );
  }

  [Symbol.dispose](): void {
    this.client.leave();
  }
}

/** The files in a folder that contain this text. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}
