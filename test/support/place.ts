import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HarnessOptions } from "../../src/app/engine/options.ts";
import type { OpenHarness } from "../../src/app/harness.ts";
import { openHarness } from "../../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Accepted } from "../../src/protocol/commands/commands.ts";
import type { Connection } from "../../src/protocol/connection.ts";
import type { Envelope, EnvelopeOf } from "../../src/protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import type { SessionWishes } from "../../src/session/plan.ts";
import type { MockOptions, MockProvider } from "./mock-provider/mock-provider.ts";
import { startMockProvider } from "./mock-provider/mock-provider.ts";
import type { Turn } from "./mock-provider/turn.ts";
import { until } from "./until.ts";
import { temporaryDirectory } from "./world.ts";

/** Options that a test sets; the others have the defaults of `openPlace`. */
export interface PlaceOptions extends Partial<Omit<HarnessOptions, "wishes">> {
  readonly wishes?: Partial<SessionWishes>;
}

/** A folder with a repository, a configuration and a mock provider in it, to open harnesses on. */
export interface TestProject extends AsyncDisposable {
  readonly root: string;
  readonly repo: string;
  readonly mock: MockProvider;
  config(text: string): void;
  write(path: string, text: string): void;
  options(more?: PlaceOptions): HarnessOptions;
  open(more?: PlaceOptions): Promise<OpenHarness>;
}

const { signal } = new AbortController();

export function openPlace(...script: Turn[]): TestProject {
  return openPlaceWith(script);
}

/** @param script the answers of the model, or what makes an answer of a request. */
export function openPlaceWith(script: MockOptions["script"]): TestProject {
  const directory = temporaryDirectory();
  const mock = startMockProvider({ script });
  const root = directory.path;
  const repo = join(root, "repo");
  const paths = { config: join(root, "config"), data: join(root, "data"), state: join(root, "state") };
  mkdirSync(repo);
  mkdirSync(paths.config);
  const options = ({ wishes, ...more }: PlaceOptions = {}): HarnessOptions => ({
    world: hostWorld(SILENT_LOG),
    paths,
    workingDir: repo,
    features: PROGRAM_FEATURES,
    wishes: {
      environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: root },
      autoApprove: false,
      strictPermissions: false,
      attended: false,
      ...wishes,
    },
    model: "mock:test-1",
    ...more,
  });
  const place: TestProject = {
    root,
    repo,
    mock,
    config: (text) => writeFileSync(join(paths.config, "config.toml"), text),
    write(path, text) {
      mkdirSync(dirname(join(repo, path)), { recursive: true });
      writeFileSync(join(repo, path), text);
    },
    options,
    open: (more) => openHarness(options(more), signal),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
  place.config(`[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`);
  return place;
}

export async function connect(harness: OpenHarness): Promise<Connection> {
  const connection = await harness.attach({ identityClass: "human", label: "test" });
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}

/** Sends a prompt and gives every event up to the end of its turn. */
export async function turn(harness: OpenHarness, prompt: string): Promise<Envelope[]> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: prompt }] });
  const seen: Envelope[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.kind === "TurnEnded" && seen.some(({ kind }) => kind === "TurnStarted")) break;
  }
  return seen;
}

/** A client that follows a session from its beginning; leaving its scope ends the following. */
export interface Following extends AsyncDisposable {
  readonly connection: Connection;
  readonly seen: readonly Envelope[];
  say(text: string): Promise<Accepted>;
  /** The first question for permission, once it is put. */
  question(): Promise<EnvelopeOf<"PermissionRequested">>;
  /** Waits until so many turns have ended. */
  turns(count: number): Promise<void>;
}

export async function follow(harness: OpenHarness): Promise<Following> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const leave = new AbortController();
  const seen: Envelope[] = [];
  const following = (async () => {
    for await (const event of connection.subscribe(sessionId, { signal: leave.signal })) seen.push(event);
  })();
  const first = () => seen.find((event) => event.kind === "PermissionRequested");
  return {
    connection,
    seen,
    say: (text) => connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] }),
    async question() {
      await until("the question", () => first() !== undefined);
      const asked = first();
      if (asked?.kind !== "PermissionRequested") throw new Error("nothing was asked");
      return asked;
    },
    turns: (count) =>
      until(
        `the end of turn ${count}`,
        () => seen.filter(({ kind }) => kind === "TurnEnded").length >= count,
      ),
    async [Symbol.asyncDispose]() {
      leave.abort();
      await following.catch(() => undefined); // it ends by being left
    },
  };
}
