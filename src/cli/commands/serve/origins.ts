import { HarnessError } from "../../../base/errors.ts";

/**
 * Reads the origins of pages that may call, separated by commas, each as a browser sends it; no patterns (AUTH-06).
 * @throws HarnessError UsageInvalid.
 */
export function allowedOrigins(text: string): readonly string[] {
  const origins = text.split(",").map((each) => each.trim());
  const wrong = origins.find((each) => !/^https?:\/\/[a-z\d.:[\]-]+$/.test(each) || originOf(each) !== each);
  if (wrong === undefined) return origins;
  const problem = `--allow-origin: ${JSON.stringify(wrong)} is not an origin; write SCHEME://HOST or SCHEME://HOST:PORT in lower case, with http or https and nothing behind`;
  throw new HarnessError("UsageInvalid", { problem });
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}
