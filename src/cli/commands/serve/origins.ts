import { HarnessError } from "../../../base/errors.ts";
import { originsProblem } from "../../../safety/page-origin.ts";

/**
 * Joins the origins of the flag, which may stand in one value with commas between them, with those of `config.toml`
 * (AUTH-06). Each counts once.
 * @throws HarnessError UsageInvalid.
 */
export function allowedOrigins(
  flags: readonly string[] | undefined,
  configured: readonly string[],
): readonly string[] {
  const named = (flags ?? []).flatMap((text) => text.split(",")).map((each) => each.trim());
  const origins = [...new Set([...named, ...configured])];
  const problem = originsProblem(named) ?? originsProblem(origins);
  if (problem === undefined) return origins;
  throw new HarnessError("UsageInvalid", { problem: `--allow-origin: ${problem}` });
}
