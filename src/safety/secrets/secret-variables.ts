import { Secret } from "../../base/brand.ts";
import { looksRandom } from "./secret-value.ts";

/** A variable of an environment with a secret. */
export interface SecretVariable {
  readonly name: string;
  /** Secret texts of its value: all of it, or the password within. Each is named after the variable. */
  readonly secrets: readonly Secret[];
  /** The value, if it is written like a path: the name of an existing file is no secret. */
  readonly path?: string;
}

/** A shorter value is too often an ordinary word: redacting it would damage every text. */
export const VALUE_CHARACTERS_MIN = 8;

/**
 * Returns the variables whose name means a secret (`MY_API_KEY`, `DB_PASSWORD`), or suggests one beside a random
 * value (`STRIPE_SK`, `AWS_SESSION`). Those whose value contains a password (`postgres://user:password@host`) count
 * under any name.
 *
 * Excluded are values of fewer than `VALUE_CHARACTERS_MIN` characters, numbers, and well-known defaults. The time is
 * linear in the environment.
 */
export function secretVariables(environment: Readonly<Record<string, string>>): readonly SecretVariable[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const inside = passwordsIn(value).filter(isSecret);
    const texts =
      inside.length > 0
        ? inside
        : (isSecretName(name) || seemsSecret(name, value.trim())) && isSecret(value.trim())
          ? [value.trim()]
          : [];
    if (texts.length === 0) return [];
    const isPath = inside.length === 0 && PATH.test(value);
    const secrets = texts.map((text) => new Secret(name, text));
    return [{ name, secrets, ...(isPath ? { path: value } : {}) }];
  });
}

/** Returns the secrets of an environment without disk access: a value written like a path counts as one. */
export function secretsByForm(environment: Readonly<Record<string, string>>): readonly Secret[] {
  return secretVariables(environment).flatMap(({ secrets, path }) => (path === undefined ? secrets : []));
}

const PATH = /^(?:\/|~\/|\.{1,2}\/)/;
const NUMBER = /^[+-]?[\d_,.]+(?:e[+-]?\d+)?$/i;
/** Values that images, manuals and installers set: they are public, and occur in ordinary texts. */
const DEFAULTS =
  /^(?:password|passw0rd|postgres|postgresql|changeme|change[-_]me|changeit|minioadmin|undefined|disabled|required|optional|localhost|username)$/i;

function isSecret(text: string): boolean {
  return text.length >= VALUE_CHARACTERS_MIN && !NUMBER.test(text) && !DEFAULTS.test(text);
}

/** Words that mean a secret, also as the end of a longer one: `PGPASSWORD`, `GHTOKEN`, `SSHKEY`. */
const TELLING =
  /(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|TOKEN|SECRETS?|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET|AUTH|SSH|DEPLOY|SIGNING|ENCRYPTION|MASTER)KEY)$/;
/** Words that mean it only at the end of a name, after another word. */
const TELLING_LAST = /^(?:PASS|PWD|PAT|JWT|AUTH|COOKIE|CREDS|MNEMONIC)$/;
/** Endings of names for something about a secret, not the secret: `TOKEN_URL`, `PASSWORD_FILE`, `API_KEY_ID`. */
const ABOUT =
  /^(?:FILE|FILES|PATH|DIR|DIRECTORY|FOLDER|URL|URI|ENDPOINT|HOST|HOSTNAME|ADDRESS|ADDR|PORT|NAME|NAMES|NAMESPACE|IDS?|TYPES?|KIND|USER|USERNAME|LOGIN|EMAIL|ACCOUNT|EXPIRY|EXPIRES|EXPIRATION|EXPIRE|TTL|TIMEOUT|LENGTH|LEN|SIZE|LIMIT|MAX|MIN|COUNT|COUNTER|RATE|ENABLED|DISABLED|REQUIRED|POLICY|PROVIDER|MANAGER|HELPER|STORE|STORAGE|BACKEND|SERVICE|SERVER|ISSUER|AUDIENCE|ALGORITHM|ALG|METHOD|HEADER|PREFIX|SUFFIX|REGION|ARN|VERSION|MODE|FORMAT|LEVEL|COMMAND|CMD|PROMPT|PROGRAM|SCOPES?|ROTATION|INTERVAL|HINT|SOURCE|CACHE|STRATEGY|LABEL|ENV|VAR|VARIABLE|TEMPLATE|CLASS|REALM|DOMAIN|PROCESS|EXECUTABLE|SALT)$/;
/** Public keys, and those of keyboards, tables and lists. */
const OPEN_KEY_OF =
  /^(?:PUBLIC|PUB|GPG|PGP|HOST|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|BUCKET|OBJECT|ROW|GROUP|ROUTING|MAP|HASH|INDEX|COMPOSE|PREFIX|LEADER|META|ALT|CTRL|SHIFT|HOT|MENU|ARROW|RETURN|ESCAPE|TAB|ANY|DICT|SITE|RECAPTCHA|PUBLISHABLE|FEATURE|FLAG|LAYOUT)$/;

/** Returns true if the name of a variable means that its value is secret. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  if (ABOUT.test(last) || words.includes("PUBLIC")) return false;
  if (words.some((word) => TELLING.test(word))) return true;
  if (words.length > 1 && TELLING_LAST.test(last)) return true;
  return isKey(words);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
}

/** Words that may mean a secret, and often mean something else: the value decides. */
const HINTING =
  /^(?:SK|RK|SESSION|SESS|SIG|SIGNATURE|HMAC|BEARER|OAUTH|REFRESH|SAS|PSK|SEED|OTP|TOTP|PW|PSWD|CRED|TKN|TOK|JWT|PAT|CREDS|PWD|AUTH|PASS|LICENSE|LICENCE)$/;
const WHICH_ONE = /^(?:LIVE|TEST|PROD|PRODUCTION|DEV|STAGE|STAGING|MAIN|NEW|OLD|CURRENT|DEFAULT)$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Accepts `STRIPE_SK`, `AWS_SESSION` with a random value; not `DESKTOP_SESSION`, nor the number of a session. */
function seemsSecret(name: string, value: string): boolean {
  const word = wordsOf(name).findLast((each) => !WHICH_ONE.test(each)) ?? "";
  return HINTING.test(word) && !UUID.test(value) && looksRandom(value, "secret");
}

/** Accepts `STRIPE_KEY`, `API_KEY_PROD`; not `SORT_KEY`, `KEY` or `MONKEY`. */
function isKey(words: readonly string[]): boolean {
  const at = words.lastIndexOf("KEY");
  const before = words[at - 1] ?? "";
  return at > 0 && (at === words.length - 1 || SECRET_KEY_OF.test(before)) && !OPEN_KEY_OF.test(before);
}

const SECRET_KEY_OF =
  /^(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|AUTH|MASTER|SERVICE|LICENSE|DEPLOY|ACCOUNT)$/;

const ADDRESS = /^[a-z][a-z\d+.-]{0,40}:\/\/([^\s:/@]*):(\S*)@[^\s@/]/i;
const ADDRESS_TOKEN = /^[a-z][a-z\d+.-]{0,40}:\/\/([^\s:/@]{16,})@[^\s@/]/i;
/** Form of Go drivers: `user:password@tcp(host:3306)/name`. */
const DRIVER = /^[^\s:@/]+:(\S+)@(?:tcp|udp|unix)?\(/i;
/** Form of libpq, ODBC and the clouds: `Server=…;Password=…`, `AccountKey=…`. */
const PAIRS = /(?:^|[\s;?&])(?:password|passwd|pwd|accountkey|sharedaccesskey)=("[^"]*"|'[^']*'|[^\s;&]+)/gi;

/** Returns the login parts of a value, as written and decoded. */
function passwordsIn(value: string): readonly string[] {
  const text = value.trim();
  const inAddress = ADDRESS.exec(text)?.[2] ?? ADDRESS_TOKEN.exec(text)?.[1];
  if (inAddress !== undefined) return [...new Set([inAddress, decoded(inAddress)])];
  const inDriver = DRIVER.exec(text)?.[1];
  if (inDriver !== undefined) return [inDriver];
  return [...text.matchAll(PAIRS)].map(([, found = ""]) => found.replace(/^(["'])(.*)\1$/s, "$2"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it contains a literal percent sign
  }
}
