/**
 * Moves the prompt at `from` to before another that waits, or to the end; for the fold and for the session that sends the
 * prompts. False, and nothing moves, when it stands before itself or before one that does not wait.
 */
export function moveBefore(
  queue: { readonly promptId: string }[],
  from: number,
  before: string | null,
): boolean {
  const prompt = queue[from];
  const isThere = before === null || queue.some(({ promptId }) => promptId === before);
  if (prompt === undefined || prompt.promptId === before || !isThere) return false;
  queue.splice(from, 1);
  const to = before === null ? queue.length : queue.findIndex((one) => one.promptId === before);
  queue.splice(to, 0, prompt);
  return true;
}
