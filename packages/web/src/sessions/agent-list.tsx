import { useAgents } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { CopyButton } from "../content/copy-button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { AgentRow } from "./agent-row.tsx";

export interface AgentListProps {
  /** For the settings: offers sign-in and sign-out for every agent. */
  readonly isWhole?: boolean;
}

/** The agents and what each needs before it can work. */
export function AgentList({ isWhole = false }: AgentListProps) {
  const agents = useAgents();
  if (agents === null) return <p className="text-sm text-soft">Looking for agents…</p>;
  const found = agents.filter((agent) => agent.found);
  const others = agents.filter((agent) => !agent.found);
  const missing = (
    <ul className="divide-y divide-line rounded-card border border-line">
      {others.map((agent) => (
        <MissingAgent key={agent.id} agent={agent} />
      ))}
    </ul>
  );
  return (
    <section aria-label="Agents" className="flex flex-col gap-3">
      {found.length === 0 ? null : (
        <>
          <h2 className="text-sm font-semibold">
            {found.length === 1 ? "One agent was found" : `${found.length} agents were found`}
          </h2>
          <ul className="divide-y divide-line rounded-card border border-line">
            {found.map((agent) => (
              <AgentRow key={agent.id} agent={agent} isWhole={isWhole} />
            ))}
          </ul>
        </>
      )}
      {others.length === 0 ? null : found.length === 0 ? (
        missing
      ) : (
        <Disclosure
          summary={<span className="text-soft">{others.length} more can be installed</span>}
        >
          {() => <div className="mt-2">{missing}</div>}
        </Disclosure>
      )}
    </section>
  );
}

function MissingAgent({ agent }: { readonly agent: AgentSummary }) {
  const { name, how, install } = agent;
  return (
    <li className="flex min-h-12 items-center gap-3 px-3 py-1.5 text-sm">
      <span className="min-w-0 grow">
        <span className="block">{name}</span>
        <code className="block font-mono text-xs text-soft [overflow-wrap:anywhere]">
          {install ?? how}
        </code>
      </span>
      {install === null ? null : <CopyButton text={install} name={`Copy: install ${name}`} />}
    </li>
  );
}
