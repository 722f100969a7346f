import type { ModelInfo } from "../model/model.ts";
import type { Answer } from "./http-get.ts";
import { pageText } from "./html-to-text.ts";
import { ToolFailure, type ToolResult } from "./tool.ts";

/** Characters of an error page that the model gets. */
const errorCharacters = 1_000;

export interface FetchedPage {
  answer: Answer;
  url: URL;
  passed: readonly string[];
  format: "markdown" | "text" | "html";
  info: ModelInfo;
}

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const textTypes =
  /^text\/|^application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|ecmascript|toml|x-sh|graphql|sql|x-ndjson))$|\+(?:json|xml|yaml)$/;

/** The result for the model. Throws ToolFailure for HTTP errors and unreadable content. */
export async function pageResult(page: FetchedPage, signal: AbortSignal): Promise<ToolResult> {
  const { answer, url, passed } = page;
  if (answer.status < 200 || answer.status > 299) throw refused(page);
  const note = passed.length === 0 ? "" : `(${[...passed, url.href].join(" redirects to ")})\n\n`;
  const metadata = {
    url: url.href,
    status: answer.status,
    mimeType: answer.mimeType,
    bytes: answer.body.length,
    ...(passed.length > 0 && { redirectedFrom: passed }),
  };
  const media = mediaOf(page);
  if (media) return { ...media, output: note + media.output, metadata };
  const text = await textOf(page, signal);
  const output = text.trim() === "" ? "(The page is empty.)" : text;
  return { output: note + output, metadata };
}

function refused({ answer, url }: FetchedPage): ToolFailure {
  const isText = textTypes.test(answer.mimeType) && !isHtml(answer.mimeType);
  const said = isText ? `\n\n${decoded(answer).slice(0, errorCharacters)}` : "";
  return new ToolFailure(
    "failed",
    `${url.href} answers ${answer.status} ${answer.statusText}.${said}`.trim(),
    { status: answer.status },
  );
}

function mediaOf({ answer, url, info }: FetchedPage): Omit<ToolResult, "metadata"> | null {
  const { mimeType, body } = answer;
  const isPicture = pictures.has(mimeType);
  if (!isPicture && mimeType !== "application/pdf") return null;
  const what = isPicture ? "picture" : "document";
  if (!(isPicture ? info.takes.image : info.takes.document)) {
    throw new ToolFailure(
      "binary-file",
      `${url.href} is a ${what} (${mimeType}, ${body.length} bytes), and ${info.name} can't look at those.`,
    );
  }
  const data = body.toString("base64");
  const name = url.pathname.split("/").at(-1) || url.host;
  return {
    output: `${url.href} is a ${what} (${mimeType}, ${body.length} bytes). It is attached.`,
    attachments: [{ mimeType, data, name }],
    content: [
      {
        type: "content",
        content: isPicture
          ? { type: "image", mimeType, data }
          : { type: "resource_link", uri: url.href, name, mimeType },
      },
    ],
  };
}

async function textOf({ answer, url, format }: FetchedPage, signal: AbortSignal): Promise<string> {
  const { mimeType, body } = answer;
  const isUnnamed = mimeType === "" || mimeType === "application/octet-stream";
  const isBinary = body.subarray(0, 8_192).includes(0) && !/^utf-?16/i.test(answer.charset ?? "");
  if (isBinary || (!isUnnamed && !textTypes.test(mimeType))) {
    throw new ToolFailure(
      "binary-file",
      `${url.href} is not text (${mimeType || "of an unknown type"}, ${body.length} bytes). Download it to a file with bash (curl -o), and look at it there.`,
    );
  }
  const text = decoded(answer);
  if (format === "html" || !isHtml(mimeType)) return text;
  return pageText({ html: text, format, base: url.href }, signal);
}

function isHtml(mimeType: string): boolean {
  return mimeType === "text/html" || mimeType === "application/xhtml+xml";
}

/** Uses the server's charset, else the page's; an unknown one counts as UTF-8. */
function decoded({ body, charset, mimeType }: Answer): string {
  const start = isHtml(mimeType) ? body.toString("latin1", 0, 2_048) : "";
  const named = charset ?? /<meta[^>]{0,200}charset=["']?([\w.:-]+)/i.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(named).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
