import stableSchema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import unstableSchema from "@agentclientprotocol/sdk/schema/v1/schema.unstable.json" with { type: "json" };
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";

/**
 * The reference for messages in tests: the JSON schema of the ACP SDK. A definition is a name under `$defs`
 * (`NewSessionRequest`, `SessionUpdate`). The definitions of a method are found by its name.
 */
export interface SchemaOptions {
  /** Uses the unstable schema, which is a superset of the stable one. */
  readonly unstable?: boolean;
}

interface SchemaFile {
  readonly $defs: Readonly<Record<string, { readonly "x-method"?: string }>>;
}

interface Schema {
  readonly ajv: Ajv2020;
  readonly definitions: ReadonlySet<string>;
  /** Definitions by method, and by what they end in: Request, Response or Notification. */
  readonly byMethod: ReadonlyMap<string, readonly string[]>;
}

const integerFormats: readonly (readonly [string, number, number])[] = [
  ["uint16", 0, 2 ** 16 - 1],
  ["uint32", 0, 2 ** 32 - 1],
  ["uint64", 0, 2 ** 64],
  ["int32", -(2 ** 31), 2 ** 31 - 1],
  ["int64", -(2 ** 63), 2 ** 63],
];

const stable = read(stableSchema as SchemaFile);
const unstable = read(unstableSchema as SchemaFile);

/** The violations, one sentence each. Empty if the value conforms. */
export function validateAcp(
  definition: string,
  value: unknown,
  options: SchemaOptions = {},
): string[] {
  const { ajv, definitions } = chosen(options);
  if (!definitions.has(definition)) {
    throw new RangeError(`The ${named(options)} ACP schema defines no ${definition}.`);
  }
  const validate = ajv.getSchema(`acp#/$defs/${definition}`);
  if (!validate) throw new RangeError(`The ACP schema's ${definition} can't be compiled.`);
  return validate(value) === true ? [] : (validate.errors ?? []).map(sentence);
}

/** The definition of the params of a request or a notification. */
export function requestDefinition(method: string, options: SchemaOptions = {}): string {
  return definitionOf(method, ["Request", "Notification"], options);
}

/** The definition of the result of a request. */
export function responseDefinition(method: string, options: SchemaOptions = {}): string {
  return definitionOf(method, ["Response"], options);
}

/** Whether the schema contains the method. `session/set_model`, for example, is in neither. */
export function isAcpMethod(method: string, options: SchemaOptions = {}): boolean {
  return chosen(options).byMethod.has(method);
}

function definitionOf(method: string, endings: readonly string[], options: SchemaOptions): string {
  const names = chosen(options).byMethod.get(method) ?? [];
  for (const ending of endings) {
    const found = names.find((name) => name.endsWith(ending));
    if (found !== undefined) return found;
  }
  throw new RangeError(
    `The ${named(options)} ACP schema has no ${endings.join(" or ")} for ${method}.`,
  );
}

function read(file: SchemaFile): Schema {
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true });
  for (const [name, minimum, maximum] of integerFormats) {
    ajv.addFormat(name, {
      type: "number",
      validate: (value: number) => Number.isInteger(value) && value >= minimum && value <= maximum,
    });
  }
  ajv.addFormat("double", { type: "number", validate: Number.isFinite });
  ajv.addFormat("uri", (value: string) => URL.canParse(value));
  ajv.addSchema(file, "acp");
  const byMethod = new Map<string, string[]>();
  for (const [name, definition] of Object.entries(file.$defs)) {
    const method = definition["x-method"];
    if (method !== undefined) byMethod.set(method, [...(byMethod.get(method) ?? []), name]);
  }
  return { ajv, definitions: new Set(Object.keys(file.$defs)), byMethod };
}

function chosen(options: SchemaOptions): Schema {
  return options.unstable === true ? unstable : stable;
}

function named(options: SchemaOptions): string {
  return options.unstable === true ? "unstable" : "stable";
}

function sentence(error: ErrorObject): string {
  const where = error.instancePath === "" ? "the value" : error.instancePath;
  return `${where} ${error.message ?? error.keyword} (${JSON.stringify(error.params)})`;
}
