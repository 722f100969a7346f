import type { NewRule, RuleWords } from "@landline/client";
import { useAgents, useLandline } from "@landline/client/react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { FolderField } from "../sessions/folder-field.tsx";
import { runCommand, describeError } from "../state/run-command.ts";
import { useIsAdmin, useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { ChoiceField } from "./choice-field.tsx";
import { ruleOf, subjects, toolKinds, type RuleDraft, type Subject } from "./rule-draft.ts";

export interface RuleFormProps {
  readonly onAdded: () => void;
  readonly onCancel: () => void;
}

export function RuleForm({ onAdded, onCancel }: RuleFormProps) {
  const { api } = useLandline();
  const me = useMe();
  const isAdmin = useIsAdmin();
  const [draft, setDraft] = useState<RuleDraft>({
    decision: "allow",
    subject: "commandPrefix",
    value: "",
    folder: me?.cwd ?? "",
  });
  const change = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const rule = useMemo(() => ruleOf(draft), [draft]);
  const preview = usePreview(rule);
  const save = async () => {
    if (rule && (await runCommand(api.addRule(rule)))) onAdded();
  };
  return (
    <form
      aria-label="Add a rule"
      className="flex flex-col gap-4 rounded-card border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <ChoiceField<RuleDraft["decision"]>
        legend="Decision"
        value={draft.decision}
        choices={[
          { value: "allow", name: "Allow" },
          { value: "ask", name: "Ask" },
          { value: "deny", name: "Deny" },
        ]}
        onChoose={(decision) =>
          change({
            decision,
            ...(isOffered(draft.subject, decision) ? {} : { subject: "commandPrefix", value: "" }),
          })
        }
      />
      <div className="flex flex-wrap gap-3">
        <Field label="What">
          <select
            value={draft.subject}
            onChange={(event) => change({ subject: subjectOf(event.target.value), value: "" })}
            className={fieldClass}
          >
            {Object.entries(subjects)
              .filter(([subject]) => isOffered(subject, draft.decision))
              .map(([subject, { name }]) => (
                <option key={subject} value={subject}>
                  {name}
                </option>
              ))}
          </select>
        </Field>
        <Value draft={draft} onChange={(value) => change({ value })} />
      </div>
      {isAdmin ? (
        <ChoiceField<"project" | "everywhere">
          legend="Where"
          value={draft.folder === "" ? "everywhere" : "project"}
          choices={[
            { value: "project", name: "In one folder" },
            { value: "everywhere", name: "Everywhere" },
          ]}
          onChoose={(where) => change({ folder: where === "project" ? (me?.cwd ?? "/") : "" })}
        />
      ) : null}
      {draft.folder === "" ? null : (
        <FolderField folder={draft.folder} onChange={(folder) => change({ folder })} />
      )}
      <output className="block min-h-5 text-sm">
        <TextWithCode text={preview.text} />
        {preview.notes.map((note) => (
          <span key={note} className="block text-xs text-soft [overflow-wrap:anywhere]">
            <TextWithCode text={note} />
          </span>
        ))}
      </output>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button variant="primary" type="submit" disabled={rule === null}>
          Add the rule
        </Button>
      </div>
    </form>
  );
}

interface ValueProps {
  readonly draft: RuleDraft;
  readonly onChange: (value: string) => void;
}

function Value({ draft, onChange }: ValueProps) {
  const agents = useAgents() ?? [];
  if (draft.subject === "onlyReads") return null;
  const choices =
    draft.subject === "toolKind" ? toolKinds : agents.map(({ id, name }) => ({ value: id, name }));
  if (subjects[draft.subject].example !== "") {
    return (
      <Field label="Text">
        <input
          value={draft.value}
          placeholder={subjects[draft.subject].example}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          className={`${fieldClass} font-mono`}
        />
      </Field>
    );
  }
  return (
    <Field label="Which">
      <select
        value={draft.value}
        onChange={(event) => onChange(event.target.value)}
        className={fieldClass}
      >
        <option value="">Choose…</option>
        {choices.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

const fieldClass = "touchable h-8 w-full rounded-input border border-line bg-page px-2 text-sm";

interface FieldProps {
  readonly label: string;
  readonly children: ReactNode;
}

function Field({ label, children }: FieldProps) {
  return (
    <label className="flex min-w-48 grow basis-0 flex-col gap-1 text-sm font-medium">
      {label}
      {children}
    </label>
  );
}

function subjectOf(text: string): Subject {
  return Object.hasOwn(subjects, text) ? (text as Subject) : "commandPrefix";
}

/** Commands that only read can be allowed, but have no `ask` or `deny` rules. */
function isOffered(subject: string, decision: RuleDraft["decision"]): boolean {
  return subject !== "onlyReads" || decision === "allow";
}

const waitMs = 250;

const noWords: RuleWords = { text: "", notes: [] };

/** The gateway's description of the rule, as the list will show it. */
function usePreview(rule: NewRule | null): RuleWords {
  const { api } = useLandline();
  const [heard, setHeard] = useState(noWords);
  useEffect(() => {
    if (rule === null) return undefined;
    let isWanted = true;
    const ask = async () => {
      const words = await api
        .previewRule(rule)
        .catch((error: unknown): RuleWords => ({ text: describeError(error).message, notes: [] }));
      if (isWanted) setHeard(words);
    };
    const timer = setTimeout(() => void ask(), waitMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [api, rule]);
  return rule === null ? noWords : heard;
}
