import { LandlineError } from "@landline/protocol";
import { toast } from "sonner";

/** Waits for a command and shows its failure in words. Resolves to whether it was carried out. */
export async function act(command: Promise<unknown>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    showFailure(error);
    return false;
  }
}

export function showFailure(error: unknown): void {
  const { message, help } = failureWords(error);
  toast.error(message, help === null ? {} : { description: help });
}

export function failureWords(error: unknown): {
  readonly message: string;
  readonly help: string | null;
} {
  if (error instanceof LandlineError) return { message: error.message, help: error.help ?? null };
  return { message: error instanceof Error ? error.message : "That did not work.", help: null };
}
