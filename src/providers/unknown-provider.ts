import { HarnessError } from "../base/errors.ts";
import { near } from "../base/text/near.ts";

/**
 * The refusal of a provider that there is none of, with the known one that may have been meant.
 * @param place behind the known ones: where the name stands, where nobody has typed it.
 */
export function unknownProvider(
  name: string,
  known: readonly string[],
  place = "",
): HarnessError<"UnknownProvider"> {
  const [nearest] = near(name, known);
  const meant = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  return new HarnessError("UnknownProvider", { name, meant, known: known.join(", ") + place });
}
