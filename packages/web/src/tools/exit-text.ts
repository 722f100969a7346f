export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A command that was killed did not fail. */
export function isBadExit({ exitCode }: Exit): boolean {
  return exitCode !== null && exitCode !== 0;
}

/** How a command exited. */
export function exitText({ exitCode, signal }: Exit): string {
  if (signal !== null) return `Ended by ${signal}`;
  if (exitCode === null) return "Ended";
  return exitCode === 0 ? "Done, exit code 0" : `Failed with exit code ${exitCode}`;
}
