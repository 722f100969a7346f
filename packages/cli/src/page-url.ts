/** The address of the page, with the token that it trades for a cookie. */
export function pageUrl(url: string, token: string): string {
  return `${url}/?token=${encodeURIComponent(token)}`;
}
