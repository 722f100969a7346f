import { AudioLines, FileText, X } from "lucide-react";
import { memo, type RefObject } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { fileSizeText, type Attachment } from "./attachment.ts";

export interface AttachmentChipsProps {
  readonly attachments: readonly Attachment[];
  readonly reading: number;
  /** Why the attachments can't be sent. */
  readonly obstacle: string | null;
  /** The last added attachment, announced to screen readers. */
  readonly added: Attachment | null;
  readonly remove: (id: string) => void;
  /** Receives the focus when an attachment is removed. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

/** Shows the attachments of a message: a thumbnail or icon, the name and the size. */
export function AttachmentChips(props: AttachmentChipsProps) {
  return (
    <>
      <output className="sr-only">{props.added ? `${nameOf(props.added)} attached` : ""}</output>
      {props.attachments.length === 0 && props.reading === 0 ? null : <Chips {...props} />}
    </>
  );
}

function Chips({ attachments, reading, obstacle, remove, field }: AttachmentChipsProps) {
  return (
    <>
      <ul aria-label="Attached" className="flex max-h-32 flex-wrap gap-2 overflow-y-auto px-3 pt-2">
        {attachments.map((attachment) => (
          <li
            key={attachment.id}
            className="flex max-w-full items-center gap-2 rounded-input border border-line bg-raised pl-1 text-sm"
          >
            <Sign attachment={attachment} />
            <span className="min-w-0 max-w-44 truncate">{nameOf(attachment)}</span>
            <span className="shrink-0 text-xs text-soft">{fileSizeText(attachment.bytes)}</span>
            <IconButton
              icon={X}
              name={`Remove ${attachment.name === "" ? "the pasted file" : attachment.name}`}
              onClick={() => {
                remove(attachment.id);
                field.current?.focus();
              }}
            />
          </li>
        ))}
        {reading === 0 ? null : <li className="self-center text-sm text-soft">Reading…</li>}
      </ul>
      {obstacle === null ? null : (
        <p role="alert" className="px-3 pt-1 text-sm">
          {obstacle}
        </p>
      )}
    </>
  );
}

function nameOf({ name }: Attachment): string {
  return name === "" ? "Pasted file" : name;
}

/** Memoised, because the image may have megabytes. */
const Sign = memo(function Sign({ attachment }: { readonly attachment: Attachment }) {
  const { kind, mimeType, data } = attachment;
  if (kind === "image") {
    return (
      <img
        src={`data:${mimeType};base64,${data}`}
        alt=""
        className="my-1 size-8 shrink-0 rounded-input object-cover"
      />
    );
  }
  const Icon = kind === "audio" ? AudioLines : FileText;
  return <Icon size={16} strokeWidth={1.5} aria-hidden className="ml-1 shrink-0 text-soft" />;
});
