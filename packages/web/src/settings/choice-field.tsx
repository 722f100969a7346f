import { useId } from "react";

export interface ChoiceFieldProps<Value extends string> {
  readonly legend: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly name: string }[];
  readonly onChoose: (value: Value) => void;
  readonly about?: string;
}

/** A radio group with all options visible. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { legend, value, choices, onChoose, about } = props;
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-1 rounded-card border border-line p-1">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="touchable inline-flex cursor-pointer items-center justify-center rounded-input px-3 py-1 text-sm text-soft hover:text-ink has-checked:bg-accent-soft has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChoose(choice.value)}
              className="sr-only"
            />
            {choice.name}
          </label>
        ))}
      </div>
      {about === undefined ? null : <p className="mt-1 text-xs text-soft">{about}</p>}
    </fieldset>
  );
}
