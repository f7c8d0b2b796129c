import type { ActionName } from "../../keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../../keys/actions.ts";
import type { Services } from "../../layout/services.ts";
import type { PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";

/** Opens the palette: every action that it lists, with its key. It is made from the table of actions. */
export function openPalette(services: Services): void {
  const entries = ACTION_NAMES.flatMap((name): readonly PanelEntry<ActionName>[] => {
    const description = ACTIONS[name];
    if (!("inPalette" in description)) return [];
    const [key] = services.keys.keysOf(name);
    return [
      { value: name, label: description.help, detail: name, ...(key === undefined ? {} : { mark: key }) },
    ];
  });
  const content = { entries };
  services.open(
    new ListPanel({
      title: "Palette",
      services,
      content: () => content,
      choose: (name) => services.run(name),
    }),
  );
}
