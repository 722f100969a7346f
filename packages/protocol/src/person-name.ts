/**
 * What a client is called whose id stands in an event, by the names of those who may come in now. One that may not
 * any more is called by its id, which was made of its name; null where that says nothing either.
 */
export function personName(
  clientId: string,
  people: Readonly<Record<string, string>>,
): string | null {
  if (Object.hasOwn(people, clientId)) return people[clientId] ?? null;
  const words = /^(.+)-[0-9a-f]{8}$/.exec(clientId)?.[1]?.replaceAll("-", " ").trim();
  // "token" stands for names that have nothing in them that an id can have.
  return words === undefined || words === "" || words === "token" ? null : words;
}
