const name = "Landline";

export function pageTitle(title: string | null, needsYou: number): string {
  const words = title === null || title === name ? name : `${title} · ${name}`;
  return needsYou > 0 ? `(${needsYou}) ${words}` : words;
}
