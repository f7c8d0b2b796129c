import { plain } from "../base/text/text.ts";

/** Limit for the origins that an engine answers. */
export const ORIGINS_MAX = 64;
/** A host name has at most 253 characters. */
const ORIGIN_CHARS_MAX = 300;
/** Characters of a wrong origin that its refusal shows. */
const SHOWN_CHARS_MAX = 100;

/** Origins of pages that no web server has: editors, programs and browsers give them. */
const OTHER_ORIGINS: readonly RegExp[] = [
  /^vscode-webview:\/\/[a-z\d](?:[a-z\d-]{0,126}[a-z\d])?$/,
  /^tauri:\/\/localhost$/,
  /^chrome-extension:\/\/[a-p]{32}$/,
  /^moz-extension:\/\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
];
const FORMS =
  "http://HOST:PORT, https://HOST, vscode-webview://ID, tauri://localhost, chrome-extension://ID or moz-extension://UUID, in lower case and with nothing behind";

/**
 * Returns why a text is not an origin as browsers send it, as the end of a sentence that names the nearest valid form.
 * Returns undefined for an origin (AUTH-06).
 */
export function originProblem(text: string): string | undefined {
  if (isOrigin(text)) return undefined;
  const shown = JSON.stringify(plain(text, SHOWN_CHARS_MAX));
  if (text.trim().toLowerCase() === "null")
    return `${shown} is the origin of every local file and sandboxed page; serve your page from an address, and name that`;
  if (text.includes("*"))
    return `${shown} is a pattern; name each origin by itself, such as https://tools.example:8443`;
  const nearest = nearestOrigin(text.trim());
  return `${shown} is not an origin as browsers send it; write ${nearest ?? FORMS}`;
}

/** Returns why a list of origins is refused, as the end of a sentence; undefined if each is an origin. */
export function originsProblem(origins: readonly string[]): string | undefined {
  if (origins.length > ORIGINS_MAX)
    return `${origins.length} origins are named, at most ${ORIGINS_MAX} count`;
  const [problem] = origins.flatMap((each) => originProblem(each) ?? []);
  return problem;
}

function isOrigin(text: string): boolean {
  if (text.length > ORIGIN_CHARS_MAX) return false;
  return OTHER_ORIGINS.some((form) => form.test(text)) || isWebOrigin(text);
}

function isWebOrigin(text: string): boolean {
  const [, host] = /^https?:\/\/([a-z\d._-]+|\[[\da-f:.]+\])(?::[1-9]\d{0,4})?$/.exec(text) ?? [];
  if (host === undefined || host.startsWith(".") || host.endsWith(".") || host.includes("..")) return false;
  return URL.parse(text)?.origin === text;
}

/** Returns the origin that the text probably means. An address with a user name or password could mean two. */
function nearestOrigin(text: string): string | undefined {
  if (text.length > ORIGIN_CHARS_MAX) return undefined;
  const [, scheme, host = ""] = /^([a-z][a-z\d+-]*):\/\/([^/?#]*)/i.exec(text) ?? [];
  const isBare = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text);
  const bareScheme = /^(?:localhost|127\.)/i.test(text) ? "http" : "https";
  const candidates = [
    webOrigin(isBare ? `${bareScheme}://${text}` : text),
    ...(scheme === undefined ? [] : [`${scheme}://${host}`.toLowerCase()]),
  ];
  return candidates.find((each) => each !== undefined && isOrigin(each));
}

function webOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || text.includes("@")) return undefined;
  return url.origin.replace(/\.+(?=(?::\d+)?$)/, "");
}
