import { blobOf, type BlobReference, type Block } from "@landline/protocol";
import { maskSecrets } from "../../telemetry/mask-secrets.ts";

/** A part of an entry, independent of the output format. */
export type Part =
  /** Markdown, as a person or an agent wrote it. */
  | { readonly type: "prose"; readonly text: string }
  | {
      readonly type: "code";
      readonly text: string;
      readonly language: string;
      readonly label?: string;
    }
  /** Short named values on one line. */
  | { readonly type: "facts"; readonly facts: readonly Fact[] }
  | { readonly type: "checklist"; readonly entries: readonly ChecklistEntry[] }
  /** A sentence of the exporter, usually about something omitted. */
  | { readonly type: "remark"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string };

export type Fact = readonly [name: string, value: string];

export interface ChecklistEntry {
  readonly text: string;
  readonly status: string;
}

export function prose(text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ type: "prose", text }];
}

export function code(text: string, language = ""): readonly Part[] {
  return text.trim() === "" ? [] : [{ type: "code", language, text }];
}

export function remark(text: string): readonly Part[] {
  return [{ type: "remark", text }];
}

export function json(value: unknown): readonly Part[] {
  return code(JSON.stringify(maskSecrets(value), null, 2) ?? "", "json");
}

/** A plan or a tool's to-do list; null for anything else. */
export function checklist(value: unknown): Part | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const entries = value.map((entry: unknown): ChecklistEntry | null => {
    const { content, status } = (entry ?? {}) as { content?: unknown; status?: unknown };
    if (typeof content !== "string") return null;
    return { text: content, status: typeof status === "string" ? status : "pending" };
  });
  return entries.every((entry) => entry !== null) ? { type: "checklist", entries } : null;
}

export function blockParts(block: Block): readonly Part[] {
  if (block.blob) return [leftOut(block.blob)];
  switch (block.type) {
    case "text":
      return textParts(block.text, prose);
    case "image":
      return textParts(block.data, (data) => [{ type: "image", mimeType: block.mimeType, data }]);
    case "audio":
      return remark(`A sound (${block.mimeType}) is omitted here.`);
    case "resource_link":
      return [{ type: "facts", facts: [[block.title ?? block.name, block.uri]] }];
    case "resource": {
      const { resource } = block;
      return [
        { type: "facts", facts: [["Attached", resource.uri]] },
        ...("text" in resource
          ? textParts(resource.text, code)
          : remark("Its content is not text and is omitted here.")),
      ];
    }
    default:
      return json(block);
  }
}

/** A string of the log may be a reference to a blob. */
export function textParts(
  value: unknown,
  parts: (text: string) => readonly Part[],
): readonly Part[] {
  const blob = blobOf(value);
  if (blob) return [leftOut(blob)];
  return typeof value === "string" ? parts(value) : [];
}

export function leftOut({ $blob, bytes }: BlobReference): Part {
  const size = bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KiB`;
  return {
    type: "remark",
    text: `A text of ${size} is omitted here. The gateway stores it as the blob ${$blob}.`,
  };
}
