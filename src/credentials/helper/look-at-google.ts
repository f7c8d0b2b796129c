import { HarnessError } from "../../base/errors.ts";
import type { GooglePlace } from "../google/default-credentials.ts";
import type { HeldKey } from "./wire.ts";

export interface FoundGoogle {
  readonly place: GooglePlace;
  readonly held: HeldKey;
}

/** Finds Google's credentials and their problem, if any. Loaded only if Vertex AI is used. */
export async function lookAtGoogle(variables: Readonly<Record<string, string>>): Promise<FoundGoogle> {
  const { describeGoogle, googlePlace } = await import("../google/default-credentials.ts");
  const place = googlePlace(variables);
  try {
    return { place, held: { provider: "vertex", source: await describeGoogle(place) } };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { place, held: { provider: "vertex", source: place.source, problem: thrown.message } };
  }
}
