const mapped = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const loopback4 = new RegExp(`^127(?:\\.${octet}){3}$`);

/**
 * Whether a host, as an address or as in a URL (`[::1]`), is this machine: 127.0.0.0/8, ::1, or `localhost`. Other names,
 * also below `.localhost`, are not: a DNS server may answer them with any address.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (name === "localhost" || loopback4.test(name)) return true;
  const url = `http://[${name}]`;
  if (!name.includes(":") || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === "[::1]" || mapped.test(hostname);
}

/** False for text that is not a URL. */
export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
