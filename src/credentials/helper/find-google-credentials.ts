import { HarnessError } from "../../base/errors.ts";
import type { GoogleSource } from "../google/default-credentials.ts";
import type { HeldKey } from "./helper-messages.ts";

export interface FoundGoogle {
  readonly origin: GoogleSource;
  readonly heldKey: HeldKey;
}

/** Finds Google's credentials and their problem, if any. Loaded only if Vertex AI is used. */
export async function findGoogleCredentials(
  variables: Readonly<Record<string, string>>,
): Promise<FoundGoogle> {
  const { describeGoogleSource, googleSource } = await import("../google/default-credentials.ts");
  const place = googleSource(variables);
  try {
    return { origin: place, heldKey: { provider: "vertex", source: await describeGoogleSource(place) } };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { origin: place, heldKey: { provider: "vertex", source: place.source, problem: thrown.message } };
  }
}
