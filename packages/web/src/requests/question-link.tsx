import type { QuestionOutcome } from "@landline/client";
import { ExternalLink } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useAnswering } from "./use-answer-guard.ts";
import { useDisabledReasonId } from "./offline-note.tsx";
import { QuestionRefusals } from "./question-form.tsx";

export interface QuestionLinkProps {
  readonly url: unknown;
  readonly isBusy: boolean;
  readonly otherwise: ReactNode;
  readonly onAnswer: (answer: QuestionOutcome) => void;
}

/**
 * A page that the agent asks the person to visit. Opening it is the answer: the page tells the agent when the
 * person is done.
 */
export function QuestionLink({ url, isBusy, otherwise, onAnswer }: QuestionLinkProps) {
  const [isDisclosureOpen, setOpened] = useState(false);
  const disabledReasonId = useDisabledReasonId();
  const { mark, isAppearing, accepts } = useAnswering();
  const address = addressOf(url);
  return (
    <div className="flex flex-col gap-3">
      <p className="rounded-input border border-line bg-sunken px-2 py-1 font-mono text-sm break-all">
        {address === null ? (
          String(url).slice(0, 2_000)
        ) : (
          <>
            <span className="text-soft">{address.before}</span>
            <strong>{address.host}</strong>
            <span className="text-soft">{address.after}</span>
          </>
        )}
      </p>
      {address === null ? (
        <p className="text-sm text-bad">This is not a web address, so it can't be opened here.</p>
      ) : null}
      {isDisclosureOpen ? (
        <output className="text-sm text-soft">
          Opened in a new tab. The agent continues when you are done there.
        </output>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {address === null ? null : (
          <a
            href={address.href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="touchable inline-flex items-center justify-center gap-2 rounded-input bg-accent px-3 py-1 text-sm font-medium text-on-accent transition-opacity hover:opacity-90 aria-disabled:cursor-default aria-disabled:opacity-50 data-[answer=wait]:cursor-default data-[answer=wait]:opacity-50"
            {...mark}
            aria-disabled={disabledReasonId !== null || isAppearing || undefined}
            aria-describedby={disabledReasonId ?? undefined}
            onClick={(event) => {
              if (disabledReasonId !== null || !accepts(event.nativeEvent)) {
                event.preventDefault();
                return;
              }
              setOpened(true);
              // Also on repeated clicks: while the request is open, no answer has arrived.
              if (!isBusy) onAnswer({ action: "accept" });
            }}
          >
            <ExternalLink size={16} strokeWidth={1.5} aria-hidden />
            {isDisclosureOpen ? "Open again" : `Open ${address.host}`}
          </a>
        )}
        <QuestionRefusals isBusy={isBusy} otherwise={otherwise} onAnswer={onAnswer} />
      </div>
    </div>
  );
}

/** The host as the browser parses it, so that a user name can't pass for one. */
function addressOf(url: unknown) {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) return null;
  const { href, host } = parsed;
  const start = href.indexOf(host, `${parsed.protocol}//`.length + userLength(parsed));
  return { href, host, before: href.slice(0, start), after: href.slice(start + host.length) };
}

function userLength({ username, password }: URL): number {
  if (username === "" && password === "") return 0;
  return username.length + (password === "" ? 0 : password.length + 1) + 1;
}
