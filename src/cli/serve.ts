import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HarnessError, messageOf } from "../base/errors.ts";
import { neutraliseLine } from "../client/kit/terminal-text.ts";
import type { CodeChannel } from "../control/auth/code-channel.ts";
import type { TokenFile } from "../control/auth/token-file.ts";
import type { HttpTarget, Tls } from "../control/http/server.ts";
import type { ListenFlags, PlannedTarget, TlsFiles } from "../control/http/targets.ts";
import type { Invocation } from "./arguments.ts";
import { within } from "./bounded.ts";
import type { ExitCode } from "./exit-codes.ts";
import { EXIT } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import { CLOSE_MS_MAX, tellStart } from "./prompt.ts";
import type { Stop } from "./stop.ts";
import { harnessOptions, surroundingsOf } from "./surroundings.ts";

/**
 * `cinch serve`: an engine that others attach to, on the Unix socket and, where that is asked for, on a port (CTL-10). It
 * serves until a signal ends it: then every stream gets its SessionEnded, and the exit code is 130.
 */
export async function runServe(
  { settings, listen }: Extract<Invocation, { readonly kind: "serve" }>,
  stop: Stop,
): Promise<ExitCode> {
  const at = surroundingsOf(settings, stop);
  const { plannedTargets } = await import("../control/http/targets.ts");
  const { openEngineService, servicePaths } = await import("../harness/engine-service.ts");
  const { openHarness } = await import("../harness.ts");
  const targets = await Promise.all(plannedTargets(listen, [servicePaths(at.paths).control]).map(opened));
  const options = {
    ...harnessOptions(settings, at, { attended: true, asksTrust: false }),
    targets,
    codeChannels: () => (at.stderr.isTerminal ? [terminalChannel(at.stderr)] : []),
    tokenFiles: await tokenFiles(listen.authTokenFile),
  };
  const service = await openEngineService(options, openHarness, stop.signal);
  try {
    await tellStart(service.harness, at);
    const places = service.addresses.map((address) => `  ${neutraliseLine(address)}\n`).join("");
    await at.stderr.write(
      `cinch: serving session ${service.harness.session} at\n${places}cinch: a token for a client: cinch token --identity-class human; end it with Ctrl-C\n`,
    );
    await aborted(stop.signal);
    return EXIT.cancelled;
  } finally {
    await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(service[Symbol.asyncDispose]()));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

async function opened(target: PlannedTarget): Promise<HttpTarget> {
  switch (target.kind) {
    case "unix":
      return target;
    case "loopback": {
      const { tls, ...rest } = target;
      return tls === undefined ? rest : { ...rest, tls: await readTls(tls) };
    }
    case "lan":
      return { ...target, tls: await readTls(target.tls) };
  }
}

async function readTls({ cert, key }: TlsFiles): Promise<Tls> {
  return { cert: await readText("--tls-cert", cert), key: await readText("--tls-key", key) };
}

async function readText(flag: string, path: string): Promise<string> {
  try {
    return await readFile(resolve(path), "utf8");
  } catch (thrown) {
    const problem = `${flag} ${path} cannot be read: ${messageOf(thrown)}`;
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
}

async function tokenFiles(path: ListenFlags["authTokenFile"]): Promise<readonly TokenFile[]> {
  if (path === undefined) return [];
  const { readTokenFile } = await import("../control/auth/token-file.ts");
  return [await readTokenFile(resolve(path))];
}

/** The terminal that the engine was started at: whoever sits before it sees the code. */
function terminalChannel(output: Output): CodeChannel {
  return {
    name: "tty",
    async show(code, { identityClass }) {
      await output.write(
        `cinch: a client asks for a token (identity class ${identityClass}). Its code, for one minute: ${code}\n`,
      );
      return true;
    },
  };
}
