// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { ErrorCard } from "./error-card.tsx";

afterEach(cleanup);

test("commands in backticks are shown as code, and a single backtick stays", () => {
  const why = "Unexpected ` at 1\n```\nRun `landline agent login mistral`.";
  const { container } = render(<ErrorCard title="No `model`" why={why} help="Try `b`" />);
  const code = [...container.querySelectorAll("code")].map(({ textContent }) => textContent);
  expect(code).toEqual(["model", "landline agent login mistral", "b"]);
  expect(container.textContent).toContain("Unexpected ` at 1\n```\nRun landline");
});
