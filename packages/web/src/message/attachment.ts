import { commandFieldRows, type Block, type SessionView } from "@landline/protocol";

/** A file that is sent with a prompt. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly kind: "image" | "audio" | "text";
  /** Base64 for an image or audio; the text itself for a text file. */
  readonly data: string;
}

/** Null before the agent has declared them: then everything is accepted. */
export type PromptCapabilities = NonNullable<
  NonNullable<SessionView["agent"]["capabilities"]>["promptCapabilities"]
> | null;

const takesNothing: NonNullable<PromptCapabilities> = {};

export function capabilitiesIn({ agent }: SessionView): PromptCapabilities {
  return agent.capabilities && (agent.capabilities.promptCapabilities ?? takesNothing);
}

const MB = 1_000_000;
/** The largest attachments that fit into one command with the text beside them. */
const lengthMost = Math.floor(commandFieldRows.textLength.default * 0.9);
export const maxAttachments = 50;

const imageTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** Spreadsheet cells and formatted text come with an image of themselves: prefer the text. */
export function pastedFiles(data: Pick<DataTransfer, "files" | "getData">): readonly File[] {
  const files = [...data.files];
  const text = data.getData("text/plain").trim();
  const isNamed = files.some(({ name }) => text.endsWith(name));
  return text === "" || isNamed ? files : [];
}

/** Why a file is rejected before it is read; null if it is not. */
export function rejectionReason(
  file: Pick<File, "name" | "type" | "size">,
  capabilities: PromptCapabilities,
): string | null {
  const name = file.name === "" ? "This" : file.name;
  if (file.size > lengthMost * 0.75)
    return `${name} has ${fileSizeText(file.size)}; at most ${fileSizeText(lengthMost * 0.75)} can be sent.`;
  const kind = mediaKindOf(file.type);
  if (kind !== null)
    return isTaken(kind, capabilities)
      ? null
      : `This agent does not accept ${nounOf[kind]}, so ${name} was not attached.`;
  if (/^(?:image|video)\//.test(file.type) && file.type !== "image/svg+xml")
    return `${name} is not a supported file type. Images can be PNG, JPEG, GIF or WebP.`;
  return null;
}

/** Why the attachments can't be sent to this agent; null if they can. They may be older than its capabilities. */
export function attachmentProblem(
  attachments: readonly Attachment[],
  capabilities: PromptCapabilities,
): string | null {
  for (const { kind, name } of attachments)
    if (kind !== "text" && !isTaken(kind, capabilities))
      return `This agent does not accept ${nounOf[kind]}. Remove ${name === "" ? "it" : name} to send the rest.`;
  return null;
}

type MediaKind = Exclude<Attachment["kind"], "text">;

const nounOf = { image: "images", audio: "audio" } as const;

function mediaKindOf(type: string): MediaKind | null {
  if (imageTypes.has(type)) return "image";
  return type.startsWith("audio/") ? "audio" : null;
}

function isTaken(kind: MediaKind, capabilities: PromptCapabilities): boolean {
  return capabilities === null || capabilities[kind] === true;
}

/** Throws a readable error for a file that is neither an image, audio nor text. */
export async function readAttachment(file: File, id: string): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const base = { id, name: file.name, bytes: bytes.length };
  const kind = mediaKindOf(file.type);
  if (kind !== null) return { ...base, kind, mimeType: file.type, data: base64(bytes) };
  return {
    ...base,
    kind: "text",
    mimeType: file.type === "" ? "text/plain" : file.type,
    data: textOf(bytes, file.name),
  };
}

/** Why this many attachments can't be sent together; null if they can. */
export function excessOf(all: readonly Attachment[]): string | null {
  if (all.length > maxAttachments)
    return `At most ${maxAttachments} files can be sent with a message.`;
  const length = all.reduce((sum, { data }) => sum + data.length, 0);
  return length > lengthMost
    ? `Together these are more than ${fileSizeText(lengthMost * 0.75)}, which is the limit for one message.`
    : null;
}

/** The content block for the agent. Text that can't be embedded is inlined. */
export function blockOf(attachment: Attachment, capabilities: PromptCapabilities): Block {
  const { kind, data, mimeType, name } = attachment;
  if (kind !== "text") return { type: kind, data, mimeType };
  if (capabilities !== null && capabilities.embeddedContext !== true)
    return { type: "text", text: fenced(name, data) };
  const uri = `attachment:${encodeURIComponent(name === "" ? "text" : name)}`;
  return { type: "resource", resource: { uri, text: data, mimeType } };
}

/** Uses a fence longer than any in the text. */
export function fenced(name: string, text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${name}:\n\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

export function fileSizeText(bytes: number): string {
  if (bytes >= MB) return `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB`;
  return bytes >= 1_000 ? `${Math.round(bytes / 1_000)} kB` : `${bytes} bytes`;
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // The bytes are not UTF-8.
  }
  const what = name === "" ? "This" : name;
  throw new Error(
    `${what} is not an image, audio or text file. Copy it into the folder and mention it with @ instead.`,
  );
}

/** In chunks, because a call accepts a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  const piece = 0x80_00;
  let binary = "";
  for (let from = 0; from < bytes.length; from += piece)
    binary += String.fromCharCode(...bytes.subarray(from, from + piece));
  return btoa(binary);
}
