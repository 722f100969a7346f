import { createContext, useContext, type ReactNode } from "react";
import { noDefinitions, type Definitions } from "./definitions.ts";
import { ImageLink, MarkdownLink } from "./link.tsx";

export const DefinitionsOf = createContext<Definitions>(noDefinitions);

export interface ReferenceLinkProps {
  readonly identifier: string;
  readonly children: ReactNode;
}

export function ReferenceLink({ identifier, children }: ReferenceLinkProps) {
  const url = useContext(DefinitionsOf).get(identifier);
  return url === undefined ? children : <MarkdownLink url={url}>{children}</MarkdownLink>;
}

export interface ReferenceImageProps {
  readonly identifier: string;
  readonly alt: string;
}

export function ReferenceImage({ identifier, alt }: ReferenceImageProps) {
  const url = useContext(DefinitionsOf).get(identifier);
  return url === undefined ? alt : <ImageLink url={url} alt={alt} />;
}

export function FootnoteReference({ label }: { readonly label: string }) {
  return (
    <sup className="text-xs text-soft">
      <span className="sr-only">Footnote </span>
      {label}
    </sup>
  );
}
