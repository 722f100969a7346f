import type { ReactNode } from "react";
import { useMe, useThisSession } from "../state/session.tsx";
import { MessageForm } from "./message-form.tsx";
import { Queue } from "./queue.tsx";

const nothing = () => undefined;

export interface ComposerProps {
  /** Rendered above the queue; scrolls with it when there is little height. */
  readonly children?: ReactNode;
}

/**
 * The message field with the queue above it. When height is short, everything above the field scrolls together and
 * the field and its buttons stay visible.
 */
export function Composer({ children }: ComposerProps) {
  const session = useThisSession();
  if (useMe()?.role === "watch") {
    return (
      <>
        <div className={aboveLook}>
          {children}
          <Queue editing={null} onEdit={nothing} onLost={nothing} />
        </div>
        <p className="column shrink-0 px-3 pb-3 text-center text-sm text-soft">
          You can only read this conversation. To write in it, open a link with the role “control”.
        </p>
      </>
    );
  }
  return (
    <MessageForm key={session.id} aboveLook={aboveLook}>
      {children}
    </MessageForm>
  );
}

const aboveLook = "flex min-h-0 flex-col overflow-y-auto";
