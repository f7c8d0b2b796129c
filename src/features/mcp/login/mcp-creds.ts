import { Secret } from "../../../base/brand.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { McpGrant } from "../../../credentials/mcp/grant.ts";
import { belowAddress, parseGrant, renderGrant } from "../../../credentials/mcp/grant.ts";
import { DEFAULT_ACCOUNT } from "../../../credentials/store/find-keys.ts";
import { isSafeUrl } from "../../../safety/safe-url.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import type { ServerCredsCall, ServerCredsContext } from "../../../session/commands/server-creds.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { McpRemoteServer } from "../config.ts";
import { mcpSection } from "../config.ts";

/** Account that holds the client secret, for servers that register their clients beforehand. */
const CLIENT_SECRET = "client-secret";
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/**
 * Runs `cinch creds login|add|logout|delete mcp:NAME`: stores or removes the credentials of a remote MCP
 * server (MCP-01).
 *
 * Credentials are bound to the address in config.toml, or the given one, and are sent nowhere else.
 * @throws HarnessError UsageInvalid, McpLoginFailed; signal.reason for Ctrl-C, and then nothing is stored.
 */
export async function runMcpCreds(
  { verb, server, words }: ServerCredsCall,
  context: ServerCredsContext,
): Promise<ExitCode> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(server))
    throw misuse("an MCP server is named as in config.toml: mcp:NAME");
  switch (verb) {
    case "login":
      return await login(server, words, context);
    case "add":
      return await add(server, words, context);
    case "delete":
    case "logout":
      if (words.length > 0) throw misuse(`cinch creds ${verb} mcp:${server} takes nothing more`);
      return await remove(server, context);
  }
}

async function login(
  server: string,
  words: readonly string[],
  context: ServerCredsContext,
): Promise<ExitCode> {
  const { place, rest: scopes } = await placeOf(server, words, context);
  const bad = scopes.find((scope) => !SCOPE.test(scope));
  if (bad !== undefined)
    throw misuse(`"${neutraliseLine(bad)}" is not a scope: write cinch creds login mcp:NAME [URL] [SCOPE …]`);
  const { store, stderr, world, signal } = context;
  const stored = await store.read();
  const clientSecret = stored.get(CLIENT_SECRET)?.reveal();
  const old = parseGrant(stored.get(DEFAULT_ACCOUNT)?.reveal() ?? "");
  const { logIn } = await import("./login.ts");
  const grant = await logIn(
    {
      name: server,
      url: place.url,
      ...defined({ transport: place.transport }),
      scopes: [...(place.scopes ?? []), ...scopes],
      ...defined({ clientId: place.clientId, clientSecret }),
      ...(old === undefined || old.url !== place.url ? {} : { before: old }),
    },
    {
      ...world,
      async show(page) {
        await stderr.write(
          `cinch: open this page in a browser on this machine and agree there, within 10 min (Ctrl-C to give up):\n${neutraliseLine(page.href)}\n`,
        );
      },
    },
    signal,
  );
  await keep(DEFAULT_ACCOUNT, renderGrant(grant), context);
  const rights = grant.scope === undefined ? "" : `, with the rights ${neutraliseLine(grant.scope)}`;
  const end = grant.renewal === undefined ? "; it cannot be renewed without you" : "";
  await stderr.write(
    `cinch: you are logged in at ${neutraliseLine(grant.url)}${rights}${end}. The token is kept in ${neutraliseLine(store.path)} and sent to that server only.\n`,
  );
  return EXIT.done;
}

/** Stores a token from elsewhere, or the secret of a registered client. */
async function add(server: string, words: readonly string[], context: ServerCredsContext): Promise<ExitCode> {
  if (words[0] === CLIENT_SECRET) {
    await keep(CLIENT_SECRET, await context.readSecret(), context);
    await context.stderr.write(`cinch: the client's secret for mcp:${server} is kept for the next login\n`);
    return EXIT.done;
  }
  const { place, rest } = await placeOf(server, words, context);
  if (rest.length > 0) throw misuse("write cinch creds add mcp:NAME [URL], and type the token when asked");
  const below = belowAddress(place.url, place.transport ?? "http");
  const grant: McpGrant = { url: place.url, ...below, accessToken: await context.readSecret() };
  await keep(DEFAULT_ACCOUNT, renderGrant(grant), context);
  await context.stderr.write(
    `cinch: the token of mcp:${server} is kept in ${neutraliseLine(context.store.path)} and sent to ${neutraliseLine(place.url)} only\n`,
  );
  return EXIT.done;
}

async function remove(server: string, { store, stderr }: ServerCredsContext): Promise<ExitCode> {
  if (!(await store.clear())) throw misuse(`there is nothing stored for mcp:${server}; see cinch creds list`);
  await stderr.write(`cinch: what was stored for mcp:${server} was deleted\n`);
  return EXIT.done;
}

type ServerAddress = Pick<McpRemoteServer, "url"> &
  Partial<Pick<McpRemoteServer, "scopes" | "clientId" | "transport">>;

/** Returns the address of a server: the first word if it is one, else that of config.toml. */
async function placeOf(
  server: string,
  words: readonly string[],
  { readConfig }: ServerCredsContext,
): Promise<{ readonly place: ServerAddress; readonly rest: readonly string[] }> {
  const declared = await declaredServer(server, readConfig);
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

async function declaredServer(
  server: string,
  readConfig: ServerCredsContext["readConfig"],
): Promise<McpRemoteServer | undefined> {
  const found = settingsOf(mcpSection, { config: await readConfig() }).find(({ name }) => name === server);
  return found === undefined || found.transport === "stdio" ? undefined : found;
}

async function keep(account: string, text: string, { store }: ServerCredsContext): Promise<void> {
  await store.keep(account, new Secret("api-key", text));
}

function misuse(problem: string): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem });
}
