import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createLogger, type LoggerOptions } from "./logger.ts";

const secret = "Zx81kQ0vB7nM3pL5tR9w";

function logged(options: Partial<LoggerOptions> = {}) {
  const stream = new PassThrough({ encoding: "utf8" });
  const logger = createLogger({ level: "debug", stream, ...options });
  const text = () => (stream.read() as string | null) ?? "";
  const lines = () =>
    text()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, text };
}

describe("the logger", () => {
  it("writes one JSON object per line", () => {
    const { logger, lines } = logged();
    logger.info("listening", { port: 3001 });
    logger.error("bad\nluck");
    expect(lines()).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        message: "listening",
        port: 3001,
      },
      { level: "error", time: expect.any(String), message: "bad\nluck" },
    ]);
  });

  it.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
    ["silent", []],
  ] as const)("at level %s writes %j", (level, expected) => {
    const { logger, lines } = logged({ level });
    for (const each of ["debug", "info", "warn", "error"] as const) logger[each]("x");
    expect(lines().map((line) => line["level"])).toEqual(expected);
  });

  it("has children that add fields to every line", () => {
    const { logger, lines } = logged();
    const child = logger.child({ sessionId: "s" }).child({ requestId: 5 });
    child.warn("late", { requestId: 6, more: true });
    expect(lines()).toMatchObject([{ sessionId: "s", requestId: 6, more: true, message: "late" }]);
  });

  it("masks secrets in messages, fields, children and errors", () => {
    const { logger, text } = logged();
    const child = logger.child({ headers: { "x-a": secret } });
    child.info(`Bearer ${secret}`, {
      token: secret,
      mcpServers: [{ name: "m", env: [{ name: "A", value: secret }] }],
      error: new Error(`?token=${secret}`),
    });
    const written = text();
    expect(written).not.toContain(secret);
    expect(written.match(/\[masked\]/g)?.length).toBeGreaterThanOrEqual(5);
  });

  it("never throws for any value", () => {
    const { logger, lines } = logged();
    const circle: Record<string, unknown> = { big: 5n };
    circle["self"] = circle;
    logger.info("odd", circle);
    logger.info("worse", {
      get field(): never {
        throw new Error("no");
      },
    });
    expect(lines().map((line) => line["message"])).toEqual(["odd", "worse"]);
  });

  it("writes readable text for a terminal", () => {
    const { logger, text } = logged({ pretty: true });
    logger.child({ sessionId: "s-1" }).warn("slow", { waitMs: 5, why: "two words", token: "x" });
    expect(text()).toMatch(
      /^\d\d:\d\d:\d\d warn {2}slow sessionId=s-1 waitMs=5 why="two words" token="\[masked\]"\n$/,
    );
  });

  it("writes every line to stderr and none to stdout, even if the process exits at once", () => {
    const run = spawnSync(process.execPath, lineLogger("process.exit(0);"), spawning);
    expect(run.stdout).toBe("");
    const lines = run.stderr.trim().split("\n");
    expect(lines).toHaveLength(1_000);
    expect(JSON.parse(lines[999]!)).toMatchObject({ message: "line", line: 999 });
  });

  it("writes buffered lines before a crash ends the process", () => {
    const run = spawnSync(process.execPath, lineLogger("throw new Error('crash');"), spawning);
    expect(run.stderr.match(/"message":"line"/g)).toHaveLength(1_000);
    expect(run.stderr).toContain("Error: crash");
  });

  it("writes buffered lines while the process keeps running", async () => {
    const text = await stderrUntil(lineLogger(livingOn), '"line":999');
    expect(text.match(/"message":"line"/g)).toHaveLength(1_000);
  });

  it.each(["warn", "error"])("writes a %s, and the lines before it, at once", async (level) => {
    const ending = `logger.${level}("bad"); ${livingOn}`;
    const text = await stderrUntil(lineLogger(ending, 3_600_000), '"message":"bad"');
    expect(text).toContain('"line":999');
  });

  it("writes lines that are logged during a write at once after it", async () => {
    const ending = `logger.error("first"); logger.error("second"); ${livingOn}`;
    const text = await stderrUntil(lineLogger(ending, 3_600_000, 0), '"message":"second"');
    expect(text).toContain('"message":"first"');
  });
});

const spawning = { encoding: "utf8", maxBuffer: 8 * 1_024 * 1_024 } as const;
const livingOn = "setInterval(() => {}, 1_000);";

/** Arguments for a program that logs some lines and then runs `ending`. */
function lineLogger(ending: string, logHeldMs = 100, lines = 1_000): string[] {
  const program = `
    import { limitsOf } from "@landline/protocol";
    import { createLogger } from ${JSON.stringify(new URL("logger.ts", import.meta.url).href)};
    const limits = limitsOf("default", { logHeldMs: ${logHeldMs} });
    const logger = createLogger({ level: "info", limits });
    for (let line = 0; line < ${lines}; line += 1) logger.info("line", { line });
    ${ending}
  `;
  return ["--conditions=@landline/source", "--input-type=module", "--eval", program];
}

async function stderrUntil(program: readonly string[], awaited: string): Promise<string> {
  const child = spawn(process.execPath, program);
  const ended = once(child, "close");
  try {
    let text = "";
    for await (const chunk of child.stderr.setEncoding("utf8")) {
      text += chunk as string;
      if (text.includes(awaited)) break;
    }
    return text;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}
