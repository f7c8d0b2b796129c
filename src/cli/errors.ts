import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `cli/`, with their texts for people. */
export const ERRORS = errorsOf({
  EngineUnreachable: "The engine at <url> cannot be reached: <detail>. Start it there with: cinch serve",
  EngineKilled:
    "The engine was ended by <signal>: somebody killed it, the machine ran out of memory, or it crashed. What was done until then is in the session. To continue: cinch --continue, or with a prompt: cinch -p … --continue",
  EngineLost:
    "The running engine that carried out the prompt has ended without a word: somebody killed it, the machine ran out of memory, or it crashed. Nothing was sent again. What was done until then is in <session>. To continue: cinch --continue, or with a prompt: cinch -p … --continue",
  EngineSilent:
    "The running engine (<process>) has not answered for <seconds> s. It has the prompt, and may carry it out once it works again, so no other engine got it. <remedy>, or work without it: --own-engine",
  EngineNotStarted:
    "The engine did not start in time, and did not say why. Look into <log>, or work without a shared engine: --no-listen",
  EngineCertificate:
    "The certificate of <url> is not trusted: <detail>. If it is your own, name it: --tls-ca FILE. If it is not, stop: somebody may intercept the connection.",
  EngineRefused: "The engine has refused (<reason>): <message>",
  TargetUnusable: "<program> cannot be tested as an MCP server: <detail>",
  TimeLimitReached:
    "The turn was ended at its time limit (<limit>). What was done until then is in the session. Send again to go on, or raise --max-time.",
  UsageInvalid: "<problem>",
  OutputUnwritable:
    "Standard output cannot be written: <detail>. Make room, or send it elsewhere; the session itself is kept: cinch --continue",
  TrustDrift:
    "These files are not what <lockfile> approves: <paths>. Look at each with: cinch ack (at a terminal). With --emit-lockfile it writes a new lock file.",
});
