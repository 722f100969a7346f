import type {
  HttpOperationName,
  Input,
  OperationName,
  Output,
  ReadonlyDeep,
} from "@landline/protocol";
import type { checkedAnswers } from "./checked-answers.ts";

/**
 * The operations of docs/api.md that have an HTTP address: `read-me` is `readMe()`, `find-files` is `findFiles({ … })`.
 * Each call may fail with a `LandlineError`.
 */
export type Api = Operations & {
  /** Calls an operation and returns the response body unparsed, for long texts and exports. */
  text<Name extends HttpOperationName>(name: Name, input: CallInput<Name>): Promise<string>;
  /** A download URL that is valid once, for one minute. It contains a ticket instead of the token. */
  exportUrl(input: CallInput<"export">): Promise<string>;
};

/** Without operations that return text. */
type Operations = {
  readonly [
    Name in HttpOperationName as Output<Name> extends string ? never : CamelCase<Name>
  ]: Operation<Name>;
};

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Operation<Name extends HttpOperationName> =
  Partial<CallInput<Name>> extends CallInput<Name>
    ? (input?: CallInput<Name>, options?: CallOptions) => Promise<Answer<Name>>
    : (input: CallInput<Name>, options?: CallOptions) => Promise<Answer<Name>>;

export type Answer<Name extends OperationName> = Name extends keyof typeof checkedAnswers
  ? ReturnType<(typeof checkedAnswers)[Name]>
  : Output<Name>;

/** The input of an operation. Undefined fields are not sent. */
export type CallInput<Name extends OperationName> = WithUndefined<ReadonlyDeep<Input<Name>>>;

type WithUndefined<Fields> = {
  readonly [Key in keyof Fields]: Pick<Fields, Key> extends Required<Pick<Fields, Key>>
    ? Fields[Key]
    : Fields[Key] | undefined;
};

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly withinMs?: number;
}

export type { Role } from "@landline/protocol";

export type ExportFormat = NonNullable<CallInput<"export">["format"]>;
export type Me = Answer<"read-me">;
export type FilesFound = Output<"find-files">;
export type FoundFile = FilesFound["files"][number];
export type FolderListing = Output<"list-folders">;
export type SearchHit = Output<"search">["hits"][number];
export type Snippet = SearchHit["snippet"];
export type NewRule = CallInput<"add-rule">;
/** The gateway's description of a rule, and notes about it. */
export type RuleWords = Pick<Output<"preview-rule">, "text" | "notes">;
export type Rule = Output<"add-rule">;
export type RuleSuggestions = Output<"suggest-rules">;
export type RuleSuggestion = RuleSuggestions["rules"][number];
export type Device = Output<"list-devices">["devices"][number];
export type NewDevice = CallInput<"add-device">;
export type TraceLine = NonNullable<Output<"read-trace">["lines"]>[number];
