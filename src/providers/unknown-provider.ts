import { HarnessError } from "../base/errors.ts";
import { nearestWords } from "../base/text/near.ts";

/**
 * Returns the error for an unknown provider, with the known name that may have been meant.
 * @param place text after the known names: the place of the name, if nobody typed it.
 */
export function unknownProviderError(
  name: string,
  known: readonly string[],
  place = "",
): HarnessError<"UnknownProvider"> {
  const [nearest] = nearestWords(name, known);
  const meant = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  return new HarnessError("UnknownProvider", { name, meant, known: known.join(", ") + place });
}
