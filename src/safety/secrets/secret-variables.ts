import { Secret } from "../../base/brand.ts";
import { looksDrawn } from "./secret-value.ts";

/** A variable of an environment that holds a secret. */
export interface SecretVariable {
  readonly name: string;
  /** The texts of its value that no one may read: all of it, or the password within. Each is named after the variable. */
  readonly secrets: readonly Secret[];
  /** The value, where it is written like a path: the name of a file that exists is no secret. */
  readonly path?: string;
}

/** A shorter value is an ordinary word too often: blanking it out would damage every text. */
export const VALUE_CHARACTERS_MIN = 8;

/**
 * Returns the variables whose name says secret (`MY_API_KEY`, `DB_PASSWORD`), or hints at it beside a value that a machine has
 * drawn (`STRIPE_SK`, `AWS_SESSION`), and those whose value holds a password
 * (`postgres://user:password@host`), whatever their name.
 *
 * No secret is: a value of fewer than `VALUE_CHARACTERS_MIN` characters, a number, and a default that everybody knows.
 * Takes time linear in the environment.
 */
export function secretVariables(environment: Readonly<Record<string, string>>): readonly SecretVariable[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const inside = passwordsIn(value).filter(isSecret);
    const texts =
      inside.length > 0
        ? inside
        : (saysSecret(name) || seemsSecret(name, value.trim())) && isSecret(value.trim())
          ? [value.trim()]
          : [];
    if (texts.length === 0) return [];
    const isPath = inside.length === 0 && PATH.test(value);
    const secrets = texts.map((text) => new Secret(name, text));
    return [{ name, secrets, ...(isPath ? { path: value } : {}) }];
  });
}

/** Returns the secrets of an environment without a look at the disk: what is written like a path counts as one. */
export function secretsByForm(environment: Readonly<Record<string, string>>): readonly Secret[] {
  return secretVariables(environment).flatMap(({ secrets, path }) => (path === undefined ? secrets : []));
}

const PATH = /^(?:\/|~\/|\.{1,2}\/)/;
const NUMBER = /^[+-]?[\d_,.]+(?:e[+-]?\d+)?$/i;
/** Values that images, manuals and installers set: everybody knows them, and ordinary texts use them. */
const DEFAULTS =
  /^(?:password|passw0rd|postgres|postgresql|changeme|change[-_]me|changeit|minioadmin|undefined|disabled|required|optional|localhost|username)$/i;

function isSecret(text: string): boolean {
  return text.length >= VALUE_CHARACTERS_MIN && !NUMBER.test(text) && !DEFAULTS.test(text);
}

/** Words that say secret, also as the end of a longer one: `PGPASSWORD`, `GHTOKEN`, `SSHKEY`. */
const TELLING =
  /(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|TOKEN|SECRETS?|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET|AUTH|SSH|DEPLOY|SIGNING|ENCRYPTION|MASTER)KEY)$/;
/** Words that say it only at the end of a name, behind another word. */
const TELLING_LAST = /^(?:PASS|PWD|PAT|JWT|AUTH|COOKIE|CREDS|MNEMONIC)$/;
/** Endings of names for something about a secret, not the secret: `TOKEN_URL`, `PASSWORD_FILE`, `API_KEY_ID`. */
const ABOUT =
  /^(?:FILE|FILES|PATH|DIR|DIRECTORY|FOLDER|URL|URI|ENDPOINT|HOST|HOSTNAME|ADDRESS|ADDR|PORT|NAME|NAMES|NAMESPACE|IDS?|TYPES?|KIND|USER|USERNAME|LOGIN|EMAIL|ACCOUNT|EXPIRY|EXPIRES|EXPIRATION|EXPIRE|TTL|TIMEOUT|LENGTH|LEN|SIZE|LIMIT|MAX|MIN|COUNT|COUNTER|RATE|ENABLED|DISABLED|REQUIRED|POLICY|PROVIDER|MANAGER|HELPER|STORE|STORAGE|BACKEND|SERVICE|SERVER|ISSUER|AUDIENCE|ALGORITHM|ALG|METHOD|HEADER|PREFIX|SUFFIX|REGION|ARN|VERSION|MODE|FORMAT|LEVEL|COMMAND|CMD|PROMPT|PROGRAM|SCOPES?|ROTATION|INTERVAL|HINT|SOURCE|CACHE|STRATEGY|LABEL|ENV|VAR|VARIABLE|TEMPLATE|CLASS|REALM|DOMAIN|PROCESS|EXECUTABLE|SALT)$/;
/** Keys that are for everybody to see, and those of keyboards, tables and lists. */
const OPEN_KEY_OF =
  /^(?:PUBLIC|PUB|GPG|PGP|HOST|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|BUCKET|OBJECT|ROW|GROUP|ROUTING|MAP|HASH|INDEX|COMPOSE|PREFIX|LEADER|META|ALT|CTRL|SHIFT|HOT|MENU|ARROW|RETURN|ESCAPE|TAB|ANY|DICT|SITE|RECAPTCHA|PUBLISHABLE|FEATURE|FLAG|LAYOUT)$/;

/** Tells whether the name of a variable says that its value is secret. */
export function saysSecret(name: string): boolean {
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

/** Words that may say secret, and often say something else: the value decides. */
const HINTING =
  /^(?:SK|RK|SESSION|SESS|SIG|SIGNATURE|HMAC|BEARER|OAUTH|REFRESH|SAS|PSK|SEED|OTP|TOTP|PW|PSWD|CRED|TKN|TOK|JWT|PAT|CREDS|PWD|AUTH|PASS|LICENSE|LICENCE)$/;
const WHICH_ONE = /^(?:LIVE|TEST|PROD|PRODUCTION|DEV|STAGE|STAGING|MAIN|NEW|OLD|CURRENT|DEFAULT)$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `STRIPE_SK`, `AWS_SESSION` with a value that a machine has drawn; not `DESKTOP_SESSION`, nor the number of a session. */
function seemsSecret(name: string, value: string): boolean {
  const word = wordsOf(name).findLast((each) => !WHICH_ONE.test(each)) ?? "";
  return HINTING.test(word) && !UUID.test(value) && looksDrawn(value, "secret");
}

/** `STRIPE_KEY`, `API_KEY_PROD`; not `SORT_KEY`, `KEY` or `MONKEY`. */
function isKey(words: readonly string[]): boolean {
  const at = words.lastIndexOf("KEY");
  const before = words[at - 1] ?? "";
  return at > 0 && (at === words.length - 1 || SECRET_KEY_OF.test(before)) && !OPEN_KEY_OF.test(before);
}

const SECRET_KEY_OF =
  /^(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|AUTH|MASTER|SERVICE|LICENSE|DEPLOY|ACCOUNT)$/;

const ADDRESS = /^[a-z][a-z\d+.-]{0,40}:\/\/([^\s:/@]*):(\S*)@[^\s@/]/i;
const ADDRESS_TOKEN = /^[a-z][a-z\d+.-]{0,40}:\/\/([^\s:/@]{16,})@[^\s@/]/i;
/** Form that drivers of Go use: `user:password@tcp(host:3306)/name`. */
const DRIVER = /^[^\s:@/]+:(\S+)@(?:tcp|udp|unix)?\(/i;
/** Form that libpq, ODBC and the clouds use: `Server=…;Password=…`, `AccountKey=…`. */
const PAIRS = /(?:^|[\s;?&])(?:password|passwd|pwd|accountkey|sharedaccesskey)=("[^"]*"|'[^']*'|[^\s;&]+)/gi;

/** Returns what of a value logs in somewhere, as it stands there and decoded. */
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
    return text; // it holds a percent sign that stands for itself
  }
}
