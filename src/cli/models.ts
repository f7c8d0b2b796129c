import { count } from "../base/text.ts";
import { neutraliseLine } from "../client/kit/terminal-text.ts";
import type { Model } from "../provider/provider.ts";
import type { Invocation } from "./arguments.ts";
import type { ExitCode } from "./exit-codes.ts";
import { EXIT } from "./exit-codes.ts";
import type { Stop } from "./stop.ts";
import { harnessOptions, surroundingsOf } from "./surroundings.ts";

/**
 * Lists what the configured providers offer, those of acknowledged plugins too, one `provider:name` a line, as --model takes it (PROV-13).
 *
 * A provider that does not answer is told on standard error; when none does, the command has failed.
 */
export async function runModels(
  { settings }: Extract<Invocation, { kind: "models" }>,
  stop: Stop,
): Promise<ExitCode> {
  const at = surroundingsOf(settings, stop);
  const { listModels } = await import("../harness/offered-models.ts");
  let answered = 0;
  let failed = 0;
  const options = harnessOptions(settings, at, { attended: false });
  for await (const { provider, models, error, notice, plugin } of listModels(options, stop.signal)) {
    if (notice !== undefined) {
      await at.stderr.write(`cinch: ${neutraliseLine(notice)}\n`);
      continue;
    }
    if (models === undefined) {
      failed += 1;
      await at.stderr.write(`cinch: ${neutraliseLine(error ?? `${provider} did not answer`)}\n`);
      continue;
    }
    answered += 1;
    if (models.length === 0) await at.stderr.write(`cinch: ${neutraliseLine(provider)} offers no models\n`);
    await at.stdout.write(models.map((model) => `${modelLine(provider, model, plugin)}\n`).join(""));
  }
  if (failed > 0 && answered > 0) {
    await at.stderr.write(`cinch: ${count(failed, "provider")} did not answer\n`);
  }
  return answered === 0 ? EXIT.failed : EXIT.done;
}

/** The name alone where nothing else is known, so that the list can be piped. */
function modelLine(
  provider: string,
  { id, contextTokens, price }: Model,
  plugin: string | undefined,
): string {
  const facts = [
    ...(plugin === undefined ? [] : [`of the plugin ${neutraliseLine(plugin)}`]),
    ...(contextTokens === undefined ? [] : [`${contextTokens} tokens`]),
    ...(price === undefined ? [] : [`$${price.input} in, $${price.output} out per million`]),
  ];
  const name = neutraliseLine(`${provider}:${id}`);
  return facts.length === 0 ? name : `${name}\t${facts.join(", ")}`;
}
