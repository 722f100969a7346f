import { LandlineError } from "@landline/protocol";

/**
 * Rejects after the time limit, even if the disk or the editor hangs. The work must change nothing
 * after its signal is aborted.
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
