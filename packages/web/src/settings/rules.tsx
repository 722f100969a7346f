import type { Rule } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { Trash2 } from "lucide-react";
import { useCallback, useState } from "react";
import { toast } from "sonner";
import { runCommand } from "../state/run-command.ts";
import { personName } from "../state/person-name.ts";
import { useIsAdmin, useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { RuleForm } from "./rule-form.tsx";
import { decisions } from "./rule-draft.ts";
import { RulesDamageDetails } from "./rules-damage.tsx";
import { useLoaded } from "../state/use-loaded.ts";

/** The stored rules. */
export function Rules() {
  const { api } = useLandline();
  const load = useCallback(async () => (await api.listRules()).rules, [api]);
  const { value: rules, failure, reload } = useLoaded(load);
  const [isAdding, setAdding] = useState(false);
  const canChange = useMe()?.role !== "watch";
  const isAdmin = useIsAdmin();
  const canRemove = ({ where }: Rule) => canChange && (isAdmin || where.in !== "everywhere");
  const remove = async (rule: Rule) => {
    if (!(await runCommand(api.removeRule({ id: rule.id })))) return;
    reload();
    const { decision, what, where } = rule;
    const restore = async () => {
      if (await runCommand(api.addRule({ decision, what, where }))) reload();
    };
    toast("The rule was removed.", {
      action: { label: "Undo", onClick: () => void restore() },
    });
  };
  return (
    <section aria-label="Rules" className="flex flex-col gap-4">
      <RulesDamageDetails />
      <p className="text-sm text-soft">
        Rules answer permission requests for you. When several match, deny wins over ask, and ask
        over allow. The session shows which rule gave an answer.
      </p>
      {failure === null ? null : <p className="text-sm text-bad">{failure}</p>}
      {rules === null && failure === null ? (
        <p className="text-sm text-soft">Loading rules…</p>
      ) : null}
      {rules?.length === 0 ? (
        <p className="text-sm">
          There are no rules. Choose <b>Always…</b> when an agent asks, or add one here.
        </p>
      ) : null}
      {rules && rules.length > 0 ? (
        <ul className="divide-y divide-line rounded-card border border-line">
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              {...(canRemove(rule) ? { onRemove: () => void remove(rule) } : {})}
            />
          ))}
        </ul>
      ) : null}
      {!canChange ? null : isAdding ? (
        <RuleForm
          onCancel={() => setAdding(false)}
          onAdded={() => {
            setAdding(false);
            reload();
          }}
        />
      ) : (
        <Button className="self-start" onClick={() => setAdding(true)}>
          Add a rule
        </Button>
      )}
    </section>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  readonly onRemove?: () => void;
}

function RuleRow({ rule, onRemove }: RuleRowProps) {
  const me = useMe();
  const who = personName(rule.by, me);
  const { name, tone } = decisions[rule.decision];
  return (
    <li className="flex items-start gap-3 px-3 py-2">
      <Chip tone={tone} className="mt-0.5 min-w-14 shrink-0 justify-center">
        {name}
      </Chip>
      <div className="min-w-0 grow">
        <p className="text-sm [overflow-wrap:anywhere]">
          <TextWithCode text={rule.text} />
        </p>
        {rule.notes.map((note) => (
          <p key={note} className="text-xs text-soft [overflow-wrap:anywhere]">
            <TextWithCode text={note} />
          </p>
        ))}
        <p className="text-xs text-soft">
          {who} · <RelativeTime at={rule.at} />
        </p>
      </div>
      {onRemove ? (
        <IconButton icon={Trash2} name={`Remove: ${rule.text}`} onClick={onRemove} />
      ) : null}
    </li>
  );
}
