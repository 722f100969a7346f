import { LandlineError } from "@landline/protocol";
import { toast } from "sonner";

/** Awaits a command and shows its error. Resolves to whether it succeeded. */
export async function runCommand(command: Promise<unknown>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

export function showError(error: unknown): void {
  const { message, help } = describeError(error);
  toast.error(message, help === null ? {} : { description: help });
}

export function describeError(error: unknown): {
  readonly message: string;
  readonly help: string | null;
} {
  if (error instanceof LandlineError) return { message: error.message, help: error.help ?? null };
  return { message: error instanceof Error ? error.message : "That did not work.", help: null };
}
