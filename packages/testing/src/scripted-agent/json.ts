export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True when everything that `pattern` names is in `value`. Objects may have more fields than the
 * pattern; lists have to have the same length.
 */
export function contains(value: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((item, index) => contains(value[index], item))
    );
  }
  if (isObject(pattern)) {
    return (
      isObject(value) && Object.entries(pattern).every(([key, item]) => contains(value[key], item))
    );
  }
  return Object.is(value, pattern);
}
