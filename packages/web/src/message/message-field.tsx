import { useId, useState, type KeyboardEvent, type RefObject } from "react";
import { pastedFiles } from "./attachment.ts";
import { segmentsOf, type Mention } from "./mention.ts";
import { optionId, Suggestions, type SuggestionsProps } from "./suggestions.tsx";
import { useCompletion } from "./use-completion.ts";
import type { SuggestionSource } from "./use-suggestions.ts";

export interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly mentions: readonly Mention[];
  readonly id?: string;
  readonly label: string;
  readonly placeholder: string;
  readonly source: SuggestionSource;
  /** Where the list of suggestions is shown. */
  readonly placement: SuggestionsProps["placement"];
  /** The input hint of the typed command. */
  readonly hint?: string | null;
  readonly describedBy?: string;
  /** The height of the empty field in lines. */
  readonly rows?: number;
  readonly isReadOnly?: boolean;
  readonly onChange: (text: string, mention?: Mention) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  readonly onPasteFiles: (files: readonly File[]) => void;
}

const shape = "col-start-1 row-start-1 w-full px-3 pt-2.5 pb-1 break-words whitespace-pre-wrap";

/** Grows with its text. A copy of the text behind it highlights the mentions. */
export function MessageField(props: MessageFieldProps) {
  const { field, text, mentions, source, hint = null, onChange } = props;
  const [caret, setCaret] = useState<number | null>(null);
  const completion = useCompletion({ field, text, caret, setCaret, onChange, source });
  const { trigger, rows, active } = completion;
  const id = useId();

  return (
    <>
      <div className="grid max-h-[40dvh] overflow-y-auto [@media(max-height:600px)]:max-h-[24dvh] rounded-t-card">
        <div aria-hidden className={`${shape} pointer-events-none text-transparent select-none`}>
          {segmentsOf(text, mentions).map((segment) =>
            segment.isMention ? (
              <span key={segment.from} className="rounded-input bg-accent-soft">
                {segment.text}
              </span>
            ) : (
              segment.text
            ),
          )}
          {hint === null ? null : <span className="text-soft">{hint}</span>}
          {/* Gives an empty last line its height. */}
          {"\u200B"}
        </div>
        <textarea
          ref={field}
          id={props.id}
          rows={props.rows ?? 1}
          data-autofocus
          // Escape closes only the list, not the dialog around the field.
          data-keeps-escape={trigger === null ? undefined : ""}
          readOnly={props.isReadOnly}
          aria-label={props.label}
          aria-describedby={props.describedBy}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={trigger === null ? undefined : id}
          aria-activedescendant={rows[active] && trigger ? optionId(id, active) : undefined}
          placeholder={props.placeholder}
          value={text}
          className={`${shape} resize-none overflow-hidden bg-transparent outline-none placeholder:text-soft`}
          onChange={(event) => {
            setCaret(event.target.selectionStart);
            onChange(event.target.value);
          }}
          onSelect={(event) => {
            const { selectionStart, selectionEnd } = event.currentTarget;
            setCaret(selectionStart === selectionEnd ? selectionStart : null);
          }}
          onBlur={() => setCaret(null)}
          onKeyDown={(event) => {
            if (completion.takesKey(event)) {
              event.preventDefault();
              event.stopPropagation();
            } else props.onKeyDown(event);
          }}
          onPaste={(event) => {
            const files = pastedFiles(event.clipboardData);
            if (files.length === 0) return;
            event.preventDefault();
            props.onPasteFiles(files);
          }}
        />
      </div>
      {trigger === null ? null : (
        <Suggestions
          id={id}
          label={trigger.kind === "command" ? "Commands" : "Files"}
          rows={rows}
          words={completion.words}
          active={active}
          placement={props.placement}
          onPoint={completion.setActive}
          onChoose={completion.choose}
        />
      )}
    </>
  );
}
