import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { applyModel } from "../../session/apply-model.ts";
import { currentModel } from "../../session/current-model.ts";
import { openModels } from "./model-panel.ts";

/** The choice of a model and its effort for the session, and a key that goes through the favourite ones. */
export function models(services: Services): TerminalFeature {
  return {
    panels: { "/model": "model.open" },
    actions: {
      "model.open": () => openModels(services),
      "model.next": () => nextFavourite(services),
    },
  };
}

/** Sets the favourite behind the model in use; the first one if that is none. */
function nextFavourite(services: Services): void {
  const { settings, keys, say } = services;
  const { favouriteModels: favourites } = settings.values;
  const { model: current } = currentModel(services);
  const next = favourites[(favourites.indexOf(current ?? "") + 1) % Math.max(1, favourites.length)];
  if (next === undefined || next === current) {
    const list = keys.label("model.open", "the list of models");
    const mark = keys.label("models.favourite", "its key");
    say(`There is no other favourite model: ${list} lists the models, ${mark} there marks one.`);
    return;
  }
  inBackground(applyModel(services, { model: next }), services);
}
