import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../../test/support/place.ts";
import type { Listen } from "../../base/world.ts";
import { openPromptLink } from "../../cli/shared-prompt/prompt-link.ts";
import type { PromptQuestion } from "../../server/prompt/frames.ts";
import { openHarness } from "../harness.ts";
import { openEngineService } from "./engine-service.ts";
import { servicePaths } from "./service-paths.ts";

const { signal } = new AbortController();

test("[AUTH-11 CTL-15] from the first time that its health is ok an engine gives its owner a token; before, it is starting", async () => {
  await using place = openPlace();
  const { world, ...rest } = place.options({ wishes: { attended: true } });
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  const { promise: door, resolve: openDoor } = Promise.withResolvers<void>();
  // The start is held where the engine listens and has no token yet.
  const listen: Listen = async (...given) => {
    const listener = await world.listen(...given);
    listens();
    await door;
    return listener;
  };
  const unix = join(rest.paths.data, "control.sock");
  const health = async () => {
    const answer = await fetch("http://localhost/v1/health", { unix });
    return [answer.status, await answer.json()];
  };
  const hasToken = () => existsSync(join(rest.paths.state, "owner.token"));
  const starting = openEngineService({ ...rest, world: { ...world, listen } }, openHarness, signal);
  try {
    await Promise.race([listening, starting]);
    expect([await health(), hasToken()]).toMatchObject([[503, { status: "starting" }], false]);
  } finally {
    openDoor();
  }
  let answer = await health();
  while (answer[0] === 503) answer = await health();
  expect([answer, hasToken()]).toMatchObject([[200, { status: "ok" }], true]);
  await using _service = await starting;
  expect(await health()).toMatchObject([200, { status: "ok" }]);
});

const LIKENESS = { build: "1", place: {}, config: "", keys: "", passed: "" };
const SUPPORT = join(import.meta.dir, "../../../test/support");
/** An engine that prints its paths, stops prompts at a line, and ends with its input. */
const ENGINE = `
import { openPlace } from "${SUPPORT}/place.ts";
import { openHarness } from "${import.meta.dir}/../harness.ts";
import { openEngineService } from "${import.meta.dir}/engine-service.ts";
await using place = openPlace();
const options = place.options({ wishes: { attended: true } });
const prompts = { salt: "salt", likeness: ${JSON.stringify(LIKENESS)} };
await using service = await openEngineService({ ...options, prompts }, openHarness, new AbortController().signal);
console.log(JSON.stringify({ paths: options.paths, workingDir: place.repo }));
for await (const _ of console) {
  service.stopPrompts();
  console.log("{}");
}
`;

// Seen red with a `stopPrompts` that does nothing: the prompt was taken, and would have ended with the engine.
test("[CTL-11 REL-01] an engine that stops prompts takes none, and serves its other clients until it ends", async () => {
  // In a process of its own: an engine takes no prompt of itself, or of what it has started.
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  await using engine = Bun.spawn([process.execPath, ...flags, "-e", ENGINE], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const lines = linesOf(engine.stdout);
  const { paths, workingDir } = JSON.parse((await lines.next()).value ?? "");
  const { control, ownerSocket, ownerToken } = servicePaths(paths);
  const owner = readFileSync(ownerToken, "utf8").trim();
  const prompt: PromptQuestion = { likeness: LIKENESS, pid: process.pid, workingDir };
  const verdict = async () => {
    using link = await openPromptLink(ownerSocket);
    link?.send({ owner, prompt });
    return await link?.verdict;
  };
  expect(await verdict()).toBeUndefined();
  engine.stdin.write("stop\n");
  await engine.stdin.flush();
  await lines.next();
  expect(await verdict()).toBe("it is ending");
  const health = await fetch("http://localhost/v1/health", { unix: control });
  expect([health.status, await health.json()]).toMatchObject([200, { status: "ok" }]);
  await engine.stdin.end();
  expect(await engine.exited).toBe(0);
}, 60_000);

async function* linesOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
