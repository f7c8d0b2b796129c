import { expect, test } from "bun:test";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { holds } from "../../../test/support/property.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { HarnessError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FetchInit } from "../../base/world.ts";
import { CREDENTIAL_FILE_BYTES_MAX } from "./credential-file.ts";
import { describeGoogleSource, googleSource, parseCredential } from "./default-credentials.ts";
import { exchangeGoogleToken, METADATA_MS_MAX } from "./exchange.ts";

const signal = new AbortController().signal;
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const PEM = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const SERVICE = {
  type: "service_account",
  client_email: "robot@project.iam.gserviceaccount.com",
  private_key_id: "key-1",
  private_key: PEM,
  token_uri: "https://oauth2.googleapis.com/token",
};
const USER = {
  type: "authorized_user",
  client_id: "client",
  client_secret: "secret-of-the-client",
  refresh_token: "refresh-of-the-test",
  quota_project_id: "quota",
};
const EXTERNAL = {
  type: "external_account",
  audience: "//iam.googleapis.com/pool",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
};
const TOKEN = { access_token: "ya29.the-token", expires_in: 3_600, token_type: "Bearer" };

interface Asked {
  readonly url: string;
  readonly init: FetchInit;
  /** The body, where it is a form. */
  readonly form: Readonly<Record<string, string>>;
}

interface Rig extends AsyncDisposable {
  readonly path: string;
  readonly asked: readonly Asked[];
  readonly clock: ReturnType<typeof fakeClock>;
  /** The token and how long it lives, or the status and words of a refusal, or the problem. */
  exchange(): Promise<unknown>;
}

function openRig(
  file: JsonObject | string | undefined,
  answers: readonly (Response | Error | Promise<Response>)[],
  more: { readonly tokenUrl?: string; readonly variables?: Readonly<Record<string, string>> } = {},
): Rig {
  const folder = temporaryDirectory();
  const path = join(folder.path, "key.json");
  if (file !== undefined)
    writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file), { mode: 0o600 });
  const asked: Asked[] = [];
  const clock = fakeClock();
  const place = googleSource(more.variables ?? { GOOGLE_APPLICATION_CREDENTIALS: path, HOME: folder.path });
  return {
    path,
    asked,
    clock,
    async exchange() {
      const { tokenUrl } = more;
      const parts = {
        origin: place,
        clock,
        async fetch(url: string, init: FetchInit) {
          const form =
            typeof init.body === "string" ? Object.fromEntries(new URLSearchParams(init.body)) : {};
          asked.push({ url, init, form });
          const answer = answers[asked.length - 1];
          if (answer === undefined || answer instanceof Error) throw answer ?? new Error("not expected");
          return await answer;
        },
        ...(tokenUrl === undefined ? {} : { tokenUrl }),
      };
      try {
        const answer = await exchangeGoogleToken(parts, signal);
        if (answer.kind === "refused") return [answer.status, answer.detail];
        const { token, renewAfterMs, endsAfterMs } = answer;
        return [token.value.reveal(), token.headers ?? {}, renewAfterMs, endsAfterMs];
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        return Reflect.get(thrown.fields, "problem");
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("[PROV-14] a service account signs for itself, and is given a token that is renewed five minutes before its end", async () => {
  await using rig = openRig(SERVICE, [Response.json(TOKEN)]);
  expect(await rig.exchange()).toEqual(["ya29.the-token", {}, 3_300_000, 3_600_000]);
  const [asked] = rig.asked;
  expect([asked?.url, asked?.init.method, asked?.form["grant_type"]]).toEqual([
    "https://oauth2.googleapis.com/token",
    "POST",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ]);
  const [header = "", body = "", signature = ""] = (asked?.form["assertion"] ?? "").split(".");
  const nowSeconds = rig.clock.now() / 1_000;
  expect([decoded(header), decoded(body)]).toEqual([
    { alg: "RS256", typ: "JWT", kid: "key-1" },
    {
      iss: SERVICE.client_email,
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: SERVICE.token_uri,
      iat: nowSeconds,
      exp: nowSeconds + 3_600,
    },
  ]);
  const verify = createVerify("RSA-SHA256").update(`${header}.${body}`);
  expect(verify.verify(publicKey, Buffer.from(signature, "base64url"))).toBe(true);
});

test("[PROV-14] a machine whose clock is wrong is let in by the date of Google's own answer", async () => {
  const right = new Date(1_750_000_000_000 + 86_400_000);
  const invalid = { error: "invalid_grant", error_description: "Token must be a short-lived token." };
  const headers = { date: right.toUTCString() };
  await using rig = openRig(SERVICE, [
    Response.json(invalid, { status: 400, headers }),
    Response.json(TOKEN),
  ]);
  expect(await rig.exchange()).toEqual(["ya29.the-token", {}, 3_300_000, 3_600_000]);
  const [, body = ""] = (rig.asked[1]?.form["assertion"] ?? "").split(".");
  expect(decoded(body)).toMatchObject({ iat: right.getTime() / 1_000 });

  await using other = openRig(SERVICE, [Response.json(invalid, { status: 400 })]);
  expect(await other.exchange()).toEqual([
    401,
    "https://oauth2.googleapis.com/token refused: Token must be a short-lived token.",
  ]);
});

test("[PROV-14] a login of gcloud is refreshed, and its project pays; a metadata server needs no credentials at all", async () => {
  await using rig = openRig(USER, [Response.json({ ...TOKEN, expires_in: 100 })]);
  expect(await rig.exchange()).toEqual([
    "ya29.the-token",
    { "x-goog-user-project": "quota" },
    75_000,
    100_000,
  ]);
  expect(rig.asked[0]?.form).toEqual({
    grant_type: "refresh_token",
    client_id: "client",
    client_secret: "secret-of-the-client",
    refresh_token: "refresh-of-the-test",
  });

  const variables = { GCE_METADATA_HOST: "169.254.169.254:80" };
  await using machine = openRig(undefined, [Response.json(TOKEN)], { variables });
  expect(await machine.exchange()).toEqual(["ya29.the-token", {}, 3_300_000, 3_600_000]);
  expect(machine.asked.map(({ url, init }) => [url, init.headers])).toEqual([
    [
      "http://169.254.169.254:80/computeMetadata/v1/instance/service-accounts/default/token",
      { "metadata-flavor": "Google" },
    ],
  ]);
  await using none = openRig(undefined, [new Error("x")], { variables });
  expect(await none.exchange()).toContain("name one with GOOGLE_APPLICATION_CREDENTIALS");
  await using silent = openRig(undefined, [new Promise<Response>(() => undefined)], { variables });
  const waiting = silent.exchange();
  await silent.clock.advance(METADATA_MS_MAX);
  expect(await waiting).toContain("did not answer");
  await using odd = openRig(undefined, [], { variables: { GCE_METADATA_HOST: "evil.example/x?" } });
  expect(await odd.exchange()).toBe("GCE_METADATA_HOST is not a host");
});

test("[PROV-14] an identity of another cloud is exchanged, from a file or an address, and for a service account where it says so", async () => {
  await using folder = temporaryDirectory();
  const subject = join(folder.path, "subject");
  writeFileSync(subject, JSON.stringify({ id: "token-of-elsewhere" }), { mode: 0o600 });
  const source = { file: subject, format: { type: "json", subject_token_field_name: "id" } };
  const impersonation = "https://iamcredentials.googleapis.com/v1/x:generateAccessToken";
  const file = { ...EXTERNAL, credential_source: source, service_account_impersonation_url: impersonation };
  const expireTime = new Date(1_750_000_000_000 + 3_600_000).toISOString();
  await using rig = openRig(file, [
    Response.json({ ...TOKEN, access_token: "federated" }),
    Response.json({ accessToken: "ya29.of-the-account", expireTime }),
  ]);
  expect(await rig.exchange()).toEqual(["ya29.of-the-account", {}, 3_300_000, 3_600_000]);
  expect(rig.asked.map(({ url }) => url)).toEqual([EXTERNAL.token_url, impersonation]);
  expect(rig.asked[0]?.form).toMatchObject({
    subject_token: "token-of-elsewhere",
    audience: EXTERNAL.audience,
  });
  expect(rig.asked[1]?.init.headers).toMatchObject({ authorization: "Bearer federated" });

  const plain = { url: "http://127.0.0.1:9/token", headers: { "x-identity": "h" } };
  await using other = openRig({ ...EXTERNAL, credential_source: plain }, [
    new Response("token-of-elsewhere\n"),
    Response.json(TOKEN),
  ]);
  expect(await other.exchange()).toEqual(["ya29.the-token", {}, 3_300_000, 3_600_000]);
  expect(other.asked[0]?.init.headers).toEqual({ "x-identity": "h" });
  expect(other.asked[1]?.form["subject_token"]).toBe("token-of-elsewhere");

  const executable = { ...EXTERNAL, credential_source: { executable: { command: "/bin/sh" } } };
  await using program = openRig(executable, []);
  expect(await program.exchange()).toContain("names a program to run for its token, which is not done here");
});

test("[PROV-14 S59] credentials go to Google, and elsewhere only where the user's configuration says so", async () => {
  const elsewhere = [
    "https://evil.example/token",
    "http://oauth2.googleapis.com/token",
    "https://u@a.googleapis.com/",
  ];
  for (const uri of [
    ...elsewhere,
    "https://googleapis.com.evil.example/",
    "https://xgoogleapis.com/",
    "nonsense",
  ]) {
    await using rig = openRig({ ...SERVICE, token_uri: uri }, [Response.json(TOKEN)]);
    expect([uri, await rig.exchange()]).toEqual([uri, expect.stringContaining("which is not Google's")]);
    expect(rig.asked).toEqual([]);
  }
  const tokenUrl = "http://127.0.0.1:9/token";
  await using own = openRig({ ...SERVICE, token_uri: "https://evil.example/token" }, [Response.json(TOKEN)], {
    tokenUrl,
  });
  expect(await own.exchange()).toEqual(["ya29.the-token", {}, 3_300_000, 3_600_000]);
  expect(own.asked.map(({ url }) => url)).toEqual([tokenUrl]);
});

test("[PROV-14] a refusal, redirect or garbled answer of a token endpoint is reported with its address, and never with a credential", async () => {
  const place = "https://oauth2.googleapis.com/token";
  const refused = { error: "invalid_grant", error_description: "Bad Request: the refresh token was revoked" };
  const answers: readonly (readonly [answer: Response | Error, told: readonly unknown[]])[] = [
    [
      Response.json(refused, { status: 400 }),
      [401, `${place} refused: Bad Request: the refresh token was revoked`],
    ],
    [Response.json({ error: { message: "slow" } }, { status: 429 }), [429, `${place} refused: slow`]],
    [new Response("<html>", { status: 502 }), [502, `${place} answered 502`]],
    [Response.json({ access_token: 7 }), [502, `${place} answered 200`]],
    [
      Response.json({ access_token: "a b" }),
      [502, `${place} answered with something that is not an access token`],
    ],
    [
      Response.json({ access_token: "a", expires_in: -5 }),
      [502, `${place} answered with something that is not an access token`],
    ],
  ];
  for (const [answer, told] of answers) {
    await using rig = openRig(USER, [answer]);
    expect(await rig.exchange()).toEqual(told);
    expect(JSON.stringify(told)).not.toContain("of-the-test");
  }
});

test("[PROV-14 S54] a file of credentials that others can read or change, that is too long, missing or something else is refused by name", async () => {
  await using rig = openRig(SERVICE, []);
  chmodSync(rig.path, 0o644);
  const readable = `${rig.path} can be read by others (mode 0644); if nobody did: chmod 600 ${rig.path}`;
  // What root has mounted for everybody is root's to say; whoever is root sees that here.
  const asked = [503, "https://oauth2.googleapis.com/token cannot be reached: not expected"];
  expect(await rig.exchange()).toEqual(process.geteuid?.() === 0 ? asked : readable);
  chmodSync(rig.path, 0o620);
  expect(await rig.exchange()).toContain("can be changed by others (mode 0620)");
  chmodSync(rig.path, 0o000);
  writeFileSync(`${rig.path}.big`, "x".repeat(CREDENTIAL_FILE_BYTES_MAX + 1), { mode: 0o600 });
  const at = async (path: string) => {
    const place = googleSource({ GOOGLE_APPLICATION_CREDENTIALS: path });
    return await describeGoogleSource(place).catch((thrown: HarnessError) =>
      Reflect.get(thrown.fields, "problem"),
    );
  };
  const folder = dirname(rig.path);
  expect(await at(`${rig.path}.big`)).toContain(`has ${CREDENTIAL_FILE_BYTES_MAX + 1} bytes`);
  expect(await at(join(folder, "missing"))).toBe(`${join(folder, "missing")} does not exist`);
  expect(await at(folder)).toContain("is not an ordinary file");
  writeFileSync(`${rig.path}.text`, "no json", { mode: 0o600 });
  expect(await at(`${rig.path}.text`)).toBe(`${rig.path}.text holds no JSON object`);
  writeFileSync(`${rig.path}.pem`, JSON.stringify({ ...SERVICE, private_key: "not a key" }), { mode: 0o600 });
  await using wrong = openRig({ ...SERVICE, private_key: "not a key" }, []);
  expect(await wrong.exchange()).toBe("its private_key is not a readable RSA key");
  // Secrets that are mounted are links; what they lead to is what counts.
  symlinkSync(`${rig.path}.pem`, `${rig.path}.link`);
  expect(await at(`${rig.path}.link`)).toBe("GOOGLE_APPLICATION_CREDENTIALS (a service account)");
});

test("[PROV-14] credentials are looked for in Google's order: the variable, gcloud's file, the machine", async () => {
  await using folder = temporaryDirectory();
  const gcloud = join(folder.path, ".config/gcloud");
  expect(googleSource({ HOME: folder.path })).toEqual({
    kind: "metadata",
    host: "metadata.google.internal",
    source: "the metadata server",
  });
  mkdirSync(gcloud, { recursive: true });
  const path = join(gcloud, "application_default_credentials.json");
  writeFileSync(path, JSON.stringify(USER), { mode: 0o600 });
  const found = { kind: "file", path, source: "gcloud" } as const;
  expect(googleSource({ HOME: folder.path })).toEqual(found);
  expect(googleSource({ HOME: "/nowhere", CLOUDSDK_CONFIG: gcloud })).toEqual(found);
  expect(googleSource({ HOME: folder.path, GOOGLE_APPLICATION_CREDENTIALS: "/a" })).toMatchObject({
    path: "/a",
  });
  expect(await describeGoogleSource(found)).toBe("gcloud (a login of gcloud)");
});

test("[PROV-14] whatever a file of credentials holds, it is read or refused with a reason that shows no value of it", async () => {
  const value = fc.oneof(fc.constant("canary-value"), fc.jsonValue());
  const names = ["type", "client_email", "private_key", "token_uri", "client_id", "client_secret"];
  const more = ["refresh_token", "audience", "subject_token_type", "token_url", "credential_source"];
  const file = fc.dictionary(fc.constantFrom(...names, ...more), value);
  const type = fc.constantFrom("service_account", "authorized_user", "external_account", "canary-value");
  await holds(
    fc.property(file, type, (fields, kind) => {
      try {
        parseCredential({ ...fields, type: kind }, "/a/key.json", "gcloud");
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(HarnessError);
        expect(String(thrown)).not.toContain("canary-value");
      }
    }),
  );
});

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
