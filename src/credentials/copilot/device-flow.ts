import { Secret } from "../../base/brand.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import { numberAt, stringAt } from "../../base/json.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import { presentableMessage } from "../../providers/http/http-error.ts";
import { requestToken } from "../token/request-token.ts";

const SCOPE = "read:user";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

const INTERVAL_SECONDS_DEFAULT = 5;
const INTERVAL_SECONDS_MAX = 300;
/** Seconds added to the interval if the server says "slower" and names none. */
const SLOWER_SECONDS = 5;
const CODE_SECONDS_DEFAULT = 900;
const CODE_SECONDS_MAX = 3_600;
/** Consecutive network failures that are tolerated. */
const FAILURES_MAX = 5;

export interface DeviceFlowDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly githubUrl: string;
  readonly clientId: string;
  /** Shows the user the address to open and the code to type. */
  readonly show: (code: DeviceCode) => Promise<void>;
}

export interface DeviceCode {
  readonly url: string;
  readonly code: string;
  readonly minutes: number;
}

/**
 * Logs in to GitHub as a device: the user opens an address and types a code, while this polls for the result
 * (PROV-06, RFC 8628).
 *
 * @throws HarnessError CopilotLoginFailed if the login was denied, the code expired, or GitHub answers
 * unexpectedly; signal.reason.
 */
export async function logInByDeviceFlow(parts: DeviceFlowDependencies, signal: AbortSignal): Promise<Secret> {
  const { clock } = parts;
  const flow = await begin(parts, signal);
  const endMs = clock.monotonic() + flow.seconds * 1_000;
  await parts.show({ url: flow.url, code: flow.userCode, minutes: Math.ceil(flow.seconds / 60) });
  let intervalSeconds = flow.intervalSeconds;
  let failures = 0;
  while (true) {
    await clock.sleep(intervalSeconds * 1_000, signal);
    if (clock.monotonic() > endMs) throw failed("the code was not typed in time, and is no longer good");
    const answer = await poll(parts, flow.deviceCode, signal);
    switch (answer.kind) {
      case "token":
        return answer.token;
      case "pending":
        failures = 0;
        break;
      case "slower":
        failures = 0;
        intervalSeconds = Math.min(
          Math.max(answer.intervalSeconds ?? 0, intervalSeconds + SLOWER_SECONDS),
          INTERVAL_SECONDS_MAX,
        );
        break;
      case "failed":
        failures += 1;
        if (failures > FAILURES_MAX) throw failed(answer.detail);
        break;
    }
  }
}

interface StartedFlow {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly url: string;
  readonly seconds: number;
  readonly intervalSeconds: number;
}

async function begin(parts: DeviceFlowDependencies, signal: AbortSignal): Promise<StartedFlow> {
  const { githubUrl, clientId } = parts;
  const reply = await post(parts, "/login/device/code", { client_id: clientId, scope: SCOPE }, signal);
  if (reply.kind === "refused") throw failed(reply.detail);
  const { value, status } = reply;
  const [deviceCode, userCode] = [stringAt(value, "device_code"), stringAt(value, "user_code")];
  const url = stringAt(value, "verification_uri");
  if (deviceCode === undefined || userCode === undefined || url === undefined) {
    const detail = stringAt(value, "error_description") ?? stringAt(value, "error");
    throw failed(
      detail === undefined ? `${githubUrl} answered ${status} and no code` : presentableMessage(detail),
    );
  }
  // The user is about to open the address and type the code, so both must have the expected form.
  if (URL.parse(url)?.origin !== new URL(githubUrl).origin)
    throw failed(`${githubUrl} names another address than its own to open`);
  if (!/^[A-Za-z0-9-]{4,20}$/.test(userCode)) throw failed(`${githubUrl} sent something that is not a code`);
  return {
    deviceCode,
    userCode,
    url,
    seconds: within(numberAt(value, "expires_in"), CODE_SECONDS_DEFAULT, CODE_SECONDS_MAX),
    intervalSeconds: within(numberAt(value, "interval"), INTERVAL_SECONDS_DEFAULT, INTERVAL_SECONDS_MAX),
  };
}

type Polled =
  | { readonly kind: "token"; readonly token: Secret }
  | { readonly kind: "pending" }
  | { readonly kind: "slower"; readonly intervalSeconds?: number }
  | { readonly kind: "failed"; readonly detail: string };

async function poll(parts: DeviceFlowDependencies, deviceCode: string, signal: AbortSignal): Promise<Polled> {
  const form = { client_id: parts.clientId, device_code: deviceCode, grant_type: GRANT };
  const reply = await post(parts, "/login/oauth/access_token", form, signal);
  if (reply.kind === "refused") return { kind: "failed", detail: reply.detail };
  const token = stringAt(reply.value, "access_token");
  if (token !== undefined) {
    if (/^[\x21-\x7e]+$/.test(token)) return { kind: "token", token: new Secret("api-key", token) };
    throw failed("GitHub sent something that is not a token");
  }
  switch (stringAt(reply.value, "error")) {
    case "authorization_pending":
      return { kind: "pending" };
    case "slow_down": {
      const intervalSeconds = numberAt(reply.value, "interval");
      return { kind: "slower", ...defined({ intervalSeconds }) };
    }
    case "expired_token":
    case "token_expired":
      throw failed("the code was not typed in time, and is no longer good");
    case "access_denied":
      throw failed("it was declined on GitHub's page");
    case undefined:
      return { kind: "failed", detail: `${parts.githubUrl} answered ${reply.status} and no token` };
    default:
      throw failed(
        presentableMessage(
          stringAt(reply.value, "error_description") ?? stringAt(reply.value, "error") ?? "",
        ),
      );
  }
}

function post(
  { fetch, githubUrl }: DeviceFlowDependencies,
  path: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  return requestToken(fetch, githubUrl + path, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
    signal,
  });
}

/** Returns a number from the server if it is plausible. */
function within(named: number | undefined, otherwise: number, max: number): number {
  return named === undefined || !(named > 0) ? otherwise : Math.min(named, max);
}

function failed(why: string): HarnessError<"CopilotLoginFailed"> {
  return new HarnessError("CopilotLoginFailed", { why });
}
