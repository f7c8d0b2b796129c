import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { servicePaths } from "../../app/serving/service-paths.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import { durationText } from "../../base/text/duration.ts";
import { profileFromHere } from "../../config/profile-path.ts";
import { harnessSecretsPath } from "../../credentials/store/harness-secrets-path.ts";
import { hostClock } from "../../platform/clock.ts";
import type { PromptInput, PromptQuestion, PromptRequest } from "../../server/prompt/frames.ts";
import type { ParsedCall } from "../args/parsed-call.ts";
import { cinchPaths } from "../environment.ts";
import { standardError } from "../io/output.ts";
import { isPiped } from "../io/standard-input.ts";
import { credentialPlaces, PASSPHRASE } from "../secrets.ts";
import { publicEnvironment, sessionWishes } from "../session-request.ts";
import { configText, keysPrint, likenessOf } from "./likeness.ts";
import type { RunningPrompt } from "./prompt-connection.ts";
import { runningPromptOn } from "./prompt-connection.ts";
import type { PromptLink } from "./prompt-link.ts";
import { openPromptLink } from "./prompt-link.ts";
import { showsDeltas } from "./shows-deltas.ts";

const TOKEN_BYTES_MAX = 256;
const OTHERS = 0o077;
/** Time limit for the verdict of an engine, on a busy machine. */
const VERDICT_MS_MAX = 10_000;

export type PromptSharer =
  /** A running engine carries out the prompt. */
  | { readonly kind: "shared"; readonly prompt: RunningPrompt }
  /**
   * This process starts its own engine. `why` is absent if none runs. `mayStay`: one may be started for later commands
   * too.
   */
  | { readonly kind: "own"; readonly why?: string; readonly mayStay?: boolean };

/**
 * Asks the running engine of this user to carry out a prompt (PERF-07). It does if version, configuration, keys and
 * place are equal. Nothing is loaded here that only the rest of the run needs.
 *
 * A prompt that is complete goes along with the question. One that standard input belongs to is sent later: nothing is
 * read from there for an engine that may say no.
 * @throws HarnessError EngineSilent; the signal's reason.
 */
export async function askRunning(
  { settings, flags, words }: ParsedCall,
  signal: AbortSignal,
): Promise<PromptSharer> {
  const why = ownReason({ settings, flags });
  if (why !== undefined) return { kind: "own", why };
  const paths = cinchPaths(process.env);
  const { ownerSocket, ownerToken } = servicePaths(paths);
  const owner = privateText(ownerToken);
  const salt = owner?.split(".")[1];
  const workingDir = folderOf(settings.cwd);
  const none = { kind: "own", mayStay: mentionsStay(paths) && logReason(settings) === undefined } as const;
  if (workingDir === undefined) return { kind: "own" }; // the start reports it
  if (harnessSecretsPath(workingDir) !== undefined)
    return { kind: "own", why: "the project has its own keys" };
  if (salt === undefined) return none;
  if (process.env[PASSPHRASE] !== undefined)
    return { kind: "own", why: "passphrases are not compared with those of an engine" };
  const linking = openPromptLink(ownerSocket); // the engine looks at the peer while the facts are computed
  linking.catch(() => undefined); // thrown below, unless a fact cannot be read: that error counts
  const { variables } = await credentialPlaces(process.env, settings);
  const keys = keysPrint(salt, variables, paths.config);
  const { profile, model, resume, maxTimeMs } = settings;
  const question: PromptQuestion = {
    likeness: likenessOf(process.env, paths, { salt, keys }),
    workingDir,
    pid: process.pid,
    ...defined({ resume }),
  };
  const sinceMs = hostClock.monotonic();
  const [prompt] = words;
  const isWhole = prompt !== undefined && prompt !== "-" && !prompt.startsWith("/") && !isPiped();
  const goesAlong = isWhole && logReason(settings) === undefined;
  const input: PromptInput | undefined = isWhole ? { content: [{ type: "text", text: prompt }] } : undefined;
  const request: PromptRequest = {
    workingDir,
    ...(profile === undefined ? {} : { profile: profileFromHere(profile) }),
    ...defined({ model, resume }),
    wishes: sessionWishes(settings, publicEnvironment(variables)),
    ...(maxTimeMs === undefined ? {} : { leftMs: maxTimeMs }),
    ...(showsDeltas(flags["output-format"], settings, standardError()) ? {} : { deltasMayWait: true }),
    ...(goesAlong ? defined({ input }) : {}),
  };
  const link = await linking;
  if (link === undefined) return none;
  link.send({ owner, prompt: question }, ...(goesAlong ? [request] : []));
  const differs = (await verdictOf(link, { signal, maxTimeMs, goesAlong })) ?? logReason(settings);
  if (differs === undefined)
    return {
      kind: "shared",
      prompt: runningPromptOn(link, request, { isSent: goesAlong, clock: hostClock, sinceMs }),
    };
  link[Symbol.dispose]();
  return { kind: "own", why: differs };
}

interface VerdictLimits {
  readonly signal: AbortSignal;
  /** Time limit of the whole run (ENG-29). */
  readonly maxTimeMs: number | undefined;
  /** True if the engine was given the prompt, and may carry it out later. */
  readonly goesAlong: boolean;
}

/**
 * Waits for the verdict. An engine that is silent and was given nothing leaves the prompt to another.
 * @throws HarnessError EngineSilent, TimeLimitReached; the signal's reason.
 */
async function verdictOf(
  link: PromptLink,
  { signal, goesAlong, maxTimeMs = Number.POSITIVE_INFINITY }: VerdictLimits,
): Promise<string | undefined> {
  using limit = deadline(hostClock, Math.min(VERDICT_MS_MAX, maxTimeMs), signal);
  try {
    return await whileAlive(link.verdict, limit.signal);
  } catch (thrown) {
    const pid = limit.reached ? await link.enginePid() : undefined;
    link[Symbol.dispose]();
    if (!limit.reached) throw thrown;
    if (maxTimeMs <= VERDICT_MS_MAX)
      throw new HarnessError("TimeLimitReached", { limit: durationText(maxTimeMs) }, { cause: thrown });
    const seconds = `${VERDICT_MS_MAX / 1_000}`;
    if (!goesAlong) return `it has not answered for ${seconds} s`;
    const named =
      pid === undefined
        ? { process: "its process is unknown", remedy: "End that engine" }
        : { process: `process ${pid}`, remedy: `End that engine: kill -KILL ${pid}` };
    throw new HarnessError("EngineSilent", { ...named, seconds }, { cause: thrown });
  }
}

/** Returns why a command line has its own engine, whatever runs; undefined if it may share one. */
function ownReason({ settings, flags }: Pick<ParsedCall, "settings" | "flags">): string | undefined {
  if (process.platform !== "linux") return "only Linux shows which processes descend from an engine";
  if (flags["own-engine"] === true) return "--own-engine asks for it";
  if (flags["no-listen"] === true) return "--no-listen asks for it";
  if (settings.record !== undefined) return "--record writes what one engine receives";
  if (settings.insecureDevKey) return "--insecure-dev-key is for one engine";
  return undefined;
}

/** Returns why the log of a run needs its own engine: its levels and its place belong to a process. */
function logReason({ logLevels, logToStderr }: ParsedCall["settings"]): string | undefined {
  return logToStderr || logLevels.size > 0
    ? "it would be shared: only --log-level or --log-to-stderr prevents that"
    : undefined;
}

/** Returns true if config.toml may have `[engine] stay`. It is parsed only then. */
function mentionsStay({ config }: HarnessPaths): boolean {
  return configText(config).includes("stay");
}

function folderOf(cwd: string | undefined): string | undefined {
  try {
    return realpathSync(cwd ?? ".");
  } catch {
    return undefined;
  }
}

/** Reads a file that only this user can read and write; undefined if it is missing, or may be another's. */
function privateText(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    const isOurs = stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & OTHERS) === 0;
    return isOurs && stats.size <= TOKEN_BYTES_MAX ? readFileSync(file, "utf8") : undefined;
  } finally {
    closeSync(file);
  }
}
