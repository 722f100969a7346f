/**
 * A minimal description of JSON data. TypeScript types (`TypeOf`), the decoder of log lines (`decode/fields.ts`) and the zod
 * schemas of the API (`operations/shapes/from-schema.ts`) are derived from it. It is not zod, because decoding a line must be
 * cheap and the page must not load zod.
 */
export interface Schema<Type = unknown, IsOptional extends boolean = boolean> {
  readonly shape: Shape;
  readonly isNullable: boolean;
  readonly isOptional: IsOptional;
  /** For readers of the API. */
  readonly description?: string;
  /** Only for the type checker: the type that is described. */
  readonly type?: Type;
}

export type Shape =
  /** `text` may be stored as a blob beside the log, so its schema allows a reference to it. */
  | { readonly of: "string" | "text" | "integer" | "number" | "true" | "record" }
  /** An object whose own schema is that of ACP. */
  | { readonly of: "acp"; readonly description: string }
  | { readonly of: "one of"; readonly values: readonly string[] }
  | { readonly of: "list"; readonly entry: Schema }
  | { readonly of: "object"; readonly fields: Fields }
  | { readonly of: "union"; readonly members: readonly Schema[] };

export type Fields = Readonly<Record<string, Schema>>;

/** The type that a schema describes. */
export type TypeOf<Described extends Schema> = Described extends Schema<infer Type> ? Type : never;

/** The type of an object with these fields. */
export type ObjectOf<Of extends Fields> = Flat<
  {
    readonly [Name in keyof Of as Of[Name] extends Schema<unknown, false> ? Name : never]: TypeOf<
      Of[Name]
    >;
  } & {
    readonly [Name in keyof Of as Of[Name] extends Schema<unknown, true> ? Name : never]?: TypeOf<
      Of[Name]
    >;
  }
>;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

type RequiredSchema<Type> = Schema<Type, false>;

function required<Type>(shape: Shape): RequiredSchema<Type> {
  return { shape, isNullable: false, isOptional: false };
}

export const string = required<string>({ of: "string" });
export const text = required<string>({ of: "text" });
export const integer = required<number>({ of: "integer" });
export const number = required<number>({ of: "number" });
export const isTrue = required<true>({ of: "true" });
export const record = required<Readonly<Record<string, unknown>>>({ of: "record" });

/** An object of ACP, passed on as the agent sent it. */
export function acp<Type extends object>(description: string): RequiredSchema<Type> {
  return required({ of: "acp", description });
}

export function oneOf<const Values extends readonly string[]>(
  ...values: Values
): RequiredSchema<Values[number]> {
  return required({ of: "one of", values });
}

/** A string of which only some values are known. */
export function openString<Type extends string>(): RequiredSchema<Type> {
  return required({ of: "string" });
}

export function list<Entry>(entry: Schema<Entry, false>): RequiredSchema<readonly Entry[]> {
  return required({ of: "list", entry });
}

export function object<Of extends Fields>(fields: Of): RequiredSchema<ObjectOf<Of>> {
  return required({ of: "object", fields });
}

export function union<Members extends readonly Schema[]>(
  ...members: Members
): RequiredSchema<TypeOf<Members[number]>> {
  return required({ of: "union", members });
}

export function nullable<Type, IsOptional extends boolean>(
  schema: Schema<Type, IsOptional>,
): Schema<Type | null, IsOptional> {
  return { ...schema, isNullable: true };
}

export function optional<Type>(schema: Schema<Type, false>): Schema<Type, true> {
  return { ...schema, isOptional: true };
}

export function described<Type, IsOptional extends boolean>(
  schema: Schema<Type, IsOptional>,
  description: string,
): Schema<Type, IsOptional> {
  return { ...schema, description };
}
