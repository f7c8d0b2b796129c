import { expect, test } from "bun:test";
import { REQUEST } from "../../test/support/provider-rig.ts";
import type { Message } from "../protocol/message.ts";
import { cacheBreakpoints } from "./cache-breakpoints.ts";
import type { RequestContext } from "./middleware.ts";
import type { CacheHints } from "./provider.ts";

async function hintsFor(messages: readonly Message[]): Promise<CacheHints | undefined> {
  let hints: CacheHints | undefined;
  const events = cacheBreakpoints("sess-1")({ ...REQUEST, messages }, {} as RequestContext, (request) => {
    hints = request.cache;
    return (async function* () {})();
  });
  await Array.fromAsync(events);
  return hints;
}

const says = (role: "user" | "assistant"): Message => ({ role, content: [{ type: "text", text: role }] });

test("[PROV-15] what one round writes into the cache is what the next one reads", async () => {
  const first = [says("user")];
  const second = [...first, says("assistant"), says("user")];
  const third = [...second, says("assistant"), says("user")];
  expect(await hintsFor(first)).toEqual({ prefix: true, messages: [0], key: "sess-1" });
  expect(await hintsFor(second)).toEqual({ prefix: true, messages: [0, 2], key: "sess-1" });
  expect(await hintsFor(third)).toEqual({ prefix: true, messages: [2, 4], key: "sess-1" });
  expect(await hintsFor([])).toEqual({ prefix: true, messages: [], key: "sess-1" });
});
