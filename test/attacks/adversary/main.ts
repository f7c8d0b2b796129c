/**
 * Runs every scenario in one mode and prints what came of them: `main.ts MODE`, in a network namespace of its own.
 *
 * The modes but `open` start the program itself. `open` is the check of the cases: no sandbox, and a person who says
 * yes to everything; there every attack must work, or it would show nothing elsewhere.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockFileOf, openReview } from "../../../src/app/explain/review.ts";
import { openHarness } from "../../../src/app/harness.ts";
import { isObject, stringAt } from "../../../src/base/json.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/version.ts";
import { acknowledgeAll } from "../../support/acknowledge.ts";
import { runCinch } from "../../support/cinch.ts";
import type { MockRequest } from "../../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../../support/mock-provider/mock-provider.ts";
import { says } from "../../support/mock-provider/turn.ts";
import type { Bidding } from "./carriers.ts";
import { carry } from "./carriers.ts";
import { changing } from "./changing.ts";
import type { Base } from "./ground.ts";
import { KEY, openBase } from "./ground.ts";
import { openInternet } from "./internet.ts";
import { NOW, obedient } from "./obedient.ts";
import { reading } from "./reading.ts";
import type { Mode, Report } from "./report.ts";
import type { Aftermath, Scenario } from "./scenario.ts";
import { PROGRAMS, programsOf } from "./scenario.ts";
import { sending } from "./sending.ts";

const ROUNDS_MAX = "1000";
const DENIED = 'deny = ["Bash:git push *", "Read:private/**", "Edit:private/**"]';
const SECRETS_DENIED =
  '"WebFetch", "Read:**/.ssh/**", "Read:**/.aws/**", "Read:**/.netrc", "Read:**/.*_history"';
const READS_PAGE = 'allow = ["WebFetch:=http://docs.example/page"]';
const HOOK = '[[hooks]]\nevent = "SessionStart"\ncmd = "cat $CINCH_HOOKS/context.txt"\n';
const PERMISSIONS = `[permissions]\n${READS_PAGE}\n${DENIED}\n`;

const MODES: Readonly<
  Record<
    Mode,
    { readonly settings: string; readonly flags: readonly string[]; readonly without?: readonly string[] }
  >
> = {
  default: { settings: PERMISSIONS, flags: [] },
  ask: { settings: `${PERMISSIONS}bash_in_sandbox = "ask"\n`, flags: [] },
  auto: { settings: `${PERMISSIONS}[sandbox]\nnetwork = ["good.example:80"]\n`, flags: ["--auto-approve"] },
  bounded: {
    settings: `[permissions]\nlevel = "WorkspaceWrite"\nstrict = true\n${DENIED.replace("]", `, ${SECRETS_DENIED}]`)}\n`,
    flags: ["--auto-approve"],
    without: ["a web page"],
  },
  open: { settings: `[permissions]\n${READS_PAGE}\n[sandbox]\nbackend = "none"\n`, flags: [] },
};

const [name = ""] = process.argv.slice(2);
if (!(name in MODES)) throw new Error(`no mode ${name}`);
process.stdout.write(`${JSON.stringify(await run(name as Mode))}\n`);

async function run(mode: Mode): Promise<Report> {
  const { settings, flags, without } = MODES[mode];
  const pages = new Map<string, string>();
  using internet = await openInternet(pages);
  const all = [...sending(), ...changing(), ...reading()];
  const model = obedient();
  const prompts: string[] = [];
  const worked = new Set<string>();
  let screen = "";
  let look: () => void = () => undefined;
  await using mock = startMockProvider({
    key: KEY,
    script(request) {
      const asked = promptOf(request);
      prompts.push(asked);
      if (asked.includes("nested ")) return says("I am another one.");
      const turn = model.answer(request);
      look();
      return turn;
    },
  });
  using base = openBase(mock.url, `${settings}${HOOK}`);
  const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
  const able = ({ orders }: Scenario) =>
    !programsOf(orders({ ...base.ground, token: "" })).some((program) => missing.includes(program));
  const scenarios = all.filter((each, at) => taken(each, at, mode) && able(each));
  const tokenOf = (at: number) => `c${at}x51f0`;
  const grounds = scenarios.map((_, at) => ({ ...base.ground, token: tokenOf(at) }));
  const biddings = scenarios.map(({ orders }, at): readonly Bidding[] => {
    const ground = grounds[at];
    if (ground === undefined) return [];
    return orders(ground).map((order, step) => ({ id: `${at}-${step}`, order }));
  });
  for (const [at, { prepare }] of scenarios.entries()) if (grounds[at]) prepare?.(grounds[at]);
  const load = { ground: base.ground, pages, attachment: "" };
  const { prompt, carried } = carry(biddings, load, without);
  await acknowledgeAll(base.options);
  const lockfile = join(base.ground.root, "ci", "approved.lock");
  mkdirSync(join(base.ground.root, "ci"));
  writeFileSync(lockfile, lockFileOf(await openReview(base.options)));
  const before = snapshot(base);

  const outputOf = (at: number) =>
    model.outcomes
      .filter(({ id }) => id.startsWith(`${at}-`))
      .map(({ output }) => output)
      .join("\n");
  const judge = (at: number, { worked: succeeded, name }: Scenario) => {
    const ground = grounds[at];
    const after: Aftermath = { heard: internet.heard(), output: outputOf(at), prompts, screen };
    if (ground !== undefined && !worked.has(name) && succeeded(ground, after)) worked.add(name);
  };
  let seen = 0;
  look = () => {
    for (; seen < model.outcomes.length; seen += 1) {
      const at = Number(model.outcomes[seen]?.id.split("-")[0]);
      const scenario = scenarios[at];
      if (scenario !== undefined && model.outcomes[seen]?.id === biddings[at]?.at(-1)?.id)
        judge(at, scenario);
    }
  };
  const codes = mode === "open" ? await runOpen(base, prompt, load.attachment) : await runProgram();
  async function runProgram(): Promise<readonly number[]> {
    const { home, temporary, root } = base.ground;
    const flagged = ["--model", "mock:m", "--max-turns", ROUNDS_MAX, "--lockfile", lockfile, ...flags];
    const options = {
      cwd: root,
      home: { path: home, env: { HOME: home }, [Symbol.dispose]: () => undefined },
      env: { MOCK_KEY: KEY, TMPDIR: temporary },
      timeoutMs: 240_000,
    };
    const first = await runCinch(["-p", prompt, ...flagged], { ...options, stdin: load.attachment });
    const second = await runCinch(["-p", NOW, "--continue", ...flagged], options);
    screen = [first, second].map(({ stdout, stderr }) => stdout + stderr).join("\n");
    return [first.code, second.code];
  }
  for (const [at, scenario] of scenarios.entries()) judge(at, scenario);
  return {
    mode,
    codes,
    missing,
    screen,
    scenarios: scenarios.map(({ name, goal, lifted, alwaysHeld }, at) => ({
      name,
      goal,
      lifted: lifted ?? false,
      ...(alwaysHeld === undefined ? {} : { alwaysHeld }),
      made: biddings[at]?.every(({ id }) => model.outcomes.some((outcome) => outcome.id === id)) ?? false,
      worked: worked.has(name),
      output: outputOf(at).slice(0, 2_000),
    })),
    carried: Object.fromEntries(carried),
    names: internet.names,
    connections: internet.connections(),
    changed: difference(before, snapshot(base)),
  };
}

/** Selects the scenarios of a mode: all that only its bounds stop, and a part of the rest. */
function taken({ lifted }: Scenario, at: number, mode: Mode): boolean {
  return mode !== "bounded" || lifted === true || at % 4 === 0;
}

/** The last thing that was asked by a person. */
function promptOf({ body }: MockRequest): string {
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  return JSON.stringify(messages[0]?.["content"] ?? stringAt(body, "prompt") ?? "");
}

/** A person who says yes to everything, and nothing that confines. */
async function runOpen(base: Base, prompt: string, attachment: string): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const { config, root } = base.ground;
  const lockfile = join(root, "ci", "approved.lock");
  const kept = [join(config, "config.toml"), join(config, "approved.lock"), lockfile].map((path) => ({
    path,
    bytes: readFileSync(path),
  }));
  const options = {
    ...base.options,
    wishes: {
      ...base.options.wishes,
      attended: true,
      asksTrust: false,
      lockfile,
      maxTurns: Number(ROUNDS_MAX),
    },
  };
  for (const text of [`${prompt}\n${attachment}`, NOW]) {
    // What the first half has made of them would keep the second from starting.
    for (const { path, bytes } of kept) writeFileSync(path, bytes);
    rmSync(join(base.ground.root, ".cinch"), { recursive: true, force: true });
    for (const folder of ["hooks", "profiles"].map((name) => join(base.ground.config, name)))
      for (const name of readdirSync(folder)) if (/^c\d+x/.test(name)) rmSync(join(folder, name));
    await using harness = await openHarness(
      { ...options, ...(text === NOW ? { resume: { kind: "last" } as const } : {}) },
      signal,
    );
    const connection = await harness.attach({ identityClass: "human", label: "yes" });
    await connection.handshake(PROTOCOL_VERSION);
    const sessionId = harness.session;
    const events = connection.subscribe(sessionId, { signal });
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
    let isNew = false;
    for await (const event of events) {
      if (event.kind === "TurnStarted") isNew = true;
      if (event.kind === "PermissionRequested") {
        const { callId } = event.payload;
        if (isNew)
          await connection
            .send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" })
            .catch(() => undefined);
      }
      if (event.kind === "TurnEnded" && isNew) break;
    }
  }
  return [];
}

type Snapshot = ReadonlyMap<string, string>;

/** Everything that nobody may change in a run: all but the workspace's own files and what cinch writes itself. */
function snapshot({ path, ground: { root, home, config, data, state } }: Base): Snapshot {
  const own = [
    join(home, ".bun"), // what Bun keeps of the program itself, where it runs from source
    join(data, "sessions.db"),
    join(data, "scratch"),
    join(data, "checkpoints", "log_"), // what the run keeps of its own workspace; those of others are planted
    join(data, "catalogues"),
    join(state, "log/harness-"),
    join(state, "sandboxes"),
    join(state, "sandbox-proof"),
    join(config, "machine.key"),
  ];
  const kept = readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const at = join(entry.parentPath, entry.name);
    const inRoot = at.startsWith(`${root}/`);
    const isGuarded = /^(\.cinch|\.harness-secrets)(\/|$)|^\.git\/(hooks|config)|^ci(\/|$)/.test(
      at.slice(root.length + 1),
    );
    if ((inRoot && !isGuarded) || own.some((each) => at.startsWith(each))) return [];
    return [[at, entry.isFile() ? String(Bun.hash(readFileSync(at))) : "folder"] as const];
  });
  return new Map(kept);
}

function difference(before: Snapshot, after: Snapshot): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((path) => before.get(path) !== after.get(path));
}
