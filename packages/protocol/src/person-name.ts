/**
 * The display name of a `by` id: the current name of the device, else the name in the id, because ids are made of
 * names. Null when neither exists.
 */
export function personName(
  clientId: string,
  people: Readonly<Record<string, string>>,
): string | null {
  if (Object.hasOwn(people, clientId)) return people[clientId] ?? null;
  const words = /^(.+)-[0-9a-f]{8}$/.exec(clientId)?.[1]?.replaceAll("-", " ").trim();
  // An id has "token" when the name has no characters that an id can contain.
  return words === undefined || words === "" || words === "token" ? null : words;
}
