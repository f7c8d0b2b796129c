import { HarnessError } from "../../../base/errors.ts";
import type { SessionPlugins } from "../load-session-plugins.ts";
import type { RegisteredPlugin } from "./registered-plugin.ts";

/**
 * Refuses plugins that one conversation of a program cannot serve: it has one model, no wire, no clients who could send
 * commands, and no permission gate. It refuses a plugin that failed, too.
 * @throws HarnessError UsageInvalid; the failure.
 */
export function refuseUnfit({ active, failed }: Pick<SessionPlugins, "active" | "failed">): void {
  const [first] = failed;
  if (first !== undefined) throw first.error; // report it to the program that passed it
  for (const plugin of active) assertFit(plugin);
}

function assertFit({ name, providers, transports, rules }: RegisteredPlugin): void {
  const needs = [
    ...(providers.size > 0 ? ["a provider, and a Harness has one model"] : []),
    ...(transports.length > 0 ? ["a transport, and a Harness has no wires"] : []),
    ...(rules.length > 0 ? ["permission rules, and in a Harness nothing is asked"] : []),
  ];
  const [first] = needs;
  if (first !== undefined)
    throw new HarnessError("UsageInvalid", { problem: `the plugin ${name} registers ${first}` });
}
