import { clsx } from "clsx";
import { ChevronDown, ShieldOff, SlidersHorizontal, ToggleLeft, ToggleRight } from "lucide-react";
import { lazy, Suspense, useState, type ComponentProps, type ReactNode } from "react";
import { useSessionAgent } from "../sessions/use-session-agent.ts";
import { openSignIn } from "../app/overlay.ts";
import { Menu, MenuChoices, MenuItem, MenuLine } from "../ui/menu.tsx";
import { isAllowingAll, signInHelp, valueName, type SessionOption } from "./session-options.ts";
import { useSessionOptions, type SessionOptions } from "./use-session-options.ts";

const OptionPicker = lazy(async () => ({
  default: (await import("./option-picker.tsx")).OptionPicker,
}));

/** More options than this go into one menu. */
const shownMost = 4;
/** With more options than this, mode and model have no label, so that all fit into one row. */
const labelledMost = 3;
/** Options with more values than this get a picker with a search field. */
const menuMost = 15;

/** Mode, model and other options of the agent as small menus and switches; one menu on a phone. */
export function OptionMenus({ isDisabled }: { readonly isDisabled: boolean }) {
  const offered = useSessionOptions();
  const { offers } = offered;
  const signIn = useSignIn();
  const [pickedKey, setPicked] = useState<string | null>(null);
  const picked = offers.find(({ key }) => key === pickedKey);
  const shared = { offered, isDisabled, onPick: setPicked };
  if (offers.length === 0) return null;
  const shown = offers.length > shownMost ? offers.slice(0, shownMost - 1) : offers;
  return (
    <>
      <div className="hidden min-w-0 flex-wrap items-center medium:flex">
        {shown.map((offer) => {
          const Shown = offer.kind === "boolean" ? OfferSwitch : OfferMenu;
          const hasLabel = shown.length <= labelledMost || offer.role === "other";
          return <Shown key={offer.key} offer={offer} hasLabel={hasLabel} {...shared} />;
        })}
        <RestMenu offers={offers.slice(shown.length)} {...shared} />
      </div>
      <div className="flex min-w-0 medium:hidden">
        <RestMenu offers={offers} {...shared} />
      </div>
      {picked ? (
        <Suspense fallback={null}>
          <OptionPicker
            offer={picked}
            value={offered.pending.get(picked.key) ?? picked.value}
            onChoose={(value) => offered.choose(picked, value)}
            onSignIn={picked.role === "model" ? signIn : null}
            onClose={() => setPicked(null)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

interface OfferMenuProps {
  readonly offer: SessionOption;
  /** Whether there is room for the option's name beside its value. */
  readonly hasLabel?: boolean;
  readonly offered: SessionOptions;
  readonly isDisabled: boolean;
  readonly onPick: (key: string) => void;
}

function OfferMenu({ offer, hasLabel = false, offered, isDisabled, onPick }: OfferMenuProps) {
  const pending = offered.pending.get(offer.key);
  const isAll = isAllowingAll(offer, pending);
  const trigger = {
    name: `${offer.name}: ${valueName(offer, pending)}`,
    isPending: pending !== undefined,
    isAll,
    disabled: isDisabled,
    children: (
      <>
        {isAll ? <AllSign /> : null}
        {hasLabel ? (
          <span className="hidden text-soft wide:inline">{`${offer.name}: `}</span>
        ) : null}
        <span className="truncate text-ink">{valueName(offer, pending)}</span>
      </>
    ),
  };
  if (isLong(offer))
    return <Trigger {...trigger} aria-haspopup="dialog" onClick={() => onPick(offer.key)} />;
  return (
    <Menu side="top" trigger={<Trigger {...trigger} />}>
      <Choices offer={offer} offered={offered} />
      {offer.role === "model" ? <SignInLine /> : null}
    </Menu>
  );
}

/** Opens the sign-in, since the available models depend on it; null when this client can't sign in. */
function useSignIn(): (() => void) | null {
  const { id, canSignIn } = useSessionAgent();
  return canSignIn ? () => openSignIn(id) : null;
}

function SignInLine() {
  const signIn = useSignIn();
  if (signIn === null) return null;
  return (
    <>
      <MenuLine />
      <MenuItem onSelect={signIn}>{signInHelp}</MenuItem>
    </>
  );
}

function isLong({ groups }: SessionOption): boolean {
  return groups.reduce((sum, { choices }) => sum + choices.length, 0) > menuMost;
}

function OfferSwitch({ offer, offered, isDisabled }: OfferMenuProps) {
  const pending = offered.pending.get(offer.key);
  const isOn = (pending ?? offer.value) === true;
  const Icon = isOn ? ToggleRight : ToggleLeft;
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={offer.name}
      title={offer.about ?? undefined}
      disabled={isDisabled || pending !== undefined}
      onClick={() => offered.choose(offer, !isOn)}
      className={clsx(look, isOn && "text-ink", pending !== undefined && "animate-breathe")}
    >
      <Icon
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className={clsx("shrink-0", isOn && "text-accent")}
      />
      <span className="max-w-40 truncate">{offer.name}</span>
      <span aria-hidden className={isOn ? "font-medium text-accent" : "text-soft"}>
        {isOn ? "on" : "off"}
      </span>
    </button>
  );
}

interface RestMenuProps extends Omit<OfferMenuProps, "offer"> {
  readonly offers: readonly SessionOption[];
}

function RestMenu({ offers, offered, isDisabled, onPick }: RestMenuProps) {
  if (offers.length === 0) return null;
  const isAll = offers.some((offer) => isAllowingAll(offer, offered.pending.get(offer.key)));
  const isPending = offered.pending.size > 0;
  return (
    <Menu
      side="top"
      trigger={
        <Trigger name="Options" isPending={isPending} isAll={isAll} disabled={isDisabled}>
          {isAll ? <AllSign /> : <SlidersHorizontal size={16} strokeWidth={1.5} aria-hidden />}
          Options
        </Trigger>
      }
    >
      {offers.map((offer, position) => (
        <div key={offer.key}>
          {position === 0 ? null : <MenuLine />}
          {isLong(offer) ? (
            <MenuItem onSelect={() => onPick(offer.key)}>
              {`${offer.name}: ${valueName(offer, offered.pending.get(offer.key))}…`}
            </MenuItem>
          ) : (
            <Choices offer={offer} offered={offered} />
          )}
          {offer.role === "model" ? <SignInLine /> : null}
        </div>
      ))}
    </Menu>
  );
}

const yesNo = [
  { value: "on", name: "On" },
  { value: "off", name: "Off" },
] as const;

function Choices({ offer, offered }: Pick<OfferMenuProps, "offer" | "offered">) {
  const value = offered.pending.get(offer.key) ?? offer.value;
  if (typeof value === "boolean") {
    return (
      <MenuChoices
        label={offer.name}
        value={value ? "on" : "off"}
        choices={yesNo}
        onChoose={(chosen) => offered.choose(offer, chosen === "on")}
      />
    );
  }
  return offer.groups.map((group, position) => (
    <MenuChoices
      key={`${group.name} ${group.choices[0]?.value}`}
      label={
        position === 0 ? [offer.name, group.name].filter(Boolean).join(" · ") : (group.name ?? "")
      }
      value={value}
      choices={group.choices}
      onChoose={(chosen) => offered.choose(offer, chosen)}
    />
  ));
}

const look =
  "touchable inline-flex min-w-0 items-center gap-1 rounded-input px-1.5 py-1 text-sm text-soft hover:bg-raised hover:text-ink disabled:opacity-50";

interface TriggerProps extends Omit<ComponentProps<"button">, "children" | "name"> {
  readonly name: string;
  readonly isPending: boolean;
  /** Whether the mode allows everything without asking. */
  readonly isAll: boolean;
  readonly children: ReactNode;
}

function Trigger({ name, isPending, isAll, children, ...rest }: TriggerProps) {
  const words = isAll ? `${name} (the agent does not ask before it acts)` : name;
  return (
    <button
      type="button"
      title={words}
      aria-label={isPending ? `${words}, being set` : words}
      className={clsx(look, isPending && "animate-breathe", isAll && "font-medium text-ink")}
      {...rest}
    >
      <span className="flex min-w-0 max-w-48 items-center gap-1 truncate">{children}</span>
      <ChevronDown size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
    </button>
  );
}

/** Warns that the mode allows everything. */
function AllSign() {
  return <ShieldOff size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />;
}
