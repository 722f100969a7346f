import { SquarePen } from "lucide-react";
import { useState } from "react";
import { closeOverlay } from "../app/overlay.ts";
import { hrefOf } from "../app/routes.ts";
import { usePreferences } from "../state/preferences.ts";
import { useThisSession, useView } from "../state/session.tsx";
import { ChangeCount } from "../tools/change-count.tsx";
import { editorLink } from "../tools/editor-link.ts";
import { fileName, shownPath } from "../tools/paths.ts";
import { Button } from "../ui/button.tsx";
import type { ChangedFile } from "./changed-files.ts";
import { Section } from "./section.tsx";

export interface FilesSectionProps {
  readonly files: readonly ChangedFile[];
}

/** The list is rendered again with every change. */
const SHOWN = 100;

/** Files that the session wrote, with links to their last change and to the editor. */
export function FilesSection({ files }: FilesSectionProps) {
  const [isWhole, setWhole] = useState(false);
  if (files.length === 0) return null;
  const shown = isWhole ? files : files.slice(-SHOWN);
  return (
    <Section name="Changed files" about={files.length}>
      {() => (
        <>
          {shown.length < files.length ? (
            <Button variant="quiet" className="text-xs" onClick={() => setWhole(true)}>
              Show {files.length - shown.length} earlier files
            </Button>
          ) : null}
          <ul className="flex flex-col">
            {shown.map((file) => (
              <File key={file.path} file={file} />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

const row = "touchable flex min-w-0 grow items-center gap-2 rounded-input py-0.5 text-sm";

function File({ file: { path, count, call } }: { readonly file: ChangedFile }) {
  const session = useThisSession();
  const cwd = useView((view) => view.session.cwd, "");
  const { editor } = usePreferences();
  const href = editorLink(editor, { path }, cwd);
  const line = (
    <>
      <PathText path={shownPath(path, cwd)} />
      {count === null ? null : <ChangeCount {...count} />}
    </>
  );
  return (
    <li className="flex min-w-0 items-center gap-1">
      {call === null ? (
        <span title={path} className={row}>
          {line}
        </span>
      ) : (
        <a
          href={hrefOf({ name: "session", sessionId: session.id, at: call })}
          onClick={closeOverlay}
          title={`Go to the last change of ${path}`}
          className={`${row} hover:bg-raised`}
        >
          {line}
        </a>
      )}
      {href === null ? null : (
        <a
          href={href}
          rel="noopener noreferrer nofollow"
          aria-label={`Open ${fileName(path)} in your editor`}
          title="Open in your editor"
          className="touchable inline-flex size-6 shrink-0 items-center justify-center rounded-input text-soft hover:bg-raised hover:text-ink"
        >
          <SquarePen size={16} strokeWidth={1.5} aria-hidden />
        </a>
      )}
    </li>
  );
}

/** Always shows the file name, and as much of its folder as fits. */
function PathText({ path }: { readonly path: string }) {
  const name = fileName(path);
  const folder = path.slice(0, path.length - name.length);
  return (
    <span className="flex min-w-0 grow font-mono text-sm">
      <span className="min-w-0 shrink truncate text-soft">{folder}</span>
      <span className="max-w-full shrink-0 truncate">{name}</span>
    </span>
  );
}
