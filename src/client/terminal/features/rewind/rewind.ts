import type { TerminalFeature } from "../../layout/feature.ts";
import type { Services } from "../../layout/services.ts";
import { openRewind } from "./rewind-list.ts";

/** Time in which a second Esc opens the list of prompts. */
const AGAIN_MS = 1_000;

/** Sets files, conversation or both back to before a prompt (SES-15): Esc twice in an empty draft, or `/rewind`. */
export function rewind(services: Services): TerminalFeature {
  const { session, clock } = services;
  let pressedAtMs = Number.NEGATIVE_INFINITY;
  const isReady = () =>
    services.draft.text === "" &&
    session.view.run?.turn === undefined &&
    (session.view.run?.questions.length ?? 0) === 0 &&
    session.view.turns.all.length > 0;
  return {
    panels: { "/rewind": "rewind.open" },
    actions: {
      "rewind.open": () => openRewind(services),
      "turn.cancel"() {
        if (!isReady()) return;
        const nowMs = clock.monotonic();
        const isAgain = nowMs - pressedAtMs <= AGAIN_MS;
        pressedAtMs = isAgain ? Number.NEGATIVE_INFINITY : nowMs;
        if (isAgain) openRewind(services);
        else services.say("Press Escape again to go back to an earlier prompt.");
      },
    },
  };
}
