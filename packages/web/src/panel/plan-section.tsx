import type { NamedPlan } from "@landline/protocol";
import { Markdown } from "../content/markdown.tsx";
import { useView } from "../state/session.tsx";
import { FileLink } from "../tools/file-link.tsx";
import { PlanList } from "./plan-list.tsx";
import { planProgress } from "./plan-text.ts";
import { Section } from "./section.tsx";

const none: readonly never[] = [];

export function PlanSection() {
  const plan = useView((view) => view.plan, none);
  const plans = useView((view) => view.plans, none);
  if (plan.length === 0 && plans.length === 0) return null;
  const { done, all } = planProgress(plan);
  return (
    <Section name="Plan" about={all === 0 ? null : `${done} of ${all}`}>
      {() => (
        <div className="flex flex-col gap-4">
          {plan.length === 0 ? null : <PlanList entries={plan} />}
          {plans.map((named) => (
            <section key={named.planId} aria-label={named.planId} className="min-w-0">
              <h3 className="mb-1 truncate text-xs font-medium text-soft">{named.planId}</h3>
              <NamedPlanBody plan={named} />
            </section>
          ))}
        </div>
      )}
    </Section>
  );
}

function NamedPlanBody({ plan }: { readonly plan: NamedPlan }) {
  if (plan.type === "items") return <PlanList entries={plan.entries} />;
  if (plan.type === "file") return <FileLink path={plan.uri} />;
  return <Markdown text={plan.content} />;
}
