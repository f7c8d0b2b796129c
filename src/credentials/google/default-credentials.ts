import { existsSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, objectAt, stringAt } from "../../base/json.ts";
import { credentialsUnusable, readCredentialFile } from "./credential-file.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Source of Application Default Credentials: the file of the variable, gcloud's file, or the machine's metadata server.
 */
export type GoogleSource =
  | { readonly kind: "file"; readonly path: string; readonly source: string }
  | { readonly kind: "metadata"; readonly host: string; readonly source: string };

/** Returns the source, in Google's order. Its content is checked only when it is read. */
export function googleSource(variables: Variables): GoogleSource {
  const named = (variables["GOOGLE_APPLICATION_CREDENTIALS"] ?? "").trim();
  if (named !== "") return { kind: "file", path: named, source: "GOOGLE_APPLICATION_CREDENTIALS" };
  const { CLOUDSDK_CONFIG: config, HOME: home } = variables;
  const folder = config ?? (home === undefined ? undefined : join(home, ".config/gcloud"));
  const path = folder === undefined ? undefined : join(folder, "application_default_credentials.json");
  if (path !== undefined && existsSync(path)) return { kind: "file", path, source: "gcloud" };
  const host = variables["GCE_METADATA_HOST"] ?? "metadata.google.internal";
  return { kind: "metadata", host, source: "the metadata server" };
}

/** Credentials of a file, one kind for each exchange method. */
export type GoogleCredential =
  | {
      readonly kind: "service-account";
      readonly email: string;
      readonly privateKey: string;
      readonly keyId?: string;
      readonly tokenUrl?: string;
    }
  | {
      readonly kind: "user";
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly quotaProject?: string;
    }
  | {
      readonly kind: "external";
      readonly audience: string;
      readonly subjectTokenType: string;
      readonly tokenUrl: string;
      readonly subject: SubjectSource;
      /** Endpoint that exchanges the federated token for that of a service account. */
      readonly impersonationUrl?: string;
      readonly quotaProject?: string;
    };

/** Source of the other cloud's token; `field` names its key in a JSON document. */
export type SubjectSource =
  | { readonly kind: "file"; readonly path: string; readonly field?: string }
  | {
      readonly kind: "url";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly field?: string;
    };

/** @throws HarnessError GoogleCredentialsUnusable, which names the file and the field, never a value. */
export async function readCredential(path: string, source: string): Promise<GoogleCredential> {
  return parseCredential(await readCredentialFile(path, source), path, source);
}

export function parseCredential(value: JsonObject, path: string, source: string): GoogleCredential {
  const text = (name: string): string => {
    const found = stringAt(value, name);
    if (found !== undefined && found !== "") return found;
    throw credentialsUnusable(source, `${path} has no ${name}`);
  };
  const quotaProject = stringAt(value, "quota_project_id");
  const quota = defined({ quotaProject });
  const type = stringAt(value, "type");
  switch (type) {
    case "service_account": {
      const [keyId, tokenUrl] = [stringAt(value, "private_key_id"), stringAt(value, "token_uri")];
      return {
        kind: "service-account",
        email: text("client_email"),
        privateKey: text("private_key"),
        ...defined({ keyId, tokenUrl }),
      };
    }
    case "authorized_user":
      return {
        kind: "user",
        clientId: text("client_id"),
        clientSecret: text("client_secret"),
        refreshToken: text("refresh_token"),
        ...quota,
      };
    case "external_account": {
      const impersonationUrl = stringAt(value, "service_account_impersonation_url");
      return {
        kind: "external",
        audience: text("audience"),
        subjectTokenType: text("subject_token_type"),
        tokenUrl: text("token_url"),
        subject: subjectFrom(objectAt(value, "credential_source"), path, source),
        ...defined({ impersonationUrl }),
        ...quota,
      };
    }
    default:
      throw credentialsUnusable(
        source,
        type === undefined
          ? `${path} does not say what type of credentials it holds`
          : `${path} holds credentials of a type that is not known here; known are service_account, authorized_user and external_account`,
      );
  }
}

function subjectFrom(value: JsonObject | undefined, path: string, source: string): SubjectSource {
  if (value?.["executable"] !== undefined)
    throw credentialsUnusable(source, `${path} names a program to run for its token, which is not done here`);
  const format = objectAt(value, "format");
  const field =
    stringAt(format, "type") === "json" ? stringAt(format, "subject_token_field_name") : undefined;
  const named = defined({ field });
  const [file, url] = [stringAt(value, "file"), stringAt(value, "url")];
  if (file !== undefined) return { kind: "file", path: file, ...named };
  if (url === undefined || stringAt(value, "environment_id") !== undefined)
    throw credentialsUnusable(source, `${path} has a credential_source that is neither a file nor a url`);
  const headers = objectAt(value, "headers");
  const texts = Object.entries(isObject(headers) ? headers : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { kind: "url", url, headers: Object.fromEntries(texts), ...named };
}

/** Describes a credential source for people: its kind, or its problem. */
export async function describeGoogleSource(place: GoogleSource): Promise<string> {
  if (place.kind === "metadata") return place.source;
  const { kind } = await readCredential(place.path, place.source);
  return `${place.source} (${KIND_WORDS[kind]})`;
}

const KIND_WORDS = {
  "service-account": "a service account",
  user: "a login of gcloud",
  external: "an identity of another cloud",
} as const satisfies Record<GoogleCredential["kind"], string>;
