import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatBytes } from "./format-bytes.ts";
import { imageType } from "./media-types.ts";
import { useBlob } from "./use-blob.ts";
import { useObjectUrl } from "./use-object-url.ts";
import { blobOf, type BlobReference } from "@landline/protocol";

export interface ImageProps {
  /** Base64, or a blob reference. */
  readonly data: unknown;
  readonly mimeType: string;
  /** The description, if there is one. */
  readonly alt?: string | null;
}

/** An image of the conversation. It opens in full size. */
export function Image({ data, mimeType, alt = null }: ImageProps) {
  const type = imageType(mimeType);
  const blob = blobOf(data);
  if (type === null) return <p className="text-sm text-soft">An image of type {mimeType}</p>;
  if (blob) return <KeptImage blob={blob} type={type} alt={alt} />;
  if (typeof data !== "string") return null;
  return <ShownImage data={data} type={type} alt={alt} />;
}

interface KeptImageProps {
  readonly blob: BlobReference;
  readonly type: string;
  readonly alt: string | null;
}

function KeptImage({ blob, type, alt }: KeptImageProps) {
  const [loaded, load] = useBlob(blob);
  if (loaded.state === "loaded") return <ShownImage data={loaded.text} type={type} alt={alt} />;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <Button disabled={loaded.state === "loading"} onClick={load}>
        {loaded.state === "loading" ? "Loading" : "Show image"}
      </Button>
      {loaded.state === "failed" ? (
        <span role="alert" className="text-bad">
          {loaded.message}
        </span>
      ) : (
        <span>{formatBytes(blob.bytes * 0.75)}</span>
      )}
    </div>
  );
}

interface ShownImageProps {
  readonly data: string;
  readonly type: string;
  readonly alt: string | null;
}

function ShownImage({ data, type, alt }: ShownImageProps) {
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const url = useObjectUrl(data, type);
  const name = alt === null || alt.trim() === "" ? "Image" : alt;
  if (url === undefined) return null;
  if (url === null || isBroken) {
    return <p className="text-sm text-soft">{name}: it can't be shown.</p>;
  }
  return (
    <div className="flex flex-col gap-1">
      <button
        type="button"
        aria-label={`${name}, open in full size`}
        onClick={() => setLarge(true)}
        className="touchable w-fit max-w-full overflow-hidden rounded-card border border-line"
      >
        <img
          src={url}
          alt={name}
          onError={() => setBroken(true)}
          className="max-h-72 max-w-full object-contain"
        />
      </button>
      {type === "image/svg+xml" ? (
        <p className="text-xs text-soft">{name}, drawn by the agent (SVG)</p>
      ) : null}
      <Dialog title={name} isOpen={isLarge} onClose={() => setLarge(false)} isWide>
        <img src={url} alt={name} className="mx-auto max-w-full" />
      </Dialog>
    </div>
  );
}
