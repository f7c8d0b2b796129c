import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { readClipboardImage } from "./clipboard-image.ts";

/** Pastes the image of the clipboard into the draft (TUI-08). */
export function images(services: Services): TerminalFeature {
  return { actions: { "input.pasteImage": () => inBackground(pasteImage(services), services) } };
}

async function pasteImage(services: Services): Promise<void> {
  const { host, draft, say, showFailure, redraw } = services;
  try {
    const read = await readClipboardImage(host);
    if ("why" in read) say(read.why, "warning");
    else draft.insertImage(read);
    redraw();
  } catch (thrown) {
    showFailure(thrown);
  }
}
