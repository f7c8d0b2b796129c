import { HarnessError } from "../../base/errors.ts";
import { plain } from "../../base/text/text.ts";
import type { HttpRoute } from "./route.ts";

/** Characters of a wrong address that its refusal shows. */
const SHOWN_CHARS_MAX = 200;

export interface MatchedRoute {
  readonly route: HttpRoute;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a request. Segments are compared as they are and parameters decoded once, so that percent-encoding
 * cannot change their meaning.
 * @throws HarnessError UnknownRoute, MethodNotAllowed, InvalidPath for a parameter that cannot be decoded.
 */
export function matchRoute(routes: readonly HttpRoute[], method: string, path: string): MatchedRoute {
  const segments = path.split("/");
  const here = routes.filter((route) => fits(route.path.split("/"), segments));
  if (here.length === 0) throw new HarnessError("UnknownRoute", { path: plain(path, SHOWN_CHARS_MAX) });
  // Literal segments go before parameters.
  const route = here
    .filter((each) => each.method === method)
    .sort((a, b) => parameters(a) - parameters(b))[0];
  if (route === undefined) {
    const allowed = methodsAt(here);
    throw new HarnessError("MethodNotAllowed", {
      path: plain(path, SHOWN_CHARS_MAX),
      allowed,
      method: plain(method, SHOWN_CHARS_MAX),
    });
  }
  return { route, params: paramsOf(route, segments) };
}

/** Returns the methods of routes, as the header Allow lists them. */
function methodsAt(routes: readonly HttpRoute[]): string {
  return [...new Set(routes.map(({ method }) => method))].sort().join(", ");
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (isParameter(part) ? segments[at] !== "" : part === segments[at]))
  );
}

function paramsOf({ path }: HttpRoute, segments: readonly string[]): Readonly<Record<string, string>> {
  const pairs = path
    .split("/")
    .flatMap((part, at) => (isParameter(part) ? [[part.slice(1, -1), decoded(segments[at] ?? "")]] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}

function decoded(segment: string): string {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    throw new HarnessError("InvalidPath", { why: "it has a percent sign that stands for nothing" });
  }
  if (/[\u0000-\u001f\u007f/\\]/.test(text))
    throw new HarnessError("InvalidPath", { why: "it has a character that no name has" });
  return text;
}

function isParameter(part: string): boolean {
  return part.startsWith("{");
}

function parameters({ path }: HttpRoute): number {
  return path.split("{").length;
}
