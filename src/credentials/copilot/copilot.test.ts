import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { Secret } from "../../base/brand.ts";
import { HarnessError } from "../../base/errors.ts";
import type { FetchInit } from "../../base/world.ts";
import type { CopilotSettings } from "../../providers/vendor-settings.ts";
import { copilotAddresses } from "../../providers/vendor-settings.ts";
import type { DeviceCode } from "./device-flow.ts";
import { logInByDeviceFlow } from "./device-flow.ts";
import { exchangeCopilotToken } from "./exchange.ts";

const NOW_MS = 1_750_000_000_000;
const CODE = {
  device_code: "device-of-the-test",
  user_code: "ABCD-1234",
  verification_uri: "https://github.com/login/device",
  expires_in: 900,
  interval: 5,
};
const PENDING = { error: "authorization_pending" };
const TOKEN = { access_token: "gho_of_the_test", token_type: "bearer" };

interface Login {
  readonly clock: ReturnType<typeof fakeClock>;
  readonly shown: readonly DeviceCode[];
  /** Requests, with the seconds since the start. */
  readonly asked: readonly { readonly url: string; readonly body: string; readonly atSeconds: number }[];
  /** The token, or the words of the failure; `undefined` while it goes on. */
  readonly outcome: string | undefined;
  cancel(): void;
}

function startLogin(answers: readonly (object | Response | Error)[]): Login {
  const clock = fakeClock();
  const shown: DeviceCode[] = [];
  const asked: { url: string; body: string; atSeconds: number }[] = [];
  const controller = new AbortController();
  let outcome: string | undefined;
  const parts = {
    clock,
    githubUrl: "https://github.com",
    clientId: "client",
    show: async (code: DeviceCode) => void shown.push(code),
    async fetch(url: string, { body = "" }: FetchInit) {
      asked.push({ url, body: String(body), atSeconds: clock.monotonic() / 1_000 });
      const answer = answers[asked.length - 1] ?? PENDING;
      if (answer instanceof Error) throw answer;
      return answer instanceof Response ? answer : Response.json(answer);
    },
  };
  void logInByDeviceFlow(parts, controller.signal).then(
    (token) => {
      outcome = token.reveal();
    },
    (thrown: unknown) => {
      outcome = thrown instanceof HarnessError ? Reflect.get(thrown.fields, "why") : String(thrown);
    },
  );
  return {
    clock,
    shown,
    asked,
    get outcome() {
      return outcome;
    },
    cancel: () => controller.abort(new Error("Ctrl-C")),
  };
}

test("[PROV-06] a login shows address and code, polls at the interval, and slower when the server asks for it, until the person has agreed", async () => {
  const login = startLogin([
    CODE,
    PENDING,
    { error: "slow_down" },
    { error: "slow_down", interval: 30 },
    new Response("<html>", { status: 502 }),
    TOKEN,
  ]);
  await login.clock.advance(0);
  expect(login.shown).toEqual([{ url: "https://github.com/login/device", code: "ABCD-1234", minutes: 15 }]);
  await login.clock.advance(120_000);
  expect(login.outcome).toBe("gho_of_the_test");
  expect(login.asked.map(({ atSeconds }) => atSeconds)).toEqual([0, 5, 10, 20, 50, 80]);
  expect(login.asked[0]).toMatchObject({
    url: "https://github.com/login/device/code",
    body: "client_id=client&scope=read%3Auser",
  });
  expect(login.asked[1]).toMatchObject({
    url: "https://github.com/login/oauth/access_token",
    body: "client_id=client&device_code=device-of-the-test&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
  });
});

test("[PROV-06] a login that is declined, forgotten, cancelled or answered with nonsense ends with what happened", async () => {
  const down = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
  const endings: readonly (readonly [answers: readonly (object | Response | Error)[], why: string])[] = [
    [[CODE, { error: "access_denied" }], "it was declined on GitHub's page"],
    [[CODE, { error: "expired_token" }], "the code was not typed in time, and is no longer good"],
    [[CODE, PENDING], "the code was not typed in time, and is no longer good"],
    [[CODE, { error: "device_flow_disabled" }], "device_flow_disabled"],
    [[CODE, { access_token: "two words" }], "GitHub sent something that is not a token"],
    [[down], "https://github.com/login/device/code cannot be reached: nothing listens there"],
    [
      [CODE, ...Array(6).fill(down)],
      "https://github.com/login/oauth/access_token cannot be reached: nothing listens there",
    ],
    [[{ error: "unauthorized_client", error_description: "No such client" }], "No such client"],
    [[{}], "https://github.com answered 200 and no code"],
    [
      [{ ...CODE, verification_uri: "https://evil.example/login" }],
      "https://github.com names another address than its own to open",
    ],
    [[{ ...CODE, user_code: "\u001b[2J" }], "https://github.com sent something that is not a code"],
    [
      [new Response(null, { status: 302, headers: { location: "https://evil.example" } })],
      "https://github.com/login/device/code answered with a redirect, which is not followed, since the credentials would go along",
    ],
  ];
  for (const [answers, why] of endings) {
    const login = startLogin(answers);
    await login.clock.advance(1_000_000);
    expect(login.outcome).toBe(why);
  }
  const login = startLogin([CODE]);
  await login.clock.advance(7_000);
  login.cancel();
  await login.clock.advance(0);
  expect([login.outcome, login.clock.waiting]).toEqual(["Error: Ctrl-C", 0]);
});

async function exchanged(answer: Response | Error, settings: CopilotSettings = {}, nowMs = NOW_MS) {
  const asked: { url: string; headers: unknown }[] = [];
  const { baseUrl: ownBaseUrl } = settings;
  const found = await exchangeCopilotToken(
    {
      addresses: copilotAddresses(settings),
      editorVersion: "cinch/1",
      githubToken: new Secret("api-key", "gho_of_the_test"),
      clock: fakeClock(nowMs),
      async fetch(url, { headers }) {
        asked.push({ url, headers });
        if (answer instanceof Error) throw answer;
        return answer;
      },
      ...(ownBaseUrl === undefined ? {} : { ownBaseUrl }),
    },
    new AbortController().signal,
  );
  const outcome =
    found.kind === "refused"
      ? [found.status, found.detail]
      : [found.token.value.reveal(), found.token.baseUrl, found.renewAfterMs, found.endsAfterMs];
  return { asked, outcome };
}

const COPILOT = {
  token: "tid=1;exp=2:mac",
  expires_at: NOW_MS / 1_000 + 1_800,
  refresh_in: 1_500,
  endpoints: { api: "https://api.individual.githubcopilot.com/" },
};
const PLACE = "https://api.github.com/copilot_internal/v2/token";

test("[PROV-06] a GitHub token is exchanged for one of Copilot, with where to use it and when to renew it", async () => {
  const { asked, outcome } = await exchanged(Response.json(COPILOT));
  expect(outcome).toEqual([COPILOT.token, "https://api.individual.githubcopilot.com", 1_500_000, 1_800_000]);
  expect(asked).toEqual([
    {
      url: PLACE,
      headers: {
        accept: "application/json",
        authorization: "token gho_of_the_test",
        "editor-version": "cinch/1",
        "user-agent": "cinch/1",
      },
    },
  ]);
  const bare = await exchanged(Response.json({ token: "t" }));
  expect(bare.outcome).toEqual(["t", undefined, 1_440_000, 1_500_000]);
});

test("[PROV-06] a machine whose clock is wrong keeps a token as long as GitHub means it", async () => {
  const headers = { date: new Date(NOW_MS).toUTCString() };
  for (const wrongMs of [NOW_MS - 86_400_000, NOW_MS + 86_400_000]) {
    const { outcome } = await exchanged(Response.json(COPILOT, { headers }), {}, wrongMs);
    expect(outcome.slice(2)).toEqual([1_500_000, 1_800_000]);
  }
  // Without a date there is the time of the renewal.
  const { outcome } = await exchanged(Response.json(COPILOT), {}, NOW_MS + 86_400_000);
  expect(outcome.slice(2)).toEqual([1_440_000, 1_500_000]);
});

test("[PROV-06 S59] where requests go is believed below GitHub's own hosts, the enterprise's, or the configured address", async () => {
  const ghe = { githubUrl: "https://octo.ghe.com" };
  const own = { baseUrl: "http://127.0.0.1:7/copilot" };
  const believed: readonly (readonly [
    api: string,
    settings: CopilotSettings,
    baseUrl: string | undefined,
  ])[] = [
    ["https://api.githubcopilot.com", {}, "https://api.githubcopilot.com"],
    ["https://copilot-api.octo.ghe.com/x/", ghe, "https://copilot-api.octo.ghe.com/x"],
    ["http://127.0.0.1:7/moved", own, "http://127.0.0.1:7/moved"],
    ["https://copilot-api.octo.ghe.com", {}, undefined],
    ["https://copilot-api.other.ghe.com", ghe, undefined],
    ["https://evil.example", {}, undefined],
    ["https://evil.example", own, undefined],
    ["https://api.githubcopilot.com", own, undefined],
    ["http://api.githubcopilot.com", {}, undefined],
    ["https://githubcopilot.com.evil.example", {}, undefined],
    ["https://evilgithubcopilot.com", {}, undefined],
    ["https://u:p@api.githubcopilot.com", {}, undefined],
    ["https://api.githubcopilot.com:8443", {}, undefined],
    ["nonsense", {}, undefined],
  ];
  for (const [api, settings, baseUrl] of believed) {
    const { outcome } = await exchanged(Response.json({ ...COPILOT, endpoints: { api } }), settings);
    const isRefused = expect.stringContaining("which is not GitHub's; they are not sent there");
    expect([api, ...outcome.slice(0, 2)]).toEqual(
      baseUrl === undefined ? [api, 403, isRefused] : [api, COPILOT.token, baseUrl],
    );
  }
  expect((await exchanged(Response.json(COPILOT), ghe)).asked[0]?.url).toBe(
    "https://api.octo.ghe.com/copilot_internal/v2/token",
  );
});

test("[PROV-06] an exchange that GitHub refuses says why and what to do, and shows no token", async () => {
  const message = (text: string, status: number) => Response.json({ message: text }, { status });
  const organisation = { error_details: { message: "Your organisation has switched it off." } };
  const told: readonly (readonly [answer: Response | Error, outcome: readonly unknown[]])[] = [
    [
      message("Bad credentials", 401),
      [401, `${PLACE} refused: Bad credentials; log in again: cinch creds login copilot`],
    ],
    [
      Response.json(organisation, { status: 403 }),
      [403, `${PLACE} refused: Your organisation has switched it off.`],
    ],
    [message("Not Found", 404), [403, `${PLACE} refused: Not Found; this account may have no Copilot`]],
    [message("slow", 429), [429, `${PLACE} refused: slow`]],
    [
      Response.json({ token: "gho of the test" }),
      [502, `${PLACE} answered with something that is not a token`],
    ],
    [new Response("gho_of_the_test"), [502, `${PLACE} answered with something that is not a JSON object`]],
    [new Error("closed"), [503, `${PLACE} cannot be reached: closed`]],
  ];
  for (const [answer, outcome] of told) expect<unknown>((await exchanged(answer)).outcome).toEqual(outcome);
});
