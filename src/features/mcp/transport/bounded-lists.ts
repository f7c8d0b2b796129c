import type { Client } from "@modelcontextprotocol/client";
import { isObject, stringAt } from "../../../base/json.ts";

/** Pages of one list that are read. */
export const PAGES_MAX = 64;
/** Characters of one list, as JSON, after which no further page of it is read. */
export const LIST_CHARACTERS_MAX = 16 * 1024 * 1024;

type Request = (asked: unknown, ...more: readonly unknown[]) => Promise<unknown>;

/**
 * Ends each list that a server gives page by page (tools, prompts, resources) after so many pages, and after so many
 * characters, as if there were no more: what came counts, and a server that always has another page costs no more than that.
 *
 * The library walks the pages by itself and asks for each with `request`: there is no other place to stop it at but an error,
 * with which all of the list would be lost.
 * @param onCut told of each list that is cut, with the method that asks for it.
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
