import type { Nodes, PhrasingContent } from "mdast";
import { Fragment, type ReactNode } from "react";
import { VisibleText } from "../visible-text.tsx";
import { InlineCode } from "./inline-code.tsx";
import { nodeKey } from "./node-key.ts";
import { ImageLink, MarkdownLink } from "./link.tsx";
import { FootnoteReference, ReferenceImage, ReferenceLink } from "./reference.tsx";

export interface InlineProps {
  readonly of: Nodes & { readonly children: readonly PhrasingContent[] };
}

/** Phrasing content of a paragraph, heading or cell. */
export function Inline({ of }: InlineProps) {
  return of.children.map((node) => <Fragment key={nodeKey(of, node)}>{inline(node)}</Fragment>);
}

function inline(node: PhrasingContent): ReactNode {
  switch (node.type) {
    // HTML is rendered as text.
    case "text":
    case "html":
      return <VisibleText text={node.value} isProse />;
    case "inlineCode":
      return <InlineCode text={node.value} />;
    case "break":
      return <br />;
    case "emphasis":
      return (
        <em>
          <Inline of={node} />
        </em>
      );
    case "strong":
      return (
        <strong className="font-semibold">
          <Inline of={node} />
        </strong>
      );
    case "delete":
      return (
        <del>
          <Inline of={node} />
        </del>
      );
    case "link":
      return (
        <MarkdownLink url={node.url}>
          <Inline of={node} />
        </MarkdownLink>
      );
    case "image":
      return <ImageLink url={node.url} alt={node.alt ?? ""} />;
    case "linkReference":
      return (
        <ReferenceLink identifier={node.identifier}>
          <Inline of={node} />
        </ReferenceLink>
      );
    case "imageReference":
      return <ReferenceImage identifier={node.identifier} alt={node.alt ?? ""} />;
    case "footnoteReference":
      return <FootnoteReference label={node.label ?? node.identifier} />;
    default:
      return null;
  }
}
