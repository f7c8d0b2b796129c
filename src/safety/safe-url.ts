/** Returns true for an address of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Returns true if a person or a secret may be sent to the address: https, or http on this machine, without a user
 * name or password.
 */
export function isSafeUrl(url: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
}
