import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `providers/http/`, with their texts for people. */
export const ERRORS = errorsOf({
  RateLimited:
    "Provider <name> rate-limited the request. Retrying in <retry-after>s… (Ctrl-C to cancel, /model to switch).",
  UnknownProvider: "There is no provider '<name>'.<meant> Known: <known>.",
  CanonicalFormMismatch:
    "The provider <provider> was written for version <found> of the canonical message form; this cinch has version <known>. Use releases of both that fit together.",
  UnknownModel:
    "Provider <provider> does not know the model '<model>' (<detail>). List what it offers with: cinch models",
  NoModel:
    "No model <problem>. Set one of <variables>, or add a key with cinch creds add PROVIDER, or start a local server (<servers>). You can also describe a provider as [providers.NAME] in config.toml, or name a model with --model provider:name. To see cinch at work without a key: cinch demo",
  ModelTakenOver: "<failed> cannot be used now: <detail> <model> takes over.",
  VertexUnplaced:
    "Vertex AI cannot be asked: <problem>. Set <variable> (or <others>), or <key> in [vertex] of config.toml.",
  ProviderUnreachable: "Provider <provider> cannot be reached at <url>: <detail>",
  ProviderRefused: "Provider <provider> refused the request (<status>): <detail>",
  ProviderFailed: "Provider <provider> failed (<status>): <detail>",
  ProviderTimeout:
    "Provider <provider> sent nothing for <seconds>s while <phase>. Given up after <attempts> attempts.",
  ProviderSilent:
    "Provider <provider> has sent nothing for <seconds>s while <phase>. Still waiting, up to <limit>s; cancel the turn to stop.",
  StreamInterrupted:
    "The answer of provider <provider> broke off: <detail>. What had arrived is kept; send again to go on.",
});
