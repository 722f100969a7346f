import type { ReactNode } from "react";
import { usePreferences } from "../state/preferences.ts";
import { useView } from "../state/session.tsx";
import { editorLink } from "../tools/editor-link.ts";
import { linkTarget } from "./link-target.ts";

export interface SafeLinkProps {
  readonly url: string;
  readonly children: ReactNode;
}

const look =
  "text-accent underline decoration-1 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-2";

/** A link from an agent: it leads to the web or to an editor, and nowhere else. */
export function SafeLink({ url, children }: SafeLinkProps) {
  const target = linkTarget(url);
  if (target.kind === "file") return <FileTarget {...target}>{children}</FileTarget>;
  if (target.kind === "none") return <span title={url}>{children}</span>;
  return (
    <a
      href={target.href}
      title={target.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={look}
    >
      {children}
    </a>
  );
}

interface FileTargetProps {
  readonly path: string;
  readonly line: number | null;
  readonly children: ReactNode;
}

function FileTarget({ path, line, children }: FileTargetProps) {
  const cwd = useView((view) => view.session.cwd, "");
  const { editor } = usePreferences();
  const href = editorLink(editor, { path, line }, cwd);
  const place = line === null ? path : `${path}:${line}`;
  if (href === null) {
    return (
      <span title={place} className="underline decoration-dotted underline-offset-2">
        {children}
      </span>
    );
  }
  return (
    <a
      href={href}
      title={`Open ${place} in your editor`}
      rel="noopener noreferrer nofollow"
      className={look}
    >
      {children}
    </a>
  );
}
