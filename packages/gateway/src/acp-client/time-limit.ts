import { LandlineError } from "@landline/protocol";

/**
 * Answers in time, whatever the disk or the editor does. The work is told by its signal, and must not
 * change anything any more once that is aborted.
 */
export async function withTimeLimit<Result>(
  milliseconds: number,
  what: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new LandlineError("timeout", {
    message: `${what} took longer than ${milliseconds} ms.`,
  });
  const abort = new AbortController();
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    abort.abort(late);
    expired.reject(late);
  }, milliseconds);
  try {
    return await Promise.race([work(abort.signal), expired.promise]);
  } finally {
    clearTimeout(timer);
  }
}
