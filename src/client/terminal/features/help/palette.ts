import { SLASH_COMMANDS } from "../../../../protocol/commands/own-commands.ts";
import type { SlashCommandInfo } from "../../../../protocol/resources.ts";
import type { ActionName } from "../../keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../../keys/actions.ts";
import type { Services } from "../../layout/services.ts";
import type { PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";

type Chosen =
  | { readonly kind: "action"; readonly name: ActionName }
  | { readonly kind: "command"; readonly line: string };

/** Opens the palette: every action that it lists, with its key, and behind them the slash commands. */
export function openPalette(services: Services): void {
  const actions = ACTION_NAMES.flatMap((name): readonly PanelEntry<Chosen>[] => {
    const description = ACTIONS[name];
    if (!("inPalette" in description)) return [];
    const [key] = services.keys.keysOf(name);
    const value = { kind: "action", name } as const;
    return [{ value, label: description.help, detail: name, ...(key === undefined ? {} : { mark: key }) }];
  });
  const content = { entries: [...actions, ...SLASH_COMMANDS.map(commandEntry)] };
  services.open(
    new ListPanel<Chosen>({
      title: "Palette",
      services,
      content: () => content,
      hints: () => [
        ["list.choose", "runs it"],
        ["list.leave", "closes"],
      ],
      choose: (chosen) => take(chosen, services),
    }),
  );
}

function commandEntry({ usage, help }: Pick<SlashCommandInfo, "usage" | "help">): PanelEntry<Chosen> {
  const [line = usage] = usage.split(" ");
  return { value: { kind: "command", line }, label: usage, detail: help };
}

/** Runs an action. A command goes into an empty draft, where words may follow. */
function take(chosen: Chosen, services: Services): void {
  const { draft, run, say, keys } = services;
  if (chosen.kind === "action") {
    run(chosen.name);
    return;
  }
  if (draft.text !== "") {
    say(`Type ${chosen.line} in an empty draft: yours is not empty.`, "warning");
    return;
  }
  draft.replace(chosen.line);
  say(`${keys.label("input.send", "the key that sends")} runs ${chosen.line}.`);
}
