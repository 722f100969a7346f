import { toast } from "sonner";
import { goToSession } from "../app/routes.ts";

/** For a session that opened after the person had left the form. */
export function offerToGo(message: string, sessionId: string): void {
  toast(message, { action: { label: "Open", onClick: () => goToSession(sessionId) } });
}
