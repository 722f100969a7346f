import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Output, withoutControls } from "./output.ts";

/** One screen for both streams, as on a terminal; or two pipes. */
function screen(isTTY: boolean) {
  let out = "";
  let err = "";
  const stream = (keep: (text: string) => void) =>
    Object.assign(new PassThrough(), { isTTY }).on("data", (chunk: Buffer) =>
      keep(chunk.toString()),
    );
  const stdout = stream((text) => (out += text));
  const stderr = stream((text) => {
    err += text;
    if (isTTY) out += text;
  });
  return { output: new Output(stdout, stderr), out: () => out, err: () => err };
}

describe("on a terminal", () => {
  it("notes and the answer never share a line", () => {
    const { output, out } = screen(true);
    output.text("Hel");
    output.text("lo");
    output.note("● tool");
    output.noteText("thinking");
    output.text("there");
    output.endLine();
    output.endLine();
    expect(out()).toBe("Hello\n● tool\nthinking\nthere\n");
  });

  it("an agent's output cannot control the terminal", () => {
    const { output, out } = screen(true);
    output.text("a\u001b[2Jb\u009b1mc\u202Ed\re\tf\n");
    expect(out()).toBe("a[2Jb1mcde\tf\n");
  });
});

describe("in a pipe", () => {
  it("the answer is printed byte for byte, and notes go to stderr", () => {
    const { output, out, err } = screen(false);
    output.text("a\u001b[1mb\r\n");
    output.text("c");
    output.note("note", "red");
    output.text("d");
    expect(out()).toBe("a\u001b[1mb\r\ncd");
    expect(err()).toBe("note\n");
  });

  it("data for programs is one line each", () => {
    const { output, out } = screen(false);
    output.json({ text: "a\nb" });
    output.rawLine('{"seq":1}');
    expect(out()).toBe('{"text":"a\\nb"}\n{"seq":1}\n');
  });
});

it("keeps characters that are not control characters", () => {
  expect(withoutControls("Grüße, 世界 👋\n\t")).toBe("Grüße, 世界 👋\n\t");
});
