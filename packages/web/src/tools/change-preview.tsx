import type { ToolCallItem } from "@landline/protocol";
import { BlobText } from "../content/blob-text.tsx";
import { Code } from "../content/code.tsx";
import { Json } from "../content/json.tsx";
import { VisibleText } from "../content/visible-text.tsx";
import { changesOf, patchText } from "./call-changes.ts";
import { FileChanges } from "./file-changes.tsx";
import type { LongText } from "./raw-values.ts";
import { hasContent } from "./tool-row-data.ts";
import { titleCommand, toolSubject } from "./tool-subject.ts";
import { ToolTarget } from "./tool-target.tsx";

export interface ChangePreviewProps {
  readonly toolCall: ToolCallItem;
}

/** An unknown tool: its name and its whole input. */
function Unknown({ toolCall }: ChangePreviewProps) {
  return (
    <>
      <p className="font-mono text-sm break-words">
        <VisibleText text={toolCall.title || toolCall.name || "A tool without a name"} />
      </p>
      {hasContent(toolCall.rawInput) ? <Json value={toolCall.rawInput} /> : null}
    </>
  );
}

/** What the title of the request says besides the command, such as its folder. */
function titleBeside(title: string, line: LongText): string | null {
  const bare = oneLine(titleCommand(title.replace(stopped, ""))).replace(verb, "");
  if (bare === "") return null;
  if (typeof line !== "string") return title;
  const command = oneLine(line);
  const isCut = /(?:…|\.\.\.)$/u.test(bare);
  const isSame = isCut ? command.startsWith(bare.replace(/(?:…|\.\.\.)$/u, "")) : bare === command;
  if (isSame) return null;
  const note = bare.startsWith(`${command} (`) && bare.endsWith(")") ? bare : null;
  return note === null ? title : capitalised(note.slice(command.length + 2, -1));
}

/** "Run npm test" says no more than the command. */
const verb = /^(?:run|running|execute|executing) /iu;

/** The built-in agent adds this to the title; the card already shows it. */
const stopped = / \(stopped by the sandbox\)$/u;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

/** Exactly what will run or change, without a click: the diff of an edit, or else the subject of the call. */
export function ChangePreview({ toolCall }: ChangePreviewProps) {
  const changes = changesOf(toolCall);
  if (changes.length > 0) return <FileChanges changes={changes} locations={toolCall.locations} />;
  const patch = patchText(toolCall);
  const subject = toolSubject(toolCall);
  const title = subject.type === "command" ? titleBeside(toolCall.title, subject.line) : null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {title === null ? null : (
        <p className="text-sm [overflow-wrap:anywhere]">
          <VisibleText text={title} />
        </p>
      )}
      {subject.type !== "none" ? <ToolTarget item={toolCall} /> : <Unknown toolCall={toolCall} />}
      {typeof patch === "string" ? <Code text={patch} language="diff" /> : null}
      {typeof patch === "object" && patch !== null ? (
        <BlobText blob={patch}>{(text) => <Code text={text} language="diff" />}</BlobText>
      ) : null}
    </div>
  );
}
