import { blobOf } from "@landline/protocol";
import type { EmbeddedResource, ResourceLink } from "@agentclientprotocol/sdk";
import { FileText, Link2 } from "lucide-react";
import type { ReactNode } from "react";
import { Disclosure } from "../ui/disclosure.tsx";
import { BlobText } from "./blob-text.tsx";
import { formatBytes } from "./format-bytes.ts";
import { Code } from "./code.tsx";
import { languageOfPath } from "./highlight/languages.ts";
import { Image } from "./image.tsx";
import { imageType } from "./media-types.ts";
import { SafeLink } from "./safe-link.tsx";

/** A text of at most this length is open initially. */
const openLength = 600;

/** An embedded resource, usually a mentioned file. */
export function Resource({ resource }: { readonly resource: EmbeddedResource["resource"] }) {
  const { uri } = resource;
  const mimeType = resource.mimeType ?? null;
  const summary = (
    <ResourceName name={nameOf(uri)} more={mimeType}>
      <FileText size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
    </ResourceName>
  );
  if ("blob" in resource) {
    if (mimeType !== null && imageType(mimeType) !== null) {
      return <Image data={resource.blob} mimeType={mimeType} alt={nameOf(uri)} />;
    }
    return <div className="text-sm">{summary}</div>;
  }
  const text: unknown = resource.text;
  const kept = blobOf(text);
  const language = languageOfPath(uri);
  const isShort = typeof text === "string" && text.length <= openLength;
  return (
    <Disclosure summary={summary} isOpenAtFirst={isShort}>
      {() =>
        kept ? (
          <BlobText blob={kept}>{(all) => <Code text={all} language={language} />}</BlobText>
        ) : (
          <Code text={typeof text === "string" ? text : ""} language={language} />
        )
      }
    </Disclosure>
  );
}

/** A resource link. */
export function LinkedResource({ link }: { readonly link: ResourceLink }) {
  const size = typeof link.size === "number" ? formatBytes(link.size) : null;
  return (
    <div className="text-sm">
      <ResourceName
        name={<SafeLink url={link.uri}>{link.title ?? link.name}</SafeLink>}
        more={size}
      >
        <Link2 size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
      </ResourceName>
      {link.description ? <p className="pl-6 text-soft">{link.description}</p> : null}
    </div>
  );
}

interface ResourceNameProps {
  readonly name: ReactNode;
  readonly more: string | null;
  readonly children: ReactNode;
}

function ResourceName({ name, more, children }: ResourceNameProps) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      {children}
      <span className="min-w-0 truncate font-mono">{name}</span>
      {more === null ? null : <span className="shrink-0 text-xs text-soft">{more}</span>}
    </span>
  );
}

/** The last segment of a URI. */
function nameOf(uri: string): string {
  const [path = uri] = uri.split(/[?#]/u, 1);
  const last = path.split("/").findLast((part) => part !== "") ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
