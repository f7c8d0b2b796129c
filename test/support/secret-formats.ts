/**
 * Forms in which secrets stand in texts, one row for each issuer or place: `{h:40}` is 40 random characters of a class,
 * `{uuid}` a random UUID. Made for the tests out of what issuers and scanners publish; no value was ever issued.
 */
export const SECRET_FORMATS: readonly (readonly [rule: string, ...templates: readonly string[]])[] = [
  ["intra42", "s-s4t2ud-{h:64}", "tok s-s4t2af-{h:64}"],
  ["authress", "authress_{l:5}.{l:4}.acc-{l:12}.{u:43}", "sc_{l:5}.{l:4}.acc_{l:12}.{u:43}"],
  ["adobe", "p8e-{h:32}"],
  ["alibaba", "LTAI{a:20}", 'alibaba_secret = "{l:30}"'],
  ["asana", "1/{d:16}:{h:32}", "asana_client_secret='{l:32}'"],
  ["dropbox", "sl.{u:138}", "dropbox_api_secret: {l:15}"],
  ["defined-networking", "dnkey-{u:26}-{u:52}"],
  ["discord-bot", "M{a:23}.{a:6}.{u:27}", "discord_client_secret = {u:32}"],
  ["endorlabs", "endr+{a:16}"],
  ["freemius", "'secret_key' => 'sk_{a:29}',"],
  ["harness", "pat.{u:22}.{h:24}.{a:20}", "sat.{u:22}.{h:24}.{a:20}"],
  ["hubspot", "pat-na1-{uuid}", "hubspot_api_key={uuid}"],
  ["mailchimp", "{h:32}-us12", "MAILCHIMP_API_KEY={h:32}-us7"],
  ["maxmind", "{a:6}_{a:29}_mmk"],
  ["netlify", "nfp_{a:40}", 'netlify_token = "{u:43}"'],
  ["okta", "Authorization: SSWS 00{u:40}", "okta_api_token=00{u:40}"],
  ["plaid", "access-sandbox-{uuid}", 'plaid_secret: "{l:30}"'],
  ["rapidapi", '"X-RapidAPI-Key": "{l:50}"'],
  ["sendbird", "sendbird_access_token = {h:40}"],
  ["twitch", "oauth:{l:30}", "twitch_client_secret: {l:30}"],
  ["twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA{a:83}"],
  ["yandex", "t1.{u:60}.{u:86}", "AQVN{u:36}", "YC{u:38}"],
  ["wandb", "WANDB_API_KEY={h:40}", "wandb login {h:40}"],
  ["codeclimate", "CC_TEST_REPORTER_ID={h:64}"],
  ["dependency-track", "odt_{a:32}"],
  ["django", "SECRET_KEY = '{p:50}'", "SECRET_KEY=django-insecure-{p:50}"],
  ["firecrawl", "fc-{h:32}"],
  ["gradle", "password '{m:14}'", 'password "{m:14}"'],
  ["jenkins", "JENKINS_API_TOKEN=11{h:32}", "curl --user admin:11{h:32} https://ci"],
  ["jina", "jina_{h:32}{a:28}"],
  ["mongo", "mongodb+srv://app:{a:12}@cluster0.x.mongodb.net/db"],
  ["netrc", "machine api.github.com login me password {a:16}", "machine h\n  login me\n  password {m:12}"],
  ["odbc", "Server=db;Database=x;User Id=sa;Password={m:12};", "DRIVER={SQL};UID=sa;PWD={m:12}"],
  ["phpmailer", "$mail->Password = '{m:12}';"],
  ["postgres", "PGPASSWORD={a:14} psql -h db", "postgres://app:{m:12}@db:5432/x"],
  ["postmark", "X-Postmark-Server-Token: {uuid}"],
  ["psexec", "psexec \\\\host -u dom\\admin -p {m:12} cmd.exe"],
  ["salesforce", "00D{a:12}!{u:96}"],
  ["sauce", "SAUCE_ACCESS_KEY={uuid}"],
  ["stackhawk", "hawk.{u:20}.{u:20}"],
  ["tavily", "tvly-{a:32}", "tvly-dev-{a:32}"],
  ["teamcity", "eyJ0eXAiOiAiVENWMiJ9.{a:36}.{uuid}"],
  ["truenas", '"api_key": "1-{a:64}"', "1-{a:64}"],
  ["wireguard", "PrivateKey = {b:43}=", "PresharedKey={b:43}="],
  [
    "curl-user",
    "curl -u user:{a:13} https://x",
    "curl --user deploy:{m:12} https://x",
    "curl -u admin:{a:20} x",
  ],
  ["header-api-token", "Authorization: Api-Token {h:40}", '-H "Authorization: Api-Token dt.{a:30}"'],
  [
    "header-scheme",
    "Authorization: Token token={a:32}",
    "Authorization: GenieKey {uuid}",
    "Authorization: Splunk {uuid}",
    "authorization: ApiKey {b:40}==",
    "Authorization: Bearer {a:20}",
    "Authorization: Key {h:32}:{h:32}",
  ],
  ["header-bare", "Authorization: {h:40}", '"Authorization": "{b:44}"'],
  [
    "header-custom",
    "X-Api-Key: {a:32}",
    "PRIVATE-TOKEN: {u:20}",
    "X-Auth-Token: {h:32}",
    "api-key: {h:32}",
    "X-Vault-Token: {a:26}",
    "Ocp-Apim-Subscription-Key: {h:32}",
  ],
  ["cookie", "Cookie: session={b:60}; theme=dark", "Set-Cookie: sid={a:40}; HttpOnly"],
  [
    "json-credentials",
    '"credentials": "{h:64}"',
    '{"auth": "{b:40}"}',
    '"creds":"{a:24}"',
    '"secrets": "{a:30}"',
  ],
  ["docker-auth", '"auths": {"ghcr.io": {"auth": "{b:44}=="}}'],
  [
    "flag-token",
    "tool --token {a:32}",
    "tool --api-key={h:32}",
    "deploy --password {m:14} --host x",
    "cli --access-token '{a:30}'",
    "x --secret {h:32}",
  ],
  [
    "cli-password",
    "mysql -u root -p{m:12} db",
    "sshpass -p '{m:12}' ssh me@h",
    "redis-cli -a {a:16} ping",
    "docker login -u me -p {a:20} ghcr.io",
    "http -a me:{a:14} GET x",
  ],
  ["openssl", "openssl enc -k {m:14} -in x", "openssl rsa -passin pass:{m:14} -in k"],
  [
    "set-words",
    "aws configure set aws_secret_access_key {b:40}",
    "npm config set //npm.example.org/:_authToken {uuid}",
    "setenv API_TOKEN {a:32}",
    "ENV API_TOKEN {a:32}",
    'git config http.extraheader "AUTHORIZATION: basic {b:40}"',
  ],
  ["xml", "<password>{m:12}</password>", "<apiKey>{h:32}</apiKey>", '<add key="ApiToken" value="{a:32}" />'],
  ["npmrc", "//npm.example.org/:_authToken={uuid}", "//r.example.org/:_password={b:24}="],
  [
    "aws-secret",
    "aws_secret_access_key = {b:40}",
    "AWS_SECRET_ACCESS_KEY={b:40}",
    'secretAccessKey: "{b:40}"',
  ],
  [
    "azure-storage",
    "AccountKey={b:86}==;EndpointSuffix=core.windows.net",
    "SharedAccessKey={b:43}=",
    "sig={a:30}%2B{a:12}%3D&se=2026",
  ],
  ["gcp-key", '"private_key_id": "{h:40}"'],
  [
    "query",
    "https://x.test/a?api_key={h:32}&b=1",
    "https://x.test/?access_token={a:40}",
    "wss://h/s?token={a:32}",
  ],
  ["bcrypt", "$2b$12${s:53}", "root:$6${s:16}${s:86}:19000:0"],
  ["pgpass", "db.example.org:5432:app:me:{a:16}"],
  [
    "generic-prefix",
    "acme_live_{a:32}",
    "zq-prod-{h:40}",
    "tok_{a:36}",
    "myvendor_pat_{a:40}",
    "xyz_sk_{h:48}",
  ],
  ["stripe-like", "pk_sk_live_{a:24}", "sk_org_live_{a:40}"],
  ["supabase", "sbp_{h:40}", "sb_secret_{u:31}"],
  ["cloudflare", "CF_API_TOKEN={u:40}", "X-Auth-Key: {h:37}"],
  ["linode", "LINODE_TOKEN={h:64}"],
  ["nvidia", "nvapi-{u:64}"],
  ["mistral", "MISTRAL_API_KEY={a:32}"],
  ["deepseek", "sk-{h:32}"],
  ["elevenlabs", "xi-api-key: {h:32}", "sk_{h:48}"],
  ["fireworks", "fw_{a:24}"],
  ["langchain", "lsv2_pt_{h:32}_{h:10}"],
  ["pinecone", "pcsk_{a:5}_{a:63}"],
  ["voyage", "pa-{u:43}"],
  ["postgres-neon", "napi_{l:64}"],
  ["turso", "eyJhbGciOiJFZERTQSJ9.{u:60}.{u:86}"],
  ["upstash", 'UPSTASH_REDIS_REST_TOKEN="A{b:50}="'],
  ["sequence", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "Authorization: Bearer abcdef"],
];

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const CLASSES: Readonly<Record<string, string>> = {
  a: LOWER + UPPER + DIGITS,
  c: UPPER + DIGITS,
  b: `${LOWER}${UPPER}${DIGITS}+/`,
  d: DIGITS,
  h: `${DIGITS}abcdef`,
  l: LOWER + DIGITS,
  m: `${LOWER}${UPPER}${DIGITS}!#%*`,
  p: `${LOWER}${DIGITS}!@#$%^&*(-_=+)`,
  s: `${LOWER}${UPPER}${DIGITS}./`,
  u: `${LOWER}${UPPER}${DIGITS}-_`,
};

/** A template with its values drawn, and the longest of these: the secret. */
export function madeSecret(
  template: string,
  chance: () => number,
): { readonly text: string; readonly secret: string | undefined } {
  const values: string[] = [];
  const draw = (kind: string, length: number) => {
    const from = CLASSES[kind] ?? "";
    return Array.from({ length }, () => from[Math.floor(chance() * from.length)]).join("");
  };
  const text = template.replaceAll(/\{(?:([a-z]):(\d+)|uuid)\}/g, (_, kind?: string, length?: string) => {
    const value =
      kind === undefined
        ? [8, 4, 4, 4, 12].map((each) => draw("h", each)).join("-")
        : drawn(() => draw(kind, Number(length)), kind);
    values.push(value);
    return value;
  });
  return { text, secret: values.sort((one, other) => other.length - one.length)[0] };
}

/** With a letter and a digit, as issuers' own tokens practically always are. */
function drawn(draw: () => string, kind: string): string {
  while (true) {
    const value = draw();
    if (kind === "d" || (/\d/.test(value) && /[A-Za-z]/.test(value))) return value;
  }
}
