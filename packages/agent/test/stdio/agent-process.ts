import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Persona, Wire, type PersonaName } from "@landline/testing";
import { cleanEnvironment } from "../acp/connected-client.ts";

const program = fileURLToPath(new URL("program.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The agent in its own process with its own home. Records every line of its output. */
export class AgentProcess implements AsyncDisposable {
  readonly home: string;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
  /** Its output, line by line. */
  readonly lines: string[] = [];
  readonly wire = new Wire();
  stderr = "";

  private constructor(
    home: string,
    child: ChildProcessByStdio<Writable, Readable, Readable>,
    prints: "messages" | "text",
  ) {
    this.home = home;
    this.child = child;
    this.ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    let rest = "";
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.lines.push(line);
        if (prints === "messages")
          this.wire.note("agent", JSON.parse(line) as Record<string, unknown>);
      }
    });
  }

  static async start(
    args: readonly string[] = [],
    environment: Record<string, string> = {},
    prints: "messages" | "text" = "messages",
  ): Promise<AgentProcess> {
    const home = await mkdtemp(join(tmpdir(), "landline-agent-"));
    await mkdir(join(home, "project"));
    const child = spawn(process.execPath, ["--conditions=@landline/source", program, ...args], {
      cwd: join(home, "project"),
      env: { ...cleanEnvironment(home), ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    return new AgentProcess(home, child, prints);
  }

  get cwd(): string {
    return join(this.home, "project");
  }

  /** A client with the official SDK, connected to its pipes. */
  visitor(name: PersonaName): Persona {
    const persona = new Persona(name);
    persona.connect(
      ndJsonStream(
        Writable.toWeb(this.child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
    return persona;
  }

  raw(text: string): void {
    this.child.stdin.write(text);
  }

  send(message: Record<string, unknown>): void {
    const whole = { jsonrpc: "2.0", ...message };
    this.wire.note("client", whole);
    this.raw(`${JSON.stringify(whole)}\n`);
  }

  async request(id: number, method: string, params: object): Promise<Record<string, unknown>> {
    this.send({ id, method, params });
    return this.wire.until((message) => message["id"] === id && message["method"] === undefined);
  }

  async initialize(clientCapabilities: object = {}): Promise<void> {
    await this.request(0, "initialize", { protocolVersion: 1, clientCapabilities });
  }

  async open(): Promise<string> {
    const { result } = await this.request(1, "session/new", { cwd: this.cwd, mcpServers: [] });
    return (result as { sessionId: string }).sessionId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.ended;
    await rm(this.home, { recursive: true, force: true });
  }
}
