import type { Subagent } from "@landline/protocol";
import { clsx } from "clsx";
import { Bot } from "lucide-react";
import { lazy, memo, Suspense, useMemo, useState } from "react";
import { useView } from "../state/session.tsx";
import { RunningIndicator } from "../tools/running-indicator.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Section } from "./section.tsx";
import {
  subagentNow,
  subagentTree,
  subagentWord,
  toolsUsed,
  type SubagentNode,
} from "./subagent-tree.ts";

const SubagentThread = lazy(async () => ({
  default: (await import("../thread/subagent-thread.tsx")).SubagentThread,
}));

const none: readonly never[] = [];

export function SubagentsSection() {
  const subagents = useView((view) => view.subagents, none);
  const tree = useMemo(() => subagentTree(subagents), [subagents]);
  const [opened, setOpened] = useState<Subagent | null>(null);
  if (subagents.length === 0) return null;
  return (
    <Section name="Subagents" about={subagents.length}>
      {() => (
        <>
          <Nodes nodes={tree} onOpen={setOpened} />
          <OpenSubagent
            subagent={opened === null ? null : subagentNow(subagents, opened)}
            onClose={() => setOpened(null)}
          />
        </>
      )}
    </Section>
  );
}

interface NodesProps {
  readonly nodes: readonly SubagentNode[];
  readonly onOpen: (subagent: Subagent) => void;
}

function Nodes({ nodes, onOpen }: NodesProps) {
  return (
    <ul className="flex flex-col">
      {nodes.map(({ subagent, children }) => (
        <li key={subagent.key}>
          <button
            type="button"
            onClick={() => onOpen(subagent)}
            className="touchable flex w-full min-w-0 items-start gap-2 rounded-input py-1 text-left text-sm hover:bg-raised"
          >
            <Bot size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-soft" />
            <Words subagent={subagent} />
          </button>
          {children.length === 0 ? null : (
            <div className="ml-2 border-l border-line pl-2">
              <Nodes nodes={children} onOpen={onOpen} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function nameOf({ description, title, agentType }: Subagent): string {
  return description ?? title ?? agentType ?? "Subagent";
}

/** Memoised: with two hundred subagents, a chunk renders one. */
const Words = memo(function Words({ subagent }: { readonly subagent: Subagent }) {
  const { agentType, model, state } = subagent;
  const used = toolsUsed(subagent);
  const isRunning = state === "running" || state === "in_progress";
  const about = [
    agentType,
    model,
    used === 0 ? null : used === 1 ? "1 tool call" : `${used} tool calls`,
  ].filter((word) => word !== null && word !== nameOf(subagent));
  return (
    <span className="min-w-0 grow">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 grow truncate">{nameOf(subagent)}</span>
        <span
          className={clsx(
            "shrink-0 text-xs",
            state === "failed"
              ? "text-bad"
              : state === "requires_action"
                ? "text-ask"
                : "text-soft",
          )}
        >
          {subagentWord(state)}
        </span>
      </span>
      {about.length === 0 ? null : (
        <span className="block truncate text-xs text-soft">{about.join(" · ")}</span>
      )}
      {isRunning ? (
        <span className="mt-1 block">
          <RunningIndicator />
        </span>
      ) : null}
    </span>
  );
});

interface OpenSubagentProps {
  readonly subagent: Subagent | null;
  readonly onClose: () => void;
}

function OpenSubagent({ subagent, onClose }: OpenSubagentProps) {
  const view = useView((whole) => (subagent === null ? null : whole), null);
  if (subagent === null || view === null) return null;
  const about = [subagent.agentType, subagent.model, subagentWord(subagent.state)];
  return (
    <Dialog
      title={nameOf(subagent)}
      about={about.filter((word) => word !== null).join(" · ")}
      isOpen
      isWide
      onClose={onClose}
    >
      <Suspense fallback={null}>
        <SubagentThread subagent={subagent} view={view} />
      </Suspense>
    </Dialog>
  );
}
