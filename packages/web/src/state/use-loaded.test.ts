// @vitest-environment happy-dom
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { useLoaded } from "./use-loaded.ts";

afterEach(cleanup);

test("a late answer does not replace a newer one", async () => {
  const answers: ((value: string) => void)[] = [];
  const load = () =>
    new Promise<string>((resolve) => {
      answers.push(resolve);
    });
  const { result } = renderHook(() => useLoaded(load));
  act(() => result.current.reload());
  expect(answers).toHaveLength(2);
  answers[1]?.("new");
  await waitFor(() => expect(result.current.value).toBe("new"));
  await act(async () => answers[0]?.("old"));
  expect(result.current.value).toBe("new");
});
