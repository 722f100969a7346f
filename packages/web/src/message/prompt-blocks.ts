import type { Block } from "@landline/protocol";
import { blockOf, type Attachment, type PromptCapabilities } from "./attachment.ts";
import { linkTo, mentionsIn, type Mention } from "./mention.ts";

export interface MessageContent {
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly attachments: readonly Attachment[];
}

export function isEmpty({ text, attachments }: MessageContent): boolean {
  return text.trim() === "" && attachments.length === 0;
}

/** The content blocks of a message: text, then mentions, then attachments. */
export function blocksOf(
  written: MessageContent,
  capabilities: PromptCapabilities,
): readonly Block[] {
  const text = written.text.trim();
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...mentionsIn(text, written.mentions).map((mention) => linkTo(mention)),
    ...written.attachments.map((attachment) => blockOf(attachment, capabilities)),
  ];
}

/** The text of a prompt; null if a part of it is stored as a blob. */
export function textOfBlocks(content: readonly Block[]): string | null {
  if (content.some(({ blob }) => blob !== undefined)) return null;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

/** Replaces the text. Keeps the attachments, but not links that the text no longer names. */
export function withText(content: readonly Block[], text: string): readonly Block[] {
  const rest = content.filter((block) => {
    if (block.type === "text") return false;
    if (block.type !== "resource_link") return true;
    const wasNamed = textOfBlocks(content)?.includes(`@${block.name}`) === true;
    return !wasNamed || text.includes(`@${block.name}`);
  });
  const words = text.trim();
  return words === "" ? rest : [{ type: "text", text: words }, ...rest];
}

const nouns: Readonly<Record<string, readonly [one: string, many: string]>> = {
  image: ["image", "images"],
  audio: ["sound", "sounds"],
  resource: ["file", "files"],
  resource_link: ["link", "links"],
};

/** "2 images, 1 file"; empty if there is only text. */
export function attachmentSummary(content: readonly Block[]): string {
  const counts = new Map<string, number>();
  for (const { type } of content) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.entries(nouns)
    .flatMap(([type, [one, many]]) => {
      const count = counts.get(type) ?? 0;
      return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
    })
    .join(", ");
}
