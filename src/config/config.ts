import type { World } from "../base/world.ts";
import type { ConfigSection } from "../session/config-section.ts";
import type { Config } from "../session/settings/settings.ts";
import type { LookupResult } from "./mistakes.ts";
import { pricesSection, providersSection } from "./providers/providers.ts";
import { routingSection } from "./providers/routing.ts";
import { copilotSection, vertexSection } from "./providers/vendor-settings.ts";
import { modelSection } from "./sections/models.ts";
import { permissionSettings, permissionsSection } from "./sections/permissions.ts";
import { pluginsSection } from "./sections/plugins.ts";
import { profileChoiceSection } from "./sections/profile-keys.ts";
import { misplacedKeys } from "./settings/misplaced-keys.ts";
import { readSections, saidOf } from "./settings/read-section.ts";
import type { WrittenKey } from "./settings/written-keys.ts";
import { writtenKeys } from "./settings/written-keys.ts";
import { Table } from "./table.ts";
import { readToml } from "./toml.ts";

/** The value of a missing file. */
export const NOTHING: Config = {
  sections: new Map(),
  providers: [],
  routes: [],
  prices: new Map(),
  permissions: { rules: [] },
  plugins: [],
};

/**
 * Reads config.toml. A missing file has no values, and loads no parser.
 * @throws HarnessError ConfigInvalid with file, line and key, for unknown keys too: a misspelt `deny` must not pass.
 */
export async function loadConfig(
  world: Pick<World, "files">,
  path: string,
  sections: readonly ConfigSection[],
): Promise<Config> {
  const file = await readToml(world.files, path);
  if (file === undefined) return NOTHING;
  return configFrom(new Table(file), sections);
}

/** Returns all that is wrong in config.toml, and the place of any of its keys. */
export async function lookThroughConfig(
  world: Pick<World, "files">,
  path: string,
  sections: readonly ConfigSection[],
): Promise<LookupResult<Config> & { readonly where?: Table["where"] }> {
  const { mistakesIn } = await import("./mistakes.ts");
  const { value, mistakes } = await mistakesIn(async (following) => {
    const file = (await readToml(world.files, path)) ?? { path, text: "", value: {} };
    const table = new Table(file, [], file.value, following);
    return { config: configFrom(table, sections), table };
  });
  if (value === undefined) return { mistakes };
  return { value: value.config, mistakes, where: (...path) => value.table.where(...path) };
}

/** Returns every key that config.toml may hold, with its value. The file has been loaded before. */
export async function configKeys(
  world: Pick<World, "files">,
  path: string,
  sections: readonly ConfigSection[],
): Promise<readonly WrittenKey[]> {
  const file = (await readToml(world.files, path)) ?? { path, text: "", value: {} };
  return writtenKeys(new Table(file), "config", sections);
}

function configFrom(table: Table, sections: readonly ConfigSection[]): Config {
  const { values } = readSections(table, "config", sections);
  table.refuseUnknown(undefined, misplacedKeys("config", sections));
  const prices = saidOf(values, pricesSection) ?? [];
  const vertex = saidOf(values, vertexSection);
  const copilot = saidOf(values, copilotSection);
  return {
    sections: values,
    ...saidOf(values, modelSection),
    ...saidOf(values, profileChoiceSection),
    providers: saidOf(values, providersSection) ?? [],
    routes: saidOf(values, routingSection) ?? [],
    prices: new Map(prices.map(({ name, ...price }) => [name, price])),
    permissions: permissionSettings(saidOf(values, permissionsSection), (effect) =>
      table.where(permissionsSection.name, effect),
    ),
    plugins: saidOf(values, pluginsSection)?.paths ?? [],
    ...(vertex === undefined ? {} : { vertex }),
    ...(copilot === undefined ? {} : { copilot }),
  };
}
