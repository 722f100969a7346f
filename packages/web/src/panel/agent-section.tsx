import type { AgentState } from "@landline/protocol";
import type { ReactNode } from "react";
import { useView } from "../state/session.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { capabilityText, lastExitText, noiseText, startText, stateText } from "./agent-text.ts";
import { Section } from "./section.tsx";

/** The agent: its state, capabilities and stderr. */
export function AgentSection() {
  const agent = useView((view) => view.agent, null);
  const id = useView((view) => view.session.agent, "");
  if (agent === null || (agent.state === "none" && agent.exit === null)) return null;
  const name = agent.info?.title ?? agent.info?.name ?? id;
  return (
    <Section name="Agent" about={name} isOpenAtFirst={false}>
      {() => <Facts agent={agent} name={name} />}
    </Section>
  );
}

function Facts({ agent, name }: { readonly agent: AgentState; readonly name: string }) {
  const capabilities = agent.capabilities === null ? [] : capabilityText(agent.capabilities);
  const isWorking = useView((view) => view.turn.state !== "idle", false);
  const { exit, noise } = agent;
  return (
    <div className="flex flex-col gap-2 text-sm">
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        <Fact name="Name">{name}</Fact>
        <Fact name="Version">{agent.info?.version}</Fact>
        <Fact name="State">{stateText(agent, isWorking)}</Fact>
        <Fact name="Start">{startText(agent)}</Fact>
        <Fact name="Offers">{capabilities.join(", ")}</Fact>
      </dl>
      {exit === null ? null : <Said summary={lastExitText(exit)} text={exit.stderr} />}
      {noise.count === 0 ? null : (
        <Said summary={noiseText(noise.count)} text={noise.lines.join("\n")} />
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === null || children === undefined || children === "") return null;
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Said({ summary, text }: { readonly summary: string; readonly text: string }) {
  if (text === "") return <p className="text-soft">{summary}</p>;
  return (
    <Disclosure summary={summary}>
      {() => (
        <pre className="max-h-60 overflow-auto rounded-card border border-line bg-page p-2 font-mono text-xs break-words whitespace-pre-wrap">
          {text}
        </pre>
      )}
    </Disclosure>
  );
}
