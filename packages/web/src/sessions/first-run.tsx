import type { AgentSummary } from "@landline/protocol";
import { openSignIn } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { suggestNewSession } from "./new-session-draft.ts";

/** The introduction for a person without sessions. */
export function FirstRun() {
  return (
    <p>
      Landline runs coding agents, keeps everything they do, and lets you follow and answer them
      from any browser.
    </p>
  );
}

export const builtInId = "landline";
/** Prompts that the demo understands. */
const promptPreview = ["tour", "help"] as const;

/** Explains the built-in agent: its demo is not an AI. Hidden when it is signed in. */
export function BuiltIn({ agents }: { readonly agents: readonly AgentSummary[] }) {
  const agent = agents.find(({ id, found }) => id === builtInId && found);
  if (!agent || agent.signedIn === true) return null;
  return (
    <section aria-label="The built-in agent" className="flex flex-col gap-2 text-sm">
      <p>
        {agent.name}, the built-in agent, answers with a demo until it has a model. The demo is a
        program, not an AI. Its tools and questions are real.{" "}
        <span className="text-soft">
          To give it a model, sign in to a provider with a key, or start Ollama where the gateway
          runs.
        </span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-soft">Try</span>
        {promptPreview.map((word) => (
          <Button key={word} onClick={() => suggestNewSession(agent.id, word)}>
            {word}
          </Button>
        ))}
        <span className="text-soft">or</span>
        <Button onClick={() => openSignIn(agent.id)}>give it a model…</Button>
      </div>
    </section>
  );
}

export function NoAgent() {
  return (
    <section aria-label="No agent" className="rounded-card border border-line bg-raised px-4 py-3">
      <h2 className="font-semibold">No agent was found</h2>
      <p className="text-sm text-soft">
        Install one of those below where the gateway runs. Landline detects it automatically.
      </p>
    </section>
  );
}
