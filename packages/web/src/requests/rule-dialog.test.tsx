// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test } from "vitest";
import { renderWithSession } from "../../test/fake-session.tsx";
import { RuleDialog } from "./rule-dialog.tsx";

afterEach(cleanup);

function Opener() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (isOpen) return <RuleDialog askId="a" onSaved={close} onClose={close} />;
  return (
    <button type="button" onClick={() => setOpen(true)}>
      Open
    </button>
  );
}

test("the dialog says why no rule can be made", async () => {
  const line = renderWithSession(<Opener />);
  const reason = "“sudo” can run any other command.";
  line.asked.mockImplementation(async () => ({ rules: [], reason }));
  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  expect((await screen.findByText(/A rule can't allow this/)).textContent).toContain(reason);
  expect(screen.queryByText(/will not be asked/)).toBeNull();
});
