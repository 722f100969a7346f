import type { TerminalView, ToolCallItem } from "@landline/protocol";
import { useMemo } from "react";
import { BlobText } from "../content/blob-text.tsx";
import { SafeLink } from "../content/safe-link.tsx";
import { VisibleText } from "../content/visible-text.tsx";
import { useView } from "../state/session.tsx";
import { FileLink } from "./file-link.tsx";
import { WorkingFolder } from "./working-folder.tsx";
import type { LongText } from "./raw-values.ts";
import { toolSubject, type ToolSubject } from "./tool-subject.ts";

export interface ToolTargetProps {
  readonly item: ToolCallItem;
  readonly terminal?: TerminalView | undefined;
}

/** The subject of a call in full: the command with its folder, the files, the URL, or the search terms. */
export function ToolTarget({ item, terminal }: ToolTargetProps) {
  const subject = useMemo(() => toolSubject(item, terminal), [item, terminal]);
  switch (subject.type) {
    case "command":
      return <Command subject={subject} />;
    case "files":
      return (
        <ul className="flex min-w-0 flex-col">
          {subject.files.map(({ path, line }) => (
            <li key={path} className="min-w-0">
              <FileLink
                path={path}
                line={line}
                className="max-w-full whitespace-normal break-all"
              />
            </li>
          ))}
        </ul>
      );
    case "address":
      return (
        <p className="font-mono text-sm break-all">
          <SafeLink url={subject.url}>{subject.url}</SafeLink>
        </p>
      );
    case "query":
      return (
        <p className="font-mono text-sm break-words">
          <VisibleText text={subject.text} />
          {subject.where === null ? null : <WorkingFolder path={subject.where} />}
        </p>
      );
    default:
      return null;
  }
}

function Command({ subject }: { readonly subject: Extract<ToolSubject, { type: "command" }> }) {
  const cwd = useView((view) => view.session.cwd, "");
  const folder = subject.cwd ?? cwd;
  return (
    <div className="min-w-0 rounded-card border border-line bg-sunken px-3 py-2 font-mono text-sm">
      <code className="block max-h-[40vh] overflow-y-auto break-words whitespace-pre-wrap">
        <span aria-hidden className="text-soft select-none">
          ${" "}
        </span>
        {subject.variables.map((variable) => `${variable} `)}
        <Long text={subject.line} />
      </code>
      {folder === "" ? null : <WorkingFolder path={folder} />}
    </div>
  );
}

function Long({ text }: { readonly text: LongText }) {
  if (typeof text === "string") return <VisibleText text={text} />;
  return <BlobText blob={text}>{(loaded) => <VisibleText text={loaded} />}</BlobText>;
}
