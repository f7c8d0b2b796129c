import { HarnessError } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";
import { describeNetworkError } from "../../providers/http/connection-error.ts";

const ENGINE_WORDS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such socket"],
  ["EPROTO", "it does not speak TLS"],
]);

/** An engine that was named and does not answer, under the name that the person gave it, in plain words. */
export function unreachableEngine(url: string, cause: unknown): HarnessError<"EngineUnreachable"> {
  const known = ENGINE_WORDS.get(codeOf(cause) ?? "");
  const detail = known ?? describeNetworkError(cause).replace(/[.?!]+$/, "");
  return new HarnessError("EngineUnreachable", { url, detail }, { cause });
}
