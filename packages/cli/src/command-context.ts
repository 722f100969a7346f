import type { Output } from "./output.ts";

/** The context of every command. */
export interface CommandContext {
  readonly output: Output;
}

/** Options that every command has. */
export interface PlaceOptions {
  readonly data?: string;
  readonly config?: string;
}

export interface JsonOption {
  readonly json?: boolean;
}
