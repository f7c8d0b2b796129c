import { connectionContract } from "../../../test/contracts/connection.ts";
import { openRig } from "../../../test/support/rig.ts";
import { rigAnswers } from "../../../test/support/rig-port.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../../protocol/kinds.ts";
import { connectInproc } from "./inproc.ts";

connectionContract("in the same process", async (options) => {
  const rig = await openRig(options);
  const { handlers, news } = rigAnswers(rig);
  rig.answers(handlers, news);
  const served = { commands: COMMAND_KINDS, events: EVENT_KINDS, features: [] };
  return {
    rig,
    connect: async (identityClass) =>
      connectInproc(rig.multiplexer, { identityClass, label: "test" }, served),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
});
