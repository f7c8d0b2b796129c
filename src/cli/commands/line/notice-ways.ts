import type { NoticeWays } from "../../../view/notified-events.ts";
import type { ProcessContext } from "../../process-context.ts";

/**
 * Returns what config.toml notifies of. It is parsed only if it could say so.
 * @throws HarnessError ConfigInvalid.
 */
export async function noticeWays({ paths }: Pick<ProcessContext, "paths">): Promise<NoticeWays> {
  const { configText } = await import("../../shared-prompt/likeness.ts");
  if (!/bell|desktop|\\/.test(configText(paths.config))) return { bell: [], desktop: [] };
  const [{ configIn }, { FEATURES }] = await Promise.all([
    import("../../secrets.ts"),
    import("../../../app/features.ts"),
  ]);
  const config = await configIn(paths.config);
  const ways = FEATURES.flatMap((feature) => feature.noticeWays?.(config) ?? []);
  return {
    bell: ways.flatMap(({ bell }) => bell),
    desktop: ways.flatMap(({ desktop }) => desktop),
  };
}
