import { writeFile } from "node:fs/promises";
import { loadConfig } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { sessionIdOf } from "../session-list.ts";

interface ExportOptions extends PlaceOptions {
  readonly format: "json" | "md" | "html";
  readonly output?: string;
}

const formats = { json: "json", md: "markdown", html: "html" } as const;

export async function exportSession(
  { output }: CommandContext,
  session: string,
  { format, output: file, ...place }: ExportOptions,
): Promise<number> {
  const { api } = await requireGateway(await loadConfig({ flags: place }));
  const sessionId = await sessionIdOf(api, session);
  const text = await api.text("export", { sessionId, format: formats[format] });
  if (file === undefined) {
    output.rawLine(text.replace(/\n$/, ""));
    return exitCode.done;
  }
  try {
    // A conversation may be confidential, and must not replace an existing file.
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LandlineError("invalid-params", {
      message: `${file}: ${code === "EEXIST" ? "the file already exists" : `can't be written (${code})`}.`,
      help: "Choose another name with --output.",
      cause: error,
    });
  }
  output.note(`Written to ${file}.`);
  return exitCode.done;
}
