import type { ModelSource } from "../../../../view/models/model-sources.ts";
import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";

/** Facts for the rows about a missing model. */
export interface WelcomeFacts {
  readonly sources: readonly ModelSource[];
  /** Providers that are set up and have named no model. */
  readonly silent: readonly string[];
  /** Model that a prompt would get all the same; undefined: none. */
  readonly defaultModel: string | undefined;
  readonly isLooking: boolean;
  /** Key that opens the choice. */
  readonly key: string;
  /** Rows of the whole screen. */
  readonly height: number;
}

/** Lower screens get one row. */
const HEIGHT_MIN = 20;

/** Returns the rows above the draft while no model is set up: the ways to one, and the key that chooses. */
export function drawWelcome(facts: WelcomeFacts, columns: number): readonly DrawnRow[] {
  const { sources, silent, defaultModel, isLooking, key, height } = facts;
  const line = (text: string, role: Role) => row([span(cutEnd(text, columns), { role })]);
  if (defaultModel !== undefined) {
    const text = `No key is set up: a prompt goes to ${defaultModel} · ${key} chooses another`;
    return wrapSpans([span(text, { role: "accent" })], { columns });
  }
  const offered = sources.flatMap((each) => (each.kind === "configured" ? [each.model] : []));
  const what =
    offered.length === 0
      ? "No model is set up yet"
      : "No model is the default yet (default_model in config.toml)";
  const head = wrapSpans(
    [span(`${what}: ${key} chooses one. A prompt can be written meanwhile.`, { role: "warning" })],
    { columns },
  );
  if (height < HEIGHT_MIN) return head.slice(0, 2);
  const servers = sources.flatMap((each) => (each.kind === "server" ? [each.model] : []));
  const keys = sources.flatMap((each) => (each.kind === "key" ? [each.provider] : []));
  const found = isLooking ? "looking …" : "no model server answers";
  const setUp = [...offered, ...(isLooking ? [] : silent.map((name) => `${name} (lists no models)`))];
  return [
    ...head,
    ...(setUp.length === 0 ? [] : [line(`  set up: ${setUp.join(", ")}`, "dim")]),
    line(`  on this machine: ${servers.length === 0 ? found : servers.join(", ")}`, "dim"),
    ...(keys.length === 0 ? [] : [line(`  with a key, typed unseen: ${keys.join(", ")}`, "dim")]),
    line("  without any: a demo that fixes a bug with a recorded model", "dim"),
  ];
}
