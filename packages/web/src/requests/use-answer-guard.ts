import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
  type RefObject,
} from "react";
import { AnswerGuard } from "./answer-guard.ts";
import { PressTracker } from "./press-tracker.ts";

const Guard = createContext<AnswerGuard | null>(null);

/** Wraps everything that answers a request. */
export const AnswerGuardProvider = Guard.Provider;

/** A new guard, for a part of the page that has its own answers, such as a dialog. */
export function useNewAnswerGuard(): AnswerGuard {
  const outer = useContext(Guard);
  const [guard] = useState(() => new AnswerGuard(outer?.presses ?? new PressTracker()));
  const isOutermost = outer === null;
  useEffect(() => (isOutermost ? guard.presses.listen() : undefined), [guard, isOutermost]);
  return guard;
}

/** Makes the guard watch the element while the request is shown in it. */
export function useGuardedElement(
  guard: AnswerGuard,
  element: RefObject<Element | null>,
  isShown = true,
) {
  useLayoutEffect(() => {
    if (!isShown || element.current === null) return undefined;
    return guard.watch(element.current);
  }, [guard, element, isShown]);
}

export interface Answering {
  /** Marks the element, for its style and so that the guard can see it move. */
  readonly mark: { readonly "data-answer": "ready" | "wait" };
  /** For `aria-disabled`. A request that only moved is not disabled for keys and assistive technology. */
  readonly isAppearing: boolean;
  readonly accepts: (event: MouseEvent | KeyboardEvent) => boolean;
}

export function useAnswering(): Answering {
  const guard = useContext(Guard);
  if (guard === null) throw new Error("This component needs an AnswerGuardProvider above it.");
  const state = useSyncExternalStore(guard.subscribe, guard.state);
  return {
    mark: { "data-answer": state === "ready" ? "ready" : "wait" },
    isAppearing: state === "appearing",
    accepts: (event) => guard.accepts(event),
  };
}
