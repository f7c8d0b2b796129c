import type { Client } from "@modelcontextprotocol/client";
import { isObject, stringAt } from "../../../base/json.ts";

/** Pages read of one list. */
export const PAGES_MAX = 64;
/** Characters of one list, as JSON, after which no further page is read. */
export const LIST_CHARACTERS_MAX = 16 * 1024 * 1024;

type Request = (asked: unknown, ...more: readonly unknown[]) => Promise<unknown>;

/**
 * Limits each paged list of a server (tools, prompts, resources) to `PAGES_MAX` pages and `LIST_CHARACTERS_MAX`
 * characters. What was read counts, so a server with endless pages costs no more than that.
 *
 * The library walks the pages itself with `request`. Stopping it anywhere else would take an error, which would lose
 * the whole list.
 * @param onCut receives the listing method of each list that is cut.
 */
export function boundLists(client: Client, onCut: (method: string) => void): void {
  const ask = client.request.bind(client) as Request;
  const walks = new Map<string, { readonly pages: number; readonly characters: number }>();
  const request: Request = async (asked, ...more) => {
    const result = await ask(asked, ...more);
    const method = stringAt(asked, "method") ?? "";
    if (!method.endsWith("/list") || !isObject(result) || result["nextCursor"] === undefined) return result;
    const before = isFirst(asked) ? undefined : walks.get(method);
    const pages = (before?.pages ?? 0) + 1;
    const characters = (before?.characters ?? 0) + JSON.stringify(result).length;
    walks.set(method, { pages, characters });
    if (pages < PAGES_MAX && characters < LIST_CHARACTERS_MAX) return result;
    onCut(method);
    const { nextCursor: _more, ...last } = result;
    return last;
  };
  Object.assign(client, { request });
}

function isFirst(asked: unknown): boolean {
  const params = isObject(asked) ? asked["params"] : undefined;
  return !isObject(params) || params["cursor"] === undefined;
}
