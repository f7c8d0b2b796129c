import { defined } from "../../../base/defined.ts";
import { count } from "../../../base/text/text.ts";
import type { Model } from "../../../providers/provider.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { harnessOptions } from "../../process-context.ts";
import type { ModelsContext } from "./flags.ts";

/**
 * Lists the models of the configured providers and of acknowledged plugins, one `provider:name` a line, as --model
 * takes it (PROV-13); with `--json` as one list.
 *
 * Providers that do not answer are reported on standard error. Exit code 1 if none answers.
 */
export async function run({ settings, flags, at, stop }: ModelsContext): Promise<ExitCode> {
  const { json } = flags;
  const { listModels } = await import("../../../app/models/offered-models.ts");
  let answered = 0;
  let failed = 0;
  const rows: JsonRow[] = [];
  const options = await harnessOptions(settings, at, { attended: false });
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
    if (json) rows.push(...models.map((model) => jsonRow(provider, model, plugin)));
    else await at.stdout.write(models.map((model) => `${modelLine(provider, model, plugin)}\n`).join(""));
  }
  if (json) await at.stdout.write(`${JSON.stringify(rows)}\n`);
  if (failed > 0 && answered > 0) {
    await at.stderr.write(`cinch: ${count(failed, "provider")} did not answer\n`);
  }
  return answered === 0 ? EXIT.failed : EXIT.done;
}

interface JsonRow {
  /** `provider:name`, the form of --model. */
  readonly model: string;
  readonly context_tokens?: number;
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
  readonly plugin?: string;
}

function jsonRow(provider: string, { id, contextTokens, price }: Model, plugin: string | undefined): JsonRow {
  return {
    model: `${provider}:${id}`,
    ...defined({ context_tokens: contextTokens }),
    ...(price === undefined ? {} : { price: { input: price.input, output: price.output } }),
    ...defined({ plugin }),
  };
}

/** Returns the name alone if nothing else is known, so that the list can be piped. */
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
