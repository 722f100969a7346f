import { Command } from "cmdk";
import { Check } from "lucide-react";
import { groupClass, rowClass } from "../app/palette-row.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { matchScore } from "../ui/match-score.ts";
import { isTouch } from "../ui/input-device.ts";
import { signInHelp, type SessionOption } from "./session-options.ts";

export interface OptionPickerProps {
  readonly offer: SessionOption;
  readonly value: SessionOption["value"];
  readonly onChoose: (value: string) => void;
  /** Null when signing in would add no choices. */
  readonly onSignIn: (() => void) | null;
  readonly onClose: () => void;
}

/** Searches the values of one option by name: an agent may offer hundreds of models. */
export function OptionPicker(props: OptionPickerProps) {
  const { offer, value, onChoose, onSignIn, onClose } = props;
  return (
    <Dialog
      title={offer.name}
      isOpen
      onClose={onClose}
      {...(offer.about === null ? {} : { about: offer.about })}
    >
      <Command label={offer.name} loop filter={score}>
        <Command.Input
          // On a phone the keyboard would cover the list.
          {...(isTouch() ? {} : { "data-autofocus": "" })}
          placeholder="Find by name"
          className="touchable sticky top-0 z-10 w-full rounded-input border border-line-strong bg-page px-2 py-1 text-base -outline-offset-2"
        />
        <Command.List className="mt-2">
          <Command.Empty className="px-2 py-1.5 text-sm text-soft">No results.</Command.Empty>
          {offer.groups.map(({ name, choices }) => (
            <Command.Group
              key={`${name} ${choices[0]?.value}`}
              {...(name === null ? {} : { heading: name })}
              className={groupClass}
            >
              {choices.map((choice) => (
                <Command.Item
                  key={choice.value}
                  value={choice.value}
                  keywords={[choice.name, choice.about ?? "", name ?? ""]}
                  onSelect={() => {
                    onClose();
                    onChoose(choice.value);
                  }}
                  className={rowClass}
                >
                  <span className="flex size-4 shrink-0 items-center">
                    {choice.value === value ? (
                      <Check size={16} strokeWidth={1.5} aria-label="Chosen" />
                    ) : null}
                  </span>
                  <span className="min-w-0">
                    <span className="block">{choice.name}</span>
                    {choice.about === null ? null : (
                      <span className="block text-xs text-soft">{choice.about}</span>
                    )}
                  </span>
                </Command.Item>
              ))}
            </Command.Group>
          ))}
          {onSignIn === null ? null : (
            <Command.Item
              value={signInHelp}
              onSelect={() => {
                onClose();
                onSignIn();
              }}
              className={rowClass}
            >
              {signInHelp}
            </Command.Item>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Matches the name, because the value is an id. */
function score(value: string, typed: string, keywords: string[] = []): number {
  return matchScore([...keywords, value].join(" "), typed);
}
