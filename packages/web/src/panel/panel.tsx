import { useView } from "../state/session.tsx";
import { AgentSection } from "./agent-section.tsx";
import { FilesSection } from "./files-section.tsx";
import { PlanSection } from "./plan-section.tsx";
import { ProtocolSection } from "./protocol-section.tsx";
import { SubagentsSection } from "./subagents-section.tsx";
import { TerminalsSection } from "./terminals-section.tsx";
import { UsageSection } from "./usage-section.tsx";
import { useChangedFiles } from "./use-changed-files.ts";

/** The panel beside the thread. Empty sections are hidden. */
export function Panel() {
  const files = useChangedFiles();
  const isQuiet = useView(
    (view) =>
      view.plan.length + view.plans.length + view.terminals.length + view.subagents.length === 0 &&
      view.usage === null &&
      view.lastTurn?.usage == null,
    true,
  );
  return (
    <div className="flex min-h-0 grow flex-col overflow-y-auto overscroll-contain">
      {isQuiet && files.length === 0 ? (
        <p className="px-4 py-6 text-sm text-soft">
          The plan, changed files, terminals, subagents and usage appear here once the agent has
          some.
        </p>
      ) : null}
      <PlanSection />
      <FilesSection files={files} />
      <TerminalsSection />
      <SubagentsSection />
      <UsageSection />
      <AgentSection />
      <ProtocolSection />
    </div>
  );
}
