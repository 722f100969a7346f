import type { Block } from "@landline/protocol";
import { memo } from "react";
import { imageType } from "../content/media-types.ts";
import { useObjectUrl } from "../content/use-object-url.ts";

/** The number of images is shown beside the first ones. */
const shownMost = 3;

/** Thumbnails of the images in a queued prompt. Images that are stored as blobs are only counted. */
export const QueueImages = memo(function QueueImages({
  content,
}: {
  readonly content: readonly Block[];
}) {
  const images = content.flatMap((block, position) => {
    if (block.type !== "image" || typeof block.data !== "string") return [];
    const type = imageType(block.mimeType);
    return type === null ? [] : [{ key: `image-${position}`, data: block.data, type }];
  });
  if (images.length === 0) return null;
  return (
    <span className="flex shrink-0 gap-1 py-1">
      {images.slice(0, shownMost).map(({ key, data, type }) => (
        <SmallImage key={key} data={data} type={type} />
      ))}
    </span>
  );
});

function SmallImage({ data, type }: { readonly data: string; readonly type: string }) {
  const url = useObjectUrl(data, type);
  if (!url) return null;
  return <img src={url} alt="" className="size-8 rounded-input object-cover" />;
}
