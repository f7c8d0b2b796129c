import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, parseJson } from "../../src/base/json.ts";
import type { CinchHome, CinchResult } from "./cinch.ts";
import { cinchHome, runCinch } from "./cinch.ts";
import type { MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import type { Turn } from "./mock-provider/turn.ts";

/** A home, a folder to work in and a model, for runs of the command with hooks. */
export interface HookRig extends AsyncDisposable {
  readonly mock: MockProvider;
  readonly home: CinchHome;
  readonly work: string;
  /** A path beside the folder that is worked in. */
  at(name: string): string;
  /** Writes below the folder that is worked in. */
  write(path: string, text: string): void;
  /** A script outside of the repository; its path. */
  script(name: string, text: string): string;
  /** One `[[hooks]]` as TOML. */
  run(args: readonly string[], config?: string): Promise<HookedRun>;
}

export interface HookedRun extends CinchResult {
  /** Of one kind, in order. */
  events(kind: string): readonly Readonly<Record<string, unknown>>[];
}

export function hook(entry: Readonly<Record<string, string | number | boolean>>): string {
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[hooks]]\n${lines.join("\n")}\n`;
}

export function openHookRig(script: readonly Turn[]): HookRig {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(join(work, ".git"), { recursive: true });
  mkdirSync(join(home.path, "config/cinch"));
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  const at = (name: string) => join(home.path, name);
  return {
    mock,
    home,
    work,
    at,
    write(path, text) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    },
    script(name, text) {
      writeFileSync(at(name), text);
      chmodSync(at(name), 0o755);
      return at(name);
    },
    async run(args, config = "") {
      writeFileSync(join(home.path, "config/cinch/config.toml"), `${config}\n${provider}`);
      const flags = ["--model", "mock:one", "--output-format", "stream-json"];
      const result = await runCinch([...args, ...flags], { home, cwd: work, timeoutMs: 40_000 });
      return { ...result, events: (kind) => eventsOf(result.stdout, kind) };
    },
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** What a file holds; undefined where there is none. */
export function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function eventsOf(stdout: string, kind: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const event = parseJson(line)?.value;
      if (!isObject(event) || event["kind"] !== kind) return [];
      return isObject(event["payload"]) ? [event["payload"]] : [];
    });
}
