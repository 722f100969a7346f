import type { NewRule, RuleSuggestion, RuleSuggestions, RuleWords } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { clsx } from "clsx";
import { TriangleAlert } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { describeError } from "../state/run-command.ts";
import { useIsAdmin, useThisSession, useView } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { AnswerGuardProvider, useNewAnswerGuard, useGuardedElement } from "./use-answer-guard.ts";
import { OfflineNote, useDisabledReasonId } from "./offline-note.tsx";
import {
  distinctRules,
  ruleScopes,
  ruleWithScope,
  ruleSubjectText,
  type RuleScope,
} from "./rule-scope.ts";

export interface RuleDialogProps {
  readonly askId: string;
  /** The rule is saved, and the request can be answered. */
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Shows a rule in words before it is saved: what it allows, and where. */
export function RuleDialog({ askId, onSaved, onClose }: RuleDialogProps) {
  const { api } = useLandline();
  const session = useThisSession();
  const [found, setFound] = useState<RuleSuggestions | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    api.suggestRules({ sessionId: session.id, askId }).then(
      (answer) => isWanted && setFound(answer),
      (error: unknown) => isWanted && setProblem(describeError(error).message),
    );
    return () => {
      isWanted = false;
    };
  }, [api, session.id, askId]);
  const suggestions = found && distinctRules(found.rules);
  const reason = found?.reason ?? null;
  return (
    <Dialog
      title="Always allow"
      isOpen
      onClose={onClose}
      {...(suggestions?.length === 0
        ? {}
        : {
            about: "You will not be asked about what the rule covers. Settings → Rules lists it.",
          })}
    >
      {problem === null ? null : <p className="text-sm text-bad">{problem}</p>}
      {suggestions === null && problem === null ? (
        <p className="text-sm text-soft">Looking for rules that fit…</p>
      ) : null}
      {suggestions?.length === 0 ? (
        <p className="text-sm text-soft">
          A rule can't allow this. {reason === null ? null : <TextWithCode text={reason} />}
        </p>
      ) : null}
      {suggestions && suggestions.length > 0 ? (
        <RuleChoice suggestions={suggestions} onSaved={onSaved} onClose={onClose} />
      ) : (
        <Button className="mt-3" onClick={onClose}>
          Back
        </Button>
      )}
    </Dialog>
  );
}

interface RuleChoiceProps extends Omit<RuleDialogProps, "askId"> {
  readonly suggestions: readonly RuleSuggestion[];
}

function RuleChoice({ suggestions, onSaved, onClose }: RuleChoiceProps) {
  const { api } = useLandline();
  const session = useThisSession();
  const folder = useView((view) => view.session.cwd, "");
  const [chosen, setChosen] = useState(0);
  const [place, setPlace] = useState<RuleScope | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const suggested = suggestions[chosen]?.rule ?? null;
  const isRisky = suggestions[chosen]?.isRisky === true;
  const rule = suggested && ruleWithScope(suggested, place, { sessionId: session.id, folder });
  const isCutOff = useDisabledReasonId() !== null;
  const { words, failure } = useRuleWords(
    rule,
    rule === suggested ? (suggestions[chosen] ?? null) : null,
    isCutOff,
  );
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const guard = useNewAnswerGuard();
  useGuardedElement(guard, form);

  const save = async () => {
    if (rule === null) return;
    setSaving(true);
    try {
      await api.addRule(rule);
      onSaved();
      onClose();
    } catch (error) {
      setProblem(describeError(error).message);
      setSaving(false);
    }
  };

  return (
    <form
      ref={form}
      className="flex flex-col gap-4"
      // Enter on a radio button must not save the rule.
      onSubmit={(event) => event.preventDefault()}
    >
      <fieldset className="flex flex-col">
        <legend className="text-sm font-medium">What</legend>
        {suggestions.map((suggestion, position) => (
          <Radio
            key={suggestion.text}
            name={`${id}-what`}
            isChosen={position === chosen}
            onChoose={() => setChosen(position)}
          >
            {ruleSubjectText(suggestion.rule)}
          </Radio>
        ))}
      </fieldset>
      <fieldset className="flex flex-col">
        <legend className="text-sm font-medium">Where</legend>
        {usePlaces(folder).map((one) => (
          <Radio
            key={one.place}
            name={`${id}-where`}
            isChosen={one.place === rule?.where.in}
            onChoose={() => setPlace(one.place)}
          >
            {one.words}
          </Radio>
        ))}
      </fieldset>
      <InWords words={words} isRisky={isRisky} />
      {problem === null && failure === null ? null : (
        <p role="alert" className="text-sm text-bad">
          {problem ?? failure}
        </p>
      )}
      {isCutOff ? <OfflineNote id={`${id}-offline`} /> : null}
      <div className="flex flex-wrap gap-2">
        <AnswerGuardProvider value={guard}>
          <AnswerButton
            variant="primary"
            disabled={isSaving || words === null}
            disabledReasonId={isCutOff ? `${id}-offline` : null}
            onClick={() => void save()}
          >
            Save rule and allow
          </AnswerButton>
        </AnswerGuardProvider>
        <Button variant="quiet" onClick={onClose}>
          Back
        </Button>
      </div>
    </form>
  );
}

/** Only an admin can make a rule for everywhere. */
function usePlaces(folder: string) {
  const isAdmin = useIsAdmin();
  return ruleScopes(folder).filter(({ place }) => isAdmin || place !== "everywhere");
}

interface InWordsProps {
  readonly words: RuleWords | null;
  readonly isRisky: boolean;
}

/** The description of the rule that will be saved. */
function InWords({ words, isRisky }: InWordsProps) {
  return (
    <p
      aria-live="polite"
      className={clsx(
        "flex items-start gap-2 rounded-card px-3 py-2 text-sm",
        isRisky ? "bg-bad-soft text-bad" : "bg-good-soft text-good",
      )}
    >
      {isRisky ? (
        <TriangleAlert
          size={16}
          strokeWidth={1.5}
          aria-label="Careful"
          className="mt-0.5 shrink-0"
        />
      ) : null}
      <span className="min-w-0">
        <TextWithCode text={words?.text ?? "…"} />
        {words?.notes.map((note) => (
          <span key={note} className="mt-1 block text-xs text-ink">
            <TextWithCode text={note} />
          </span>
        ))}
      </span>
    </p>
  );
}

interface HeardWords {
  /** Null while it is loading and if it failed: never the description of another rule. */
  readonly words: RuleWords | null;
  /** Why there is no description. */
  readonly failure: string | null;
}

/** The gateway's description of the rule, loaded when online; a suggested rule has its own. */
function useRuleWords(
  rule: NewRule | null,
  suggested: RuleWords | null,
  isCutOff: boolean,
): HeardWords {
  const { api } = useLandline();
  const [answer, setAnswer] = useState<(HeardWords & { readonly of: string }) | null>(null);
  const asked = rule === null ? null : JSON.stringify(rule);
  useEffect(() => {
    if (asked === null || isCutOff) return undefined;
    let isWanted = true;
    api.previewRule(JSON.parse(asked) as NewRule).then(
      (words) => isWanted && setAnswer({ of: asked, words, failure: null }),
      (error: unknown) =>
        isWanted && setAnswer({ of: asked, words: null, failure: describeError(error).message }),
    );
    return () => {
      isWanted = false;
    };
  }, [api, asked, isCutOff]);
  const known = answer?.of === asked ? answer : null;
  const words = known?.words ?? suggested;
  return { words, failure: words === null ? (known?.failure ?? null) : null };
}

interface RadioProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: string;
}

function Radio({ name, isChosen, onChoose, children }: RadioProps) {
  return (
    <label className="touchable flex items-start gap-2 py-1 text-sm">
      <input
        type="radio"
        name={name}
        checked={isChosen}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 break-words">{children}</span>
    </label>
  );
}
