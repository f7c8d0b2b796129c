import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `credentials/`, with their texts for people. */
export const ERRORS = errorsOf({
  ProviderKeyMissing:
    "Provider <provider> needs a key. Set <variable><kept>, or pick another model with --model.",
  ProviderKeyRefused: "Provider <provider> refused the key from <source>: <detail>",
  ProviderKeyInvalid: "No key of <provider> was stored: <problem>.",
  KeyStoreMissing:
    "No key of <provider> was stored: the program that runs this engine holds the keys itself, without a credential helper. Set <variable> in the environment that it gives to the engine.",
  GoogleCredentialsUnusable:
    "The Google credentials from <source> cannot be used: <problem>. Correct that, or make new ones: gcloud auth application-default login",
  CopilotLoginFailed: "The login to GitHub Copilot failed: <why>. Try again: cinch creds login copilot",
  CredentialHelperFailed:
    "The credential helper failed and is not started again (failures within 60 s: <times>). Start cinch again.",
  MachineKeyUnusable: "The machine key from <source> cannot be used: <problem>.",
  CredentialsLocked:
    "The key store <path> was encrypted under another machine key than the one in use now, which is from <source>. Set the CINCH_MACHINE_KEY or CINCH_PASSPHRASE that it was made with. If it was made with neither, unset both: then machine.key is used. Or move it away and add the keys again: cinch creds add",
  CredentialsDamaged:
    "The key store <path> cannot be used: <detail>. It was left as it is; move it away and add the keys again: cinch creds add",
  CredentialsUnwritable:
    "The key store <path> cannot be written: <detail>. It is unchanged. Make room, or make it and its folder writable for you.",
});
