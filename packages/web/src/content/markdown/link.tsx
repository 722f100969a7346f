import type { ReactNode } from "react";
import { SafeLink } from "../safe-link.tsx";

export function MarkdownLink({
  url,
  children,
}: {
  readonly url: string;
  readonly children: ReactNode;
}) {
  return <SafeLink url={url}>{children}</SafeLink>;
}

/** A remote image is not loaded: its server would learn that the message was read. */
export function ImageLink({ url, alt }: { readonly url: string; readonly alt: string }) {
  return <SafeLink url={url}>{alt.trim() === "" ? "Image" : alt}</SafeLink>;
}
