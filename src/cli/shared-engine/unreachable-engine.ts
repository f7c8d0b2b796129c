import { HarnessError } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";
import { describeNetworkError } from "../../providers/http/connection-error.ts";

const ENGINE_WORDS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such socket"],
  ["EPROTO", "it does not speak TLS"],
]);

/** Returns the error for a named engine that does not answer, with the name that the person gave it. */
export function unreachableEngine(url: string, cause: unknown): HarnessError<"EngineUnreachable"> {
  const known = ENGINE_WORDS.get(codeOf(cause) ?? "");
  const detail = known ?? describeNetworkError(cause).replace(/[.?!]+$/, "");
  return new HarnessError("EngineUnreachable", { url, detail }, { cause });
}
