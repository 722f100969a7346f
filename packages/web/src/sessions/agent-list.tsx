import { useAgents } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { Check } from "lucide-react";
import { CopyButton } from "../content/copy-button.tsx";
import { openSignIn } from "../shell/overlay.ts";
import { useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";

export interface AgentListProps {
  /** To set them up: one can sign in to each, whether it wants that or not. */
  readonly isWhole?: boolean;
}

/** Which agents there are, and what each needs before it can work. */
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
              <FoundAgent key={agent.id} agent={agent} isWhole={isWhole} />
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

interface FoundAgentProps extends Required<AgentListProps> {
  readonly agent: AgentSummary;
}

function FoundAgent({ agent, isWhole }: FoundAgentProps) {
  const { id, name, how, signedIn, signInMethods, progress } = agent;
  const isWatcher = useMe()?.role === "watch";
  const isWanted = isWhole || (signedIn !== true && signInMethods.length > 0);
  return (
    <li className="flex min-h-12 items-center gap-3 px-3 py-1.5 text-sm">
      <Check size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-good" />
      <span className="min-w-0 grow">
        <span className="block font-medium">{name}</span>
        {progress === null ? (
          <span className="block truncate font-mono text-xs text-soft" title={how}>
            {how}
          </span>
        ) : (
          <span className="block truncate text-xs text-soft">{progress.message}</span>
        )}
      </span>
      {isWatcher || !isWanted ? null : (
        <Button
          className="shrink-0"
          onClick={() => openSignIn(id)}
          aria-label={`Sign in to ${name}`}
        >
          {signedIn === false ? "Sign in" : "Sign in…"}
        </Button>
      )}
    </li>
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
