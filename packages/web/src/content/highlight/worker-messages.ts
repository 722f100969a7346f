import type { Language } from "./languages.ts";
import type { CodeLine } from "./tokenise.ts";

export type ToWorker =
  | {
      readonly type: "highlight";
      readonly id: number;
      readonly text: string;
      readonly language: Language;
    }
  | { readonly type: "cancel"; readonly id: number };

export type FromWorker =
  | { readonly type: "lines"; readonly id: number; readonly lines: readonly CodeLine[] }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly message: string };
