import { openOverlay } from "../../app/overlay.ts";
import { useView } from "../../state/session.tsx";
import { Button } from "../../ui/button.tsx";

export function SignInButton() {
  const agent = useView((view) => view.session.agent, "");
  return (
    <Button variant="primary" onClick={() => openOverlay({ name: "sign-in", agent, before: null })}>
      Sign in
    </Button>
  );
}
