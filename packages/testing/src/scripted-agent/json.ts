export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * True if `value` contains everything in `pattern`. Objects may have more fields than the pattern; lists must have the
 * same length.
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
