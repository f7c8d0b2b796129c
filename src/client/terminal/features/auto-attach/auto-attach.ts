import { autoAttachNotice } from "../../../../view/notes/auto-attach-text.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import type { Services } from "../../layout/services.ts";
import { AttachOffer } from "./attach-offer.ts";

/** Asks whether the sessions of a program that drives cinch are always auto-attached (CTL-12). */
export function autoAttach(services: Services): TerminalFeature {
  const offer = new AttachOffer(services);
  return {
    get offer() {
      return offer.isAsked ? offer : undefined;
    },
    // The events of each subscription begin with what is still asked.
    opened: () => offer.clear(),
    engineNotice({ kind }) {
      if (kind === "away" || kind === "failed") offer.clear();
    },
    changed(envelope) {
      if (envelope.kind !== "CustomEvent" || envelope.aside !== true) return;
      const notice = autoAttachNotice(envelope.payload);
      if (notice === undefined) return;
      if (notice.kind === "asked") {
        offer.ask(notice);
        return;
      }
      offer.remove(notice.session);
      services.say(notice.text);
    },
    [Symbol.dispose]: () => offer[Symbol.dispose](),
  };
}
