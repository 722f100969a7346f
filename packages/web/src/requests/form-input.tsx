import type { ReactNode } from "react";
import { choicesShown, type Choice, type FieldValue, type FormField } from "./form-field.ts";

/** Longer lists of choices are a menu. */
const radiosMost = 7;

export interface FormInputProps {
  readonly field: FormField;
  readonly value: FieldValue;
  readonly problem: string | null;
  readonly id: string;
  readonly onChange: (value: FieldValue) => void;
}

/** One field with its label, description and error. */
export function FormInput(props: FormInputProps) {
  const { field, problem, id } = props;
  const isSet = isChoiceSet(field);
  const about = (
    <>
      {field.about === null ? null : (
        <p id={`${id}-about`} className="text-sm whitespace-pre-wrap text-soft">
          {field.about}
        </p>
      )}
      {field.kind === "json" ? (
        <p id={`${id}-kind`} className="text-sm text-soft">
          The agent wants a value of the type “{field.type}”. Write text, or JSON.
        </p>
      ) : null}
      {field.kind === "list" ? <p className="text-sm text-soft">One per line.</p> : null}
    </>
  );
  const label = (
    <>
      {field.label}
      {field.isRequired ? null : <span className="font-normal text-soft"> (optional)</span>}
    </>
  );
  const error =
    problem === null ? null : (
      <p id={`${id}-problem`} className="text-sm text-bad">
        {problem}
      </p>
    );
  if (isSet) {
    return (
      <fieldset className="flex flex-col" aria-describedby={describedBy(props)}>
        <legend className="mb-1 text-sm font-medium">{label}</legend>
        {about}
        <Control {...props} />
        {error}
      </fieldset>
    );
  }
  if (field.kind === "boolean") {
    return (
      <div className="flex flex-col">
        <Tick
          input={
            <input
              id={id}
              type="checkbox"
              checked={props.value === true}
              onChange={(event) => props.onChange(event.target.checked)}
              {...aria(props)}
            />
          }
        >
          <span className="font-medium">{field.label}</span>
        </Tick>
        {about}
        {error}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {about}
      <Control {...props} />
      {error}
    </div>
  );
}

const box =
  "touchable w-full rounded-input border border-line-strong bg-page px-2 py-1 text-base text-ink aria-invalid:border-bad";

function Control(props: FormInputProps) {
  const { field, value, id, onChange } = props;
  const text = typeof value === "string" ? value : "";
  const shared = { id, className: box, value: text, ...aria(props) };
  if (field.kind === "choices") return <Several {...props} choices={field.choices} />;
  if (field.kind === "choice") {
    if (field.choices.length <= radiosMost) return <OneOf {...props} choices={field.choices} />;
    return (
      <select {...shared} onChange={(event) => onChange(event.target.value)}>
        <option value="">{field.isRequired ? "Choose one" : "None"}</option>
        {field.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
        {field.choices.length < choicesShown ? null : (
          <option disabled>There are more options than can be shown</option>
        )}
      </select>
    );
  }
  if (field.kind === "list" || field.kind === "json" || (field.kind === "text" && field.isLong)) {
    return (
      <textarea
        {...shared}
        rows={3}
        onChange={(event) => onChange(event.target.value)}
        className={`${box} field-sizing-content max-h-60 min-h-20`}
      />
    );
  }
  return (
    <input
      {...shared}
      {...inputKind(field)}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function inputKind(field: FormField) {
  if (field.kind === "number") {
    return { type: "text", inputMode: field.isInteger ? "numeric" : "decimal" } as const;
  }
  if (field.kind !== "text") return { type: "text" };
  const types = {
    text: "text",
    email: "email",
    uri: "url",
    date: "date",
    "date-time": "datetime-local",
    password: "password",
  } as const;
  return { type: types[field.format], spellCheck: field.format === "text" };
}

interface ChoiceInputProps extends FormInputProps {
  readonly choices: readonly Choice[];
}

function OneOf({ field, value, id, onChange, choices, ...rest }: ChoiceInputProps) {
  const all = field.isRequired ? choices : [...choices, { value: "", title: "None", about: null }];
  return all.map((choice, position) => (
    <Tick
      key={choice.value}
      about={choice.about}
      input={
        <input
          id={position === 0 ? id : `${id}-${position}`}
          type="radio"
          name={id}
          checked={value === choice.value}
          onChange={() => onChange(choice.value)}
          {...aria({ id, field, problem: rest.problem })}
        />
      }
    >
      {choice.title}
    </Tick>
  ));
}

function Several({ field, value, id, onChange, choices, ...rest }: ChoiceInputProps) {
  const chosen = new Set(typeof value === "object" ? value : []);
  const toggle = (one: string, isOn: boolean) => {
    const next = choices.map((choice) => choice.value);
    onChange(next.filter((other) => (other === one ? isOn : chosen.has(other))));
  };
  return (
    <div className="max-h-60 overflow-y-auto">
      {choices.map((choice, position) => (
        <Tick
          key={choice.value}
          about={choice.about}
          input={
            <input
              id={position === 0 ? id : `${id}-${position}`}
              type="checkbox"
              checked={chosen.has(choice.value)}
              onChange={(event) => toggle(choice.value, event.target.checked)}
              {...aria({ id, field, problem: rest.problem })}
            />
          }
        >
          {choice.title}
        </Tick>
      ))}
    </div>
  );
}

interface TickProps {
  readonly input: ReactNode;
  readonly children: ReactNode;
  readonly about?: string | null;
}

function Tick({ input, children, about = null }: TickProps) {
  return (
    <label className="flex items-start gap-2 py-1 pointer-coarse:py-3 text-sm [&_input]:mt-0.5 [&_input]:size-4 [&_input]:shrink-0 [&_input]:accent-accent">
      {input}
      <span className="min-w-0">
        <span className="block">{children}</span>
        {about === null ? null : <span className="block text-soft">{about}</span>}
      </span>
    </label>
  );
}

type Described = Pick<FormInputProps, "field" | "problem" | "id">;

function describedBy({ field, problem, id }: Described): string | undefined {
  const ids = [
    field.about === null ? null : `${id}-about`,
    field.kind === "json" ? `${id}-kind` : null,
    problem === null ? null : `${id}-problem`,
  ].filter((one) => one !== null);
  return ids.length === 0 ? undefined : ids.join(" ");
}

/** A group of choices is described once, by its fieldset. */
function aria(described: Described) {
  const isSet = isChoiceSet(described.field);
  return {
    "aria-describedby": isSet ? undefined : describedBy(described),
    "aria-invalid": described.problem !== null || undefined,
    "aria-required": (!isSet && described.field.isRequired) || undefined,
  };
}

function isChoiceSet(field: FormField): boolean {
  return (
    field.kind === "choices" || (field.kind === "choice" && field.choices.length <= radiosMost)
  );
}
