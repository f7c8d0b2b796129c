import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CinchHome, CinchOptions, CinchResult, RunningCinch } from "./cinch.ts";
import { cinchHome, runCinch, startCinch } from "./cinch.ts";
import type { MockOptions, MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import { endAllWith } from "./processes.ts";

/** A home whose only model answers by a script, and a folder to work in. */
export interface MockHome extends AsyncDisposable {
  readonly home: CinchHome;
  readonly work: string;
  readonly provider: MockProvider;
  run(args: readonly string[], options?: CinchOptions): Promise<CinchResult>;
  start(args: readonly string[], options?: CinchOptions): RunningCinch;
}

/**
 * @param config further lines of the configuration.
 * @param models names of the models that the provider has. Default: any.
 */
export function openMockHome(
  script: MockOptions["script"],
  config = "",
  models?: readonly string[],
): MockHome {
  const home = cinchHome();
  const provider = startMockProvider({ script, ...(models === undefined ? {} : { models }) });
  const folder = join(home.path, "config/cinch");
  mkdirSync(folder, { recursive: true });
  const text = `default_model = "mock:one"\n${config}\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${provider.url}/v1"\n`;
  writeFileSync(join(folder, "config.toml"), text);
  const work = join(home.path, "work");
  mkdirSync(work);
  const all = (options: CinchOptions): CinchOptions => ({ home, cwd: work, stdin: "", ...options });
  return {
    home,
    work,
    provider,
    run: (args, options = {}) => runCinch(args, all(options)),
    start: (args, options = {}) => startCinch(args, all(options)),
    async [Symbol.asyncDispose]() {
      await endAllWith(home.path);
      await provider[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}
