import { blobOf } from "@landline/protocol";
import { BlobText } from "./blob-text.tsx";
import { audioType } from "./media-types.ts";
import { useObjectUrl } from "./use-object-url.ts";

export interface AudioProps {
  /** Base64, or a blob reference. */
  readonly data: unknown;
  readonly mimeType: string;
}

/** Audio of the conversation; it does not play by itself. */
export function Audio({ data, mimeType }: AudioProps) {
  const type = audioType(mimeType);
  const blob = blobOf(data);
  if (type === null) return <p className="text-sm text-soft">Audio of type {mimeType}</p>;
  if (blob) return <BlobText blob={blob}>{(text) => <Player data={text} type={type} />}</BlobText>;
  return typeof data === "string" ? <Player data={data} type={type} /> : null;
}

function Player({ data, type }: { readonly data: string; readonly type: string }) {
  const url = useObjectUrl(data, type);
  if (url === undefined) return null;
  if (url === null) return <p className="text-sm text-soft">This audio can't be played.</p>;
  return (
    <audio controls preload="metadata" src={url} aria-label="Sound" className="max-w-full">
      <track kind="captions" />
    </audio>
  );
}
