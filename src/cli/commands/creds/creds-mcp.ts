import { userConfig } from "../../../app/plan/user-config.ts";
import { Secret } from "../../../base/brand.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { MachineKey } from "../../../credentials/machine-key.ts";
import type { McpGrant } from "../../../credentials/mcp/grant.ts";
import { belowAddress, parseGrant, renderGrant } from "../../../credentials/mcp/grant.ts";
import { DEFAULT_ACCOUNT } from "../../../credentials/store/find-keys.ts";
import type { StoredKey } from "../../../credentials/store/key-store.ts";
import { changeKeyStore, readKeyStore } from "../../../credentials/store/key-store.ts";
import type { McpRemoteServer } from "../../../features/mcp/config.ts";
import { mcpSection } from "../../../features/mcp/config.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostFiles } from "../../../platform/files/files.ts";
import { hostRandom } from "../../../platform/random.ts";
import { hostFetch } from "../../../platform/sockets/fetch.ts";
import { hostListen } from "../../../platform/sockets/listen.ts";
import { hostResolve } from "../../../platform/sockets/resolve.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { misuse } from "../../args/misuse.ts";
import { standardError } from "../../io/output.ts";

/** Account that holds the client secret, for servers that register their clients beforehand. */
const CLIENT_SECRET = "client-secret";
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

export interface McpCreds {
  /** The path of the encrypted store. */
  readonly path: string;
  readonly machineKey: MachineKey;
  /** The configuration directory. */
  readonly directory: string;
  /** Asks for a key, or reads it from standard input or a variable. */
  readonly secret: () => Promise<string>;
  readonly signal: AbortSignal;
}

/**
 * Runs `cinch creds login|add|logout|delete mcp:NAME`: stores or removes the credentials of a remote MCP server (MCP-01).
 *
 * Credentials are bound to the address in config.toml, or the given one, and are sent nowhere else.
 * @throws HarnessError UsageInvalid, McpLoginFailed; signal.reason for Ctrl-C, and then nothing is stored.
 */
export async function runMcpCreds(
  verb: string,
  name: string,
  words: readonly string[],
  creds: McpCreds,
): Promise<ExitCode> {
  const server = serverName(name);
  switch (verb) {
    case "login":
      return await login(server, words, creds);
    case "add":
      return await add(server, words, creds);
    default:
      if (words.length > 0) throw misuse(`cinch creds ${verb} ${name} takes nothing more`);
      return await remove(server, creds);
  }
}

async function login(server: string, words: readonly string[], creds: McpCreds): Promise<ExitCode> {
  const { place, rest: scopes } = await placeOf(server, words, creds);
  const bad = scopes.find((scope) => !SCOPE.test(scope));
  if (bad !== undefined)
    throw misuse(`"${neutraliseLine(bad)}" is no scope: write cinch creds login mcp:NAME [URL] [SCOPE …]`);
  const stored = await readKeyStore(creds);
  const clientSecret = secretOf(stored, server, CLIENT_SECRET);
  const old = parseGrant(secretOf(stored, server, DEFAULT_ACCOUNT) ?? "");
  const { logIn } = await import("../../../features/mcp/login/login.ts");
  const grant = await logIn(
    {
      name: server,
      url: place.url,
      ...(place.transport === undefined ? {} : { transport: place.transport }),
      scopes: [...(place.scopes ?? []), ...scopes],
      ...(place.clientId === undefined ? {} : { clientId: place.clientId }),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(old === undefined || old.url !== place.url ? {} : { before: old }),
    },
    {
      clock: hostClock,
      random: hostRandom,
      fetch: hostFetch(),
      resolve: hostResolve,
      listen: hostListen(SILENT_LOG),
      async show(page) {
        await standardError().write(
          `cinch: open this page in a browser on this machine and agree there, within 10 min (Ctrl-C to give up):\n${neutraliseLine(page.href)}\n`,
        );
      },
    },
    creds.signal,
  );
  await keep(server, DEFAULT_ACCOUNT, renderGrant(grant), creds);
  const rights = grant.scope === undefined ? "" : `, with the rights ${neutraliseLine(grant.scope)}`;
  const end = grant.renewal === undefined ? "; it cannot be renewed without you" : "";
  await standardError().write(
    `cinch: you are logged in at ${neutraliseLine(grant.url)}${rights}${end}. The token is kept in ${neutraliseLine(creds.path)} and sent to that server only.\n`,
  );
  return EXIT.done;
}

/** Stores a token from elsewhere, or the secret of a registered client. */
async function add(server: string, words: readonly string[], creds: McpCreds): Promise<ExitCode> {
  if (words[0] === CLIENT_SECRET) {
    await keep(server, CLIENT_SECRET, await creds.secret(), creds);
    await standardError().write(`cinch: the client's secret for mcp:${server} is kept for the next login\n`);
    return EXIT.done;
  }
  const { place, rest } = await placeOf(server, words, creds);
  if (rest.length > 0) throw misuse("write cinch creds add mcp:NAME [URL], and type the token when asked");
  const below = belowAddress(place.url, place.transport ?? "http");
  const grant: McpGrant = { url: place.url, ...below, accessToken: await creds.secret() };
  await keep(server, DEFAULT_ACCOUNT, renderGrant(grant), creds);
  await standardError().write(
    `cinch: the token of mcp:${server} is kept in ${neutraliseLine(creds.path)} and sent to ${neutraliseLine(place.url)} only\n`,
  );
  return EXIT.done;
}

async function remove(server: string, creds: McpCreds): Promise<ExitCode> {
  let found = 0;
  await changeKeyStore({ ...creds, random: hostRandom, clock: hostClock }, (keys) => {
    const others = keys.filter(({ provider }) => provider !== `mcp:${server}`);
    found = keys.length - others.length;
    return others;
  });
  if (found === 0) throw misuse(`there is nothing stored for mcp:${server}; see cinch creds list`);
  await standardError().write(`cinch: what was stored for mcp:${server} was deleted\n`);
  return EXIT.done;
}

type Place = Pick<McpRemoteServer, "url"> &
  Partial<Pick<McpRemoteServer, "scopes" | "clientId" | "transport">>;

/** Returns the address of a server: the first word if it is one, else that of config.toml. */
async function placeOf(
  server: string,
  words: readonly string[],
  { directory }: McpCreds,
): Promise<{ readonly place: Place; readonly rest: readonly string[] }> {
  const declared = await declaredServer(server, directory);
  const [first = ""] = words;
  if (!/^https?:/i.test(first)) {
    if (declared !== undefined) return { place: declared, rest: words };
    throw misuse(
      `config.toml declares no MCP server "${server}" with a url; declare it, or name its address: cinch creds login mcp:${server} https://…`,
    );
  }
  const url = URL.parse(first);
  if (url === null || !isSafeUrl(url) || url.hash !== "")
    throw misuse(
      "the address must be https, or http on this machine, without a name, a password and a # part",
    );
  const place = declared?.url === url.href ? declared : { url: url.href };
  return { place, rest: words.slice(1) };
}

async function declaredServer(server: string, directory: string): Promise<McpRemoteServer | undefined> {
  const config = await userConfig({ world: { files: hostFiles }, paths: { config: directory } });
  const found = settingsOf(mcpSection, { config }).find(({ name }) => name === server);
  return found === undefined || found.transport === "stdio" ? undefined : found;
}

async function keep(server: string, account: string, text: string, creds: McpCreds): Promise<void> {
  const provider = `mcp:${server}`;
  const addedAt = new Date(hostClock.now()).toISOString();
  const entry: StoredKey = { provider, account, secret: new Secret("api-key", text), addedAt };
  await changeKeyStore({ ...creds, random: hostRandom, clock: hostClock }, (keys) => [
    ...keys.filter((key) => key.provider !== provider || key.account !== account),
    entry,
  ]);
}

function secretOf(stored: readonly StoredKey[], server: string, account: string): string | undefined {
  return stored
    .find((each) => each.provider === `mcp:${server}` && each.account === account)
    ?.secret.reveal();
}

function serverName(name: string): string {
  const server = name.slice("mcp:".length);
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(server)) return server;
  throw misuse("an MCP server is named as in config.toml: mcp:NAME");
}
