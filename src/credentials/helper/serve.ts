import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { isObject, objectAt, parseJson, stringAt } from "../../base/json.ts";
import type { Reason } from "../../base/reasons.ts";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import type { AuthorizedFetch, AuthorizedRequest, CredentialUse } from "../../providers/authorized-fetch.ts";
import type { BatchReaderOptions } from "../../providers/http/stream/batch-reader.ts";
import { BatchReader } from "../../providers/http/stream/batch-reader.ts";
import { sameSecret } from "../../safety/private-file.ts";
import { CREDENTIAL_HEADERS } from "../authorized-fetch.ts";
import { encodeFrame } from "./frames.ts";
import type { AnswerHead, HelperRefused, HelperStored, ProviderKey } from "./helper-messages.ts";
import {
  parseProviderKey,
  REQUEST_HEADER,
  STORE_PATH,
  stringValues,
  TOKEN_HEADER,
} from "./helper-messages.ts";

/** Headers about a body that was decoded here, or about this connection only. */
const HOP_HEADERS = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "set-cookie",
  "transfer-encoding",
]);

export interface ServeKeysOptions {
  readonly token: string;
  readonly clock: Clock;
  /** Inserts the key and sends. */
  readonly send: AuthorizedFetch;
  /** Returns true if the key of a provider may be sent to this address. */
  readonly isAllowed: (provider: string, url: string) => boolean;
  /** Stores a key, and uses it from then on. */
  readonly store: (entered: ProviderKey) => Promise<HelperStored>;
}

/**
 * Returns the handler of the engine's requests: it sends each with its provider's key and streams the answer back.
 *
 * A wrong token gets 403. A key is sent only to the base URL of its own provider, whatever the engine requests, and
 * only in credential headers (S54, S59). The head of an answer is sent as soon as it arrives; the body is read no
 * faster than the engine reads. When the engine disconnects, the request to the provider ends.
 */
export function serveKeys({
  token,
  clock,
  send,
  isAllowed: mayGo,
  store,
}: ServeKeysOptions): (request: Request) => Promise<Response> {
  return async (incoming) => {
    if (!sameSecret(incoming.headers.get(TOKEN_HEADER) ?? "", token))
      return new Response(null, { status: 403 });
    if (new URL(incoming.url).pathname === STORE_PATH) return await storeAnswer(incoming, store);
    const asked = requestFrom(incoming.headers.get(REQUEST_HEADER) ?? "");
    if (asked === undefined || !mayGo(asked.provider, asked.url)) return new Response(null, { status: 400 });
    const { signal } = incoming;
    const body = new Uint8Array(await incoming.arrayBuffer());
    const request = { ...asked, signal, ...(body.length === 0 ? {} : { body }) };
    return new Response(answer(() => send(request), { clock, isUnwatched: asked.isUnwatched }));
  };
}

async function storeAnswer(incoming: Request, store: ServeKeysOptions["store"]): Promise<Response> {
  const entered = parseProviderKey(await incoming.text());
  if (entered === undefined) return new Response(null, { status: 400 });
  try {
    return Response.json(await store(entered));
  } catch (thrown) {
    // The text of any other error may hold the key.
    if (!(thrown instanceof HarnessError)) return new Response(null, { status: 500 });
    return Response.json(refusalFrom(thrown));
  }
}

/** Returns the frames of an answer, each created when the previous one was read. */
function answer(send: () => Promise<Response>, options: BatchReaderOptions): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let pieces: BatchReader | undefined;
  let head = false;
  // A generator would be shorter, but streaming one costs the runtime twice the time per piece.
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (!head) {
            const response = await send();
            reader = response.body?.getReader();
            pieces = reader === undefined ? undefined : new BatchReader(reader, options);
            const headers = [...response.headers].filter(([name]) => !HOP_HEADERS.has(name));
            head = true;
            controller.enqueue(
              encodeFrame("head", text({ kind: "answer", status: response.status, headers })),
            );
            return;
          }
          const bytes = await pieces?.next();
          if (bytes !== undefined) return controller.enqueue(encodeFrame("body", bytes));
          controller.enqueue(encodeFrame("end"));
        } catch (thrown) {
          controller.enqueue(encodeFrame(head ? "failure" : "head", text(failureOf(thrown))));
        }
        controller.close();
      },
      async cancel(reason) {
        pieces?.[Symbol.dispose]();
        await reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function failureOf(thrown: unknown): AnswerHead {
  if (thrown instanceof HarnessError) return refusalFrom(thrown);
  const code = codeOf(thrown);
  return { kind: "failed", message: messageOf(thrown), ...defined({ code }) };
}

function refusalFrom({ reason, fields }: HarnessError): HelperRefused {
  return { kind: "refused", reason: reason as Reason, fields: stringValues(fields) };
}

function text(head: AnswerHead): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(head));
}

type HelperRequest = Omit<AuthorizedRequest, "signal" | "body">;

function requestFrom(text: string): HelperRequest | undefined {
  const value = parseJson(text)?.value;
  const [provider, url] = [stringAt(value, "provider"), stringAt(value, "url")];
  const credential = credentialFrom(objectAt(value, "credential"));
  if (provider === undefined || url === undefined || credential === undefined) return undefined;
  const method = stringAt(value, "method");
  if (method !== undefined && !/^(?:GET|POST|DELETE)$/.test(method)) return undefined;
  const headers = stringValues(objectAt(value, "headers"));
  const isUnwatched = isObject(value) && value["isUnwatched"] === true ? true : undefined;
  return { provider, url, credential, headers, ...defined({ method, isUnwatched }) };
}

function credentialFrom(value: unknown): CredentialUse | undefined {
  const [header, prefix] = [stringAt(value, "header"), stringAt(value, "prefix")];
  if (header === undefined || prefix === undefined) return undefined;
  if (!CREDENTIAL_HEADERS.has(header.toLowerCase()) || !/^(?:Bearer )?$/.test(prefix)) return undefined;
  return { kind: "header", header, prefix };
}
