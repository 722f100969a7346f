import type { RulesDamage } from "@landline/protocol";
import { useLandline } from "@landline/client/react";
import { TriangleAlert } from "lucide-react";
import { runCommand } from "../state/run-command.ts";
import { useIsAdmin, useMe, useOnlySession } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { hrefOf } from "../app/routes.ts";

const words =
  "The permission rules file was damaged. Automatic approvals are off until you have checked the rules.";

/** A line above every page except the rules page, which shows the details. */
export function RulesDamageBar({ isOnRulesPage }: { readonly isOnRulesPage: boolean }) {
  const damage = useMe()?.rulesDamage ?? null;
  const isLimited = useOnlySession() !== null;
  if (damage === null || isOnRulesPage || isLimited) return null;
  return (
    <div
      role="alert"
      className="flex shrink-0 items-start justify-center gap-2 border-b border-line bg-ask-soft px-4 py-1 text-sm"
    >
      <TriangleAlert size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ask" />
      <p>
        {words}{" "}
        <a
          href={hrefOf({ name: "settings", tab: "rules" })}
          className="whitespace-nowrap underline pointer-coarse:py-3"
        >
          Open rules
        </a>
      </p>
    </div>
  );
}

/** On the rules page: what happened, where the damaged file is, and what to do. */
export function RulesDamageDetails() {
  const damage = useMe()?.rulesDamage ?? null;
  const canChange = useIsAdmin();
  if (damage === null) return null;
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-card border border-line bg-ask-soft px-3 py-2 text-sm"
    >
      <p>{words}</p>
      <p className="[overflow-wrap:anywhere]">{details(damage)}</p>
      <p>
        Rules that deny or ask may be missing from the list below.
        {canChange ? " Add them again, then turn automatic approvals back on." : null}
      </p>
      {canChange ? <Acknowledge /> : null}
    </div>
  );
}

function details({ reason, movedTo }: RulesDamage): string {
  const why = reason === "" ? "" : `Reason: ${reason}. `;
  if (movedTo === null) return why;
  return `${why}The damaged file is kept as ${movedTo}. To restore it, stop Landline, repair the file, rename it to rules.json and start Landline again.`;
}

function Acknowledge() {
  const { api } = useLandline();
  return (
    <Button onClick={() => void runCommand(api.acknowledgeRulesDamage())}>
      Turn automatic approvals back on
    </Button>
  );
}
