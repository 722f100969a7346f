/** JSON text without line breaks. They can only be between its tokens. */
export function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, " ") : json;
}
