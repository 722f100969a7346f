import { clsx } from "clsx";
import { VisibleText } from "../content/visible-text.tsx";
import { usePreferences } from "../state/preferences.ts";
import { useView } from "../state/session.tsx";
import { editorLink } from "./editor-link.ts";
import { shownPath } from "./paths.ts";

export interface FileLinkProps {
  readonly path: string;
  readonly line?: number | null;
  readonly className?: string;
}

/** A path that opens in the preferred editor. */
export function FileLink({ path, line = null, className }: FileLinkProps) {
  const cwd = useView((view) => view.session.cwd, "");
  const { editor } = usePreferences();
  const href = editorLink(editor, { path, line }, cwd);
  const text = `${shownPath(path, cwd)}${line === null ? "" : `:${line}`}`;
  const look = clsx("inline-block max-w-full truncate align-bottom font-mono text-sm", className);
  if (href === null) {
    return (
      <span title={path} className={look}>
        <VisibleText text={text} />
      </span>
    );
  }
  return (
    <a
      href={href}
      title={`Open ${path} in your editor`}
      rel="noopener noreferrer nofollow"
      className={clsx(look, "text-accent underline-offset-2 hover:underline")}
    >
      <VisibleText text={text} />
    </a>
  );
}
