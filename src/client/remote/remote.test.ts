import { connectionContract } from "../../../test/contracts/connection.ts";
import { openWsRig } from "../../../test/support/ws-rig.ts";

connectionContract("over a WebSocket", async (options) => {
  const ws = await openWsRig(options);
  return {
    rig: ws.rig,
    connect: (identityClass) => ws.remote({ claims: { identityClass } }),
    [Symbol.asyncDispose]: () => ws[Symbol.asyncDispose](),
  };
});
