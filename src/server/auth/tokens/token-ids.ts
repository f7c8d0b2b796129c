import { HarnessError } from "../../../base/errors.ts";
import type { TokenId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import { isObject, parseJson, stringAt } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";

const SHOWN_CHARACTERS_MAX = 40;

/**
 * Returns the ids of tokens to revoke: from the words of a command line, or from the one token that `-` has read from
 * standard input. A token itself never stands in an argument. Its signature need not be right: revoking an unknown
 * token does nothing.
 * @throws HarnessError UsageInvalid.
 */
export async function tokenIdsOf(
  words: readonly string[],
  readInput: () => Promise<string>,
): Promise<readonly TokenId[]> {
  if (words.length === 0)
    throw misuse(
      "cinch token revoke needs the id of a token (tok_…), or - to read the token from standard input",
    );
  const ids = await Promise.all(
    words.map(async (word) => (word === "-" ? idIn((await readInput()).trim()) : word)),
  );
  return ids.map((id) => {
    if (id !== undefined && isId("tok", id)) return id;
    const shown =
      id === undefined
        ? "what stands on standard input"
        : JSON.stringify(shortened(id, SHOWN_CHARACTERS_MAX));
    throw misuse(
      `${shown} is not a token id: tok_ and 26 characters. The log names each token as it is issued`,
    );
  });
}

/** Returns the id in a token: of the text itself, or of a token file. */
function idIn(text: string): string | undefined {
  const token = stringAt(parseJson(text)?.value, "token") ?? text;
  const [payload = ""] = token.split(".");
  const claims = parseJson(Buffer.from(payload, "base64url").toString())?.value;
  return isObject(claims) ? stringAt(claims, "jti") : undefined;
}

function misuse(problem: string): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem });
}
