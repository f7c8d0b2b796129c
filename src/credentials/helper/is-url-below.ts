/**
 * Returns true if an address is at or below a base URL: the same scheme, host and port, and its path below the
 * base's, as a URL parser reads both. False for addresses with a user name or password.
 */
export function isUrlBelow(base: string, url: string): boolean {
  const [root, target] = [URL.parse(base), URL.parse(url)];
  if (root === null || target === null || !/^https?:$/.test(target.protocol)) return false;
  if (target.username !== "" || target.password !== "" || root.origin !== target.origin) return false;
  // Sequences that a server may decode as a way up are refused.
  if (/%2e|%2f|%5c|%25|\\|\/\.{1,2};/i.test(target.pathname)) return false;
  const folder = root.pathname.endsWith("/") ? root.pathname : `${root.pathname}/`;
  return target.pathname.startsWith(folder) || target.pathname === root.pathname;
}
