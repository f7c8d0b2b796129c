import type { Services } from "../../layout/services.ts";
import type { MouseMode } from "../../screen/screen.ts";

const NEXT: Readonly<Record<MouseMode, MouseMode>> = { wheel: "full", full: "off", off: "wheel" };

/** Switches the mouse to its next use, now and for later starts, and says what it does. */
export function nextMouseMode(services: Pick<Services, "settings" | "keys" | "say">): void {
  const { settings, keys, say } = services;
  const mode = NEXT[settings.values.mouse];
  settings.change({ mouse: mode });
  say(sentence(mode, keys.keysOf("selection.copy")[0]));
}

function sentence(mode: MouseMode, copyKey: string | undefined): string {
  switch (mode) {
    case "off":
      return "Mouse off: it belongs to the terminal.";
    case "wheel":
      return "Mouse: the wheel scrolls, a click unfolds, shift and drag selects with the terminal.";
    case "full": {
      const copies = copyKey === undefined ? "" : `, ${copyKey} copies`;
      return `Mouse full: drag selects${copies}, a click unfolds, shift and drag selects with the terminal.`;
    }
  }
}
