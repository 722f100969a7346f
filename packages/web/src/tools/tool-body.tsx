import type { SessionView, Subagent, TerminalView, ToolCallItem } from "@landline/protocol";
import { Tabs } from "radix-ui";
import { lazy, Suspense } from "react";
import { Json } from "../content/json.tsx";
import { withIndex } from "../content/with-index.ts";
import { changesOf } from "./call-changes.ts";
import { FileChanges } from "./file-changes.tsx";
import { FileLink } from "./file-link.tsx";
import { TerminalOutput } from "./terminal-output.tsx";
import { ToolOutput } from "./tool-output.tsx";
import { hasContent } from "./tool-row-data.ts";
import { ToolTarget } from "./tool-target.tsx";

// Lazy, because thread and tools import each other.
const SubagentThread = lazy(async () => ({
  default: (await import("../thread/subagent-thread.tsx")).SubagentThread,
}));

export interface ToolBodyProps {
  readonly item: ToolCallItem;
  readonly view: SessionView;
  readonly terminals: readonly TerminalView[];
  readonly subagent: Subagent | undefined;
  /** Whether the row shows the error. */
  readonly isErrorSaid: boolean;
}

const tab =
  "touchable rounded-input px-2 text-xs text-soft hover:text-ink data-[state=active]:bg-raised data-[state=active]:text-ink";

/** All details of a call, and its raw input and output. */
export function ToolBody(props: ToolBodyProps) {
  const { item } = props;
  const hasRaw = hasContent(item.rawInput) || hasContent(item.rawOutput);
  if (!hasRaw) return <Content {...props} />;
  return (
    <Tabs.Root defaultValue="result">
      <Tabs.Content value="result">
        <Content {...props} />
      </Tabs.Content>
      <Tabs.Content value="raw" className="flex flex-col gap-2 py-1 medium:pl-6">
        <Raw name="Input" value={item.rawInput} />
        <Raw name="Output" value={item.rawOutput} />
      </Tabs.Content>
      <Tabs.List aria-label="View of this tool call" className="flex gap-1 pb-2 medium:pl-6">
        <Tabs.Trigger value="result" className={tab}>
          Result
        </Tabs.Trigger>
        <Tabs.Trigger value="raw" className={tab}>
          Raw
        </Tabs.Trigger>
      </Tabs.List>
    </Tabs.Root>
  );
}

function Content({ item, view, terminals, subagent, isErrorSaid }: ToolBodyProps) {
  const changes = changesOf(item);
  const isShown = changes.length > 0 || terminals.length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-2 pt-1 pb-2 medium:pl-6">
      {isShown || subagent ? null : <ToolTarget item={item} />}
      {changes.length > 0 ? <FileChanges changes={changes} locations={item.locations} /> : null}
      {terminals.map((terminal) => (
        <TerminalOutput key={terminal.terminalId} terminal={terminal} />
      ))}
      {subagent ? (
        <Suspense fallback={null}>
          <SubagentThread subagent={subagent} view={view} />
        </Suspense>
      ) : null}
      <ToolOutput
        item={item}
        hasOther={isShown || subagent !== undefined}
        isErrorSaid={isErrorSaid}
      />
      {changes.length === 0 ? null : <OtherFiles item={item} />}
    </div>
  );
}

/** Files that the call names and does not change. */
function OtherFiles({ item }: Pick<ToolBodyProps, "item">) {
  const changed = new Set(changesOf(item).map(({ path }) => path));
  const others = item.locations.filter(({ path }) => !changed.has(path));
  if (others.length === 0) return null;
  return (
    <ul>
      {withIndex(others).map(({ index, value: { path, line } }) => (
        <li key={index}>
          <FileLink path={path} line={line ?? null} />
        </li>
      ))}
    </ul>
  );
}

function Raw({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (!hasContent(value)) return null;
  return (
    <div className="min-w-0">
      <h4 className="text-xs font-medium text-soft">{name}</h4>
      <Json value={value} />
    </div>
  );
}
