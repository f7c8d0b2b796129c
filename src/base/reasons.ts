/**
 * Every error reason and its text for people ([A] § User-facing errors, BUS-03).
 *
 * The reason is for programs, the text for people; neither is parsed out of the other. `<name>` is a
 * placeholder that whoever raises the error must fill. The first block is canonical: its texts stand as the
 * documents have them and are pinned by a test.
 */
export const TEXTS = {
  HandshakeRequired: "Send /v1/handshake before any command. See § Protocol versioning.",
  ScheduleUnusable: "The scheduled task cannot be made: <problem>.",
  ScheduleTaken:
    "There is a scheduled task '<name>' already. Take another name, or remove it first: cinch tasks remove <name>.",
  ScheduleMissing: "There is no scheduled task '<name>'. cinch tasks list shows those there are.",
  ScheduleBusy: "The scheduled task '<name>' runs already, since <since>.",
  TurnInProgress:
    "Another client is sending input to this session (started by <originator> at <ts>). Wait, or send /cancel to interrupt.",
  PermissionDenied:
    "Permission denied for <tool> by <client>. To allow: re-prompt and pick 'Allow once / argv-glob / tool / session'.",
  PermissionTimeout: "Permission for <tool> not answered within <timeout>s. Tool call cancelled.",
  TokenExpired:
    "Capability token expired at <exp>. Mint a new one: cinch token --session <id> --identity-class <class>.",
  TokenRevoked: "Token <jti> was revoked at <ts>. Mint a new one via /v1/auth/token.",
  MCPServerSHA256Mismatch:
    "MCP server '<name>' refused to start: the binary at <path> changed. Expected sha256 <expected>, found <actual>. To approve the new binary, run /mcp:approve <name> or edit <profile_path> to update the pin.",
  MCPServerUnavailable:
    "MCP server '<name>' is down after <attempts> restart attempts. Its tools are in degraded state. /mcp:restart <name> to retry, or check <log>. The last time: <why>",
  McpProgramMissing: "MCP server '<name>' cannot be started: <problem>: <cmd> (declared in <path>).",
  McpStartFailed:
    "MCP server '<name>' did not start: <why>. It is tried again; until it runs, calls of its tools fail. /mcp:<name> tells how it is.",
  McpStartSlow:
    "The MCP server '<name>' has not started yet. The request to the model waits for its tools, <seconds> s at most.",
  McpStartLate:
    "The MCP server '<name>' did not start within <seconds> s: the model goes on without it for now, and can use its tools once it runs. /mcp:<name> tells how it is.",
  McpServerUnknown: "There is no MCP server '<name>' in this session. <hint>",
  McpServersConflict:
    "Two MCP servers have the name '<name>': in <first> and in <second>. Rename one of them.",
  McpRecordUnusable:
    "What was approved of an MCP server cannot be kept or read: <path>: <problem>. Look at the file; without it, the server's tools are approved anew.",
  McpToolsChanged:
    "The MCP server '<name>' has new tools, or says something else of them than when they were approved: <tools>. Calls of these ask you anew, whatever a rule allows; /mcp:approve <name> accepts them.",
  McpRuleIdle: "The rule <rule> (<path>:<line>) holds nothing back: <problem>",
  McpLoginNeeded:
    "The MCP server '<name>' lets nobody in without a login, or no longer takes the one that is stored. Log in, as the person at this machine, with: cinch creds login mcp:<name>; it is tried again when it is used next.",
  McpLoginFailed:
    "The login at the MCP server '<name>' failed: <why>. Try again: cinch creds login mcp:<name>",
  McpPromptUnusable: "The prompt '<prompt>' of an MCP server cannot be used: <why>.",
  McpScopeMissing:
    "The MCP server '<name>' wants more rights for this than you have given cinch: <scope>. To give them: cinch creds login mcp:<name> <scope>; they count when it is used next.",
  HookHashChanged:
    "<path> changed since you last approved it. Review the diff (TUI: 'v' opens the diff viewer). Re-ack to continue.",
  SandboxUnavailable: "There is no sandbox for commands: <why>. <then>. Remedy: <remedy>.",
  HookTimeout: "Hook '<event>' command '<cmd>' exceeded its <timeout>s deadline. Killed.",
  RateLimited:
    "Provider <name> rate-limited the request. Retrying in <retry-after>s… (Ctrl-C to cancel, /model to switch).",
  BashCancelledMidCommand:
    "Cancelled mid-Bash. The command ran for <duration> and may have modified files. Files possibly affected: <list>. Review /sessions:diff <id> to see what changed.",
  NonInteractiveAckRefused:
    "Refusing to silently approve an unseen <kind> in non-interactive mode. Run cinch ack --all once interactively, or pre-populate approved.lock from CI.",
  HandshakeVersionMismatch:
    "Client speaks protocol <client_ver>; server speaks <server_ver>. Upgrade <client_or_server>.",

  PromptRefused: "A UserPromptSubmit hook has refused the prompt: <why>",
  InvalidCommand: "The command <kind> cannot be carried out: <why>",
  InvalidQuery: "Query <kind> rejected: <why>",
  UnknownAgent: "There is no sub-agent '<name>'. <hint>",
  SubAgentFailed: "/agents:<name> has failed. <problem>",
  AgentInvalid: "A definition of a sub-agent is wrong: <problem>",
  WorktreeStays: "The worktree of a sub-agent is not removed: <problem>.",
  WorktreeFailed: "A git worktree cannot be had: <problem>.",
  InputQueueFull:
    "<count> inputs wait in this session already, and no more are taken. Wait until one has run, or withdraw one.",
  InvalidEvent:
    "The engine sent an event that cannot be read: <why>. Client and engine may differ in version.",
  UnknownSession:
    "There is no session <id> in this engine. To go on with a stored one, start cinch with --resume <id>.",
  UnknownCommandNamespace:
    "Neither cinch nor a plugin of this session has the namespace '<namespace>'. GET /v1/slash-commands lists the commands there are.",
  InternalError: "Something in cinch itself failed: <what>. The session goes on; details are in the log.",
  EngineStopping: "The engine is shutting down and takes no new commands.",

  InvalidHost:
    "This address is not served under the Host '<host>'. Use <served>, as it is printed when cinch begins to listen.",
  InvalidOrigin:
    "Requests from <origin> are not accepted. If the page is yours, start the engine with --allow-origin and its origin.",
  InvalidPath: "The address or path cannot be used: <why>",
  InvalidHeader: "The header <header> cannot be used: <why>",
  InvalidBody: "The body cannot be read: <why>",
  InvalidSessionID: "'<id>' is no session id: sess_ and 26 characters of Crockford base32.",
  UnknownRoute: "There is nothing at <path>. GET /v1/openapi.json lists what there is.",
  MethodNotAllowed: "<path> takes <allowed>, not <method>.",
  UnsupportedMediaType: "A body has to be JSON, with the header content-type: application/json.",
  BodyTooLarge: "The body is larger than <limit> bytes. Send less.",
  BodyTooSlow: "The body did not arrive within <seconds> s.",
  InvalidFrame: "The frame cannot be read: <why>.",
  TooManyFrames:
    "<count> frames of this socket wait for their answers to be read, and no more are taken. Read them, then send on.",
  UnknownClient:
    "This token has no client '<id>'. Leave X-Harness-Client out, or make one: POST /v1/clients.",
  TooManyClients: "This token has <count> clients already, and no more are taken. Go on as one of them.",
  UnknownResource: "There is no <what> '<name>'.",
  TooManyFollowed: "A client follows at most <limit> resources at a time. Let go of one first.",
  Forbidden: "This token does not allow <what>. Use one whose claims name it.",

  EngineRunning:
    "An engine of yours listens at <path> already. Attach to it: cinch token gives a client its token. Or end it first.",
  EngineUnreachable: "The engine at <url> cannot be reached: <detail>. Start it there with: cinch serve",
  EngineKilled:
    "The engine was ended by <signal>: somebody killed it, the machine ran out of memory, or it crashed. What was done until then is in the session. To go on: cinch --continue, or with a prompt: cinch -p … --continue",
  EngineNotStarted:
    "The engine did not start in time, and did not say why. Look into <log>, or work without a shared engine: --no-listen",
  EngineCertificate:
    "The certificate of <url> is not trusted: <detail>. If it is your own, name it: --tls-ca FILE. If it is not, do not go on: somebody may stand between.",
  ConnectionLost:
    "The connection to the engine broke before it had answered <kind>. Whether it was carried out is told by the events of the session; send it again if it was not.",
  EngineRefused: "The engine has refused (<reason>): <message>",
  TargetUnusable: "<program> cannot be tested as an MCP server: <detail>",

  UnknownProvider: "There is no provider '<name>'.<meant> Known: <known>.",
  CanonicalFormMismatch:
    "The provider <provider> was written for version <found> of the canonical message form; this cinch has version <known>. Use releases of both that fit together.",
  UnknownModel:
    "Provider <provider> does not know the model '<model>'. List what it offers with: cinch models. (<detail>)",
  NoModel:
    "No model <problem>. Set one of <variables>, or keep a key with cinch creds add PROVIDER, or start a local server (<servers>), or describe one of your own as [providers.NAME] in config.toml, or name a model with --model provider:name. To see cinch at work without a key: cinch demo.",
  RuntimeUnsupported:
    "The library of cinch runs on Bun, and this is <runtime>. Start the program with: bun FILE. From another runtime, use an engine through its protocol (cinch serve) with the client for TypeScript.",
  ProviderKeyMissing:
    "Provider <provider> needs a key. Set <variable><kept>, or pick another model with --model.",
  ModelTakenOver: "<failed> cannot be used now: <detail> <model> takes over.",
  ProviderKeyRefused: "Provider <provider> refused the key from <source>: <detail>",
  VertexUnplaced:
    "Vertex AI cannot be asked: <problem>. Set <variable> (or <others>), or <key> in [vertex] of config.toml.",
  GoogleCredentialsUnusable:
    "The Google credentials from <source> cannot be used: <problem>. Put that right, or make new ones: gcloud auth application-default login.",
  CopilotLoginFailed: "The login to GitHub Copilot failed: <why>. Try again: cinch creds login copilot.",
  ModelUnavailable:
    "Provider <provider> lists the model '<model>' and refuses it to this account: <detail> Its subscription or a policy of its organisation may not have it. Take another: cinch models.",
  ProviderUnreachable: "Provider <provider> cannot be reached at <url>: <detail>",
  ProviderRefused: "Provider <provider> refused the request (<status>): <detail>",
  ProviderFailed: "Provider <provider> failed (<status>): <detail>",
  ProviderTimeout:
    "Provider <provider> sent nothing for <seconds>s while <phase>. Given up after <attempts> attempts.",
  ProviderSilent:
    "Provider <provider> has sent nothing for <seconds>s while <phase>. Still waiting, up to <limit>s; cancel the turn to stop.",
  ProviderQuotaExceeded: "Provider <provider> says the quota or credit is used up: <detail>",
  StreamInterrupted:
    "The answer of provider <provider> broke off: <detail>. What had arrived is kept; send again to go on.",
  StreamMalformed: "Provider <provider> sent something that is not its protocol: <detail>",
  ContextOverflow: "The conversation no longer fits into the context window of <model>: <detail>",
  PromptTooLarge:
    "This prompt alone takes about <tokens> tokens, and <model> has room for about <room> in its window of <window>. Shorten it, or put the text into a file and name that; the session goes on.",
  CompactionStuck:
    "The conversation takes about <tokens> tokens, <model> has a window of <window>, and it cannot be made smaller. Go on with a model that has a larger window (/model, --model), or begin a new session; this one keeps everything.",
  UnsupportedContent: "The model <model> takes no <content>. Leave it out or pick another model.",
  EmptyResponse: "The model <model> answered with nothing: no text, no thinking, no tool call.",
  OutputTruncated: "The answer of <model> was cut off at its output limit of <tokens> tokens.",
  ResponseRefused: "The model <model> or its provider declined to answer (<detail>).",
  TimeLimitReached:
    "The turn was ended at its time limit (<limit>). What was done until then is in the session. Send again to go on, or raise --max-time.",
  OrphanUnsettled:
    "The last run ended while <call> was running (started <started>). It may have taken effect, wholly or in part. Look, then say what became of it: answer the question that the session asks, or go on with cinch -p … --continue --orphans fail, --orphans done=NOTE or --orphans abort.",
  TurnInterrupted:
    "Turn <turn> was cut short, because cinch ended while it ran. What was done until then is in the session. Send again to go on.",
  TurnLimitReached:
    "The turn was ended at its limit of rounds (<rounds>). Send again to go on, or raise --max-turns.",
  NoProgress:
    "The turn was ended because it made no progress: <what> <times> times in a row, last <call>. Say what to do differently, or raise repeated_failures or repeated_results in [limits] of the profile.",
  CostBudgetExceeded:
    "The next request could exceed the cost cap: $<spent> of $<cap> is spent. Raise --max-cost to go on.",
  CostUnknown:
    "There is a cost cap of $<cap>, but the price of <model> is unknown, so the cap cannot be kept, and unknown_price refuses such calls. Set its price in config.toml, under [prices], or take the cap away: --max-cost, max_cost in config.toml, cost under [limits] in the profile.",
  CostUncapped:
    'The price of <model> is unknown: its calls do not count towards the cost cap of $<cap>. Set its price in config.toml, under [prices]; to refuse such calls, set unknown_price = "refuse" there.',
  CredentialHelperFailed: "The credential helper stopped <times> times within 60 s. Start cinch again.",
  MachineKeyUnusable: "The machine key from <source> cannot be used: <problem>.",
  CredentialsLocked:
    "The key store <path> was encrypted under another machine key than the one in use now, which is from <source>. Set the CINCH_MACHINE_KEY or CINCH_PASSPHRASE that it was made with; if it was made with neither, unset both, so that machine.key counts; or move it away and add the keys again: cinch creds add.",
  CredentialsDamaged:
    "The key store <path> cannot be used: <detail>. It was left as it is; move it away and add the keys again: cinch creds add.",
  CredentialsUnwritable: "The key store <path> cannot be written: <detail>. It is as it was before.",

  ConfigInvalid: "<path>:<line>: <key>: <problem>",
  ProfileMissing: "There is no profile '<name>'.<meant> Known: <known>; a path must exist.",
  ProfileInUse:
    "The session is on profile '<name>' already: nothing was changed. Without --in-place a new session begins under it.",
  UsageInvalid: "<problem>",
  OutputUnwritable:
    "Standard output cannot be written: <detail>. Make room, or send it elsewhere; the session itself is kept: cinch --continue.",
  PathMissing: "<what> does not exist: <path>",

  TrustLedgerInvalid:
    "The approvals in <path> cannot be relied on: <problem>. Nothing of a project is loaded. Put the file right, or move it away and acknowledge anew with: cinch ack.",
  TrustLedgerUnwritable:
    "The approval cannot be kept in <path>: <detail>. It does not count; mend that, or start with --without-project.",
  TrustRefused: "Not acknowledged: <paths>. Look at each with: cinch ack (at a terminal).",
  TrustDrift:
    "These files are not what <lockfile> approves: <paths>. Look at each with: cinch ack (at a terminal); it writes a lock file anew with --emit-lockfile.",

  TokenMissing:
    "A capability token is needed here: in the header X-Harness-Token, under /mcp as Authorization: Bearer, for cinch mcp in the variable CINCH_TOKEN. Make one with: cinch token --session ID --identity-class CLASS.",
  TokenInvalid:
    "The capability token does not count: <problem>. Make a new one with: cinch token --session ID --identity-class CLASS.",
  TokenNotHere: "The capability token does not count here: <problem>.",
  MintRefused:
    "Token issuance requires an interactive confirmation channel. For headless/CI: pre-provision a token file. For service managers: launch with --auth-channel notify.",
  MintBusy:
    "Another token is being asked for, and its code is on show for <seconds> s more at most. Ask again then.",
  MintTooOften:
    "Tokens were asked for, or wrong codes given, too often. Ask again in <seconds> s, or use a token file.",
  MintCodeWrong: "The code is wrong; <left> tries are left. Read it again where it is shown: <channel>.",
  MintExpired: "No such request for a token is waiting: <problem>. Ask anew: POST /v1/auth/token.",
  MintTooWide: "A token can make only tokens that may do no more than itself: <problem>.",
  ClaimsInvalid: "A token with these claims cannot be made: <problem>.",
  TokenFileUnsafe: "The token file <path> is not used: it <problem>. Remedy: <remedy>.",
  TokenKeyUnusable:
    "The key <path>, which tokens are signed with, cannot be used: <problem>. Bring the old one back, or remove it: a new one is made at the next start, and every token made before ends.",
  RevocationsUnusable:
    "The list <path> of revoked tokens cannot be relied on: <problem>. Until that is mended no token counts. If the list is lost, remove it and <key>: every token made before then ends.",
  OwnerRefused: "The engine does not take this process for its owner's: <problem>. <remedy>",
  OwnerTokenStale: "The owner token is none of an engine that runs now: <problem>. <remedy>",
  ParentRefused:
    "The program that started cinch is not attested: <program> (<problem>). Start it once where a person can be asked; what they say is kept in <path>.",
  ParentsUnusable:
    "The list <path> of attested programs cannot be relied on: <problem>. Mend it, or move it away and be asked anew.",

  PluginInvalid: "The plugin <from> cannot be used: <problem>.",
  PluginConflict: "<first> and <second> both claim <what>. <remedy>",
  PluginFailed:
    "The plugin '<plugin>' failed in <where>: <what>. The session goes on; where it stands in your configuration, take it out there, or ask its author.",
  PluginCrashed:
    "The plugin '<plugin>' failed outside of any call, as in a timer of its own: <what>. It is switched off until the engine is started anew. What it guards stays refused.",
  PluginOff:
    "The plugin '<plugin>' has failed <count> times and is switched off until the engine is started anew. What it guards stays refused.",

  ToolNameTaken:
    "The tool name '<name>' is used by both <first> and <second>. Rename one of them, or leave one source out.",
  ToolInvalid: "The tool '<name>' of <source> cannot be used: <problem>",
  UnknownToolPack: "There is no tool pack '<name>'. Known: <known>.",

  CassetteInvalid: "The cassette <path> cannot be read at line <line>: <problem>",
  CassetteMismatch: "Request <number> does not match the cassette <path>.\n<difference>",
  CassetteExhausted: "The cassette <path> has no more answers: request <number> was never recorded.",
  CassetteUnwritable:
    "The cassette <path> cannot be written: <detail>. Name a file in a folder that you may write to.",

  StoreNewer:
    "The session store <path> was written by a newer cinch (schema <found>, this one knows <known>). Upgrade cinch; nothing was changed.",
  StoreCorrupt:
    "The session store <path> is damaged: <detail>. It was left as it is. Restore it from a backup, or move it away to start with an empty one.",
  TemporaryUnusable: "The temporary folder <path> cannot be used: <problem>. <remedy>",
  DiskUnwritable: "<path> cannot be written: <problem>. <remedy>",
  StateUnwritable: "The state folder <path> cannot be written: <problem>. <remedy>",
  StoreUnwritable:
    "The session store <path> cannot be written: <detail>. What was acknowledged before is kept. Make room, or make it and its folder writable for you; XDG_DATA_HOME puts it elsewhere.",
  StoreBusy: "The session store <path> is locked by another program: <detail>. Try again when it is done.",
  SessionsLocked:
    "The session store <path> was sealed under another machine key than the one in use now, which is from <source>. Set the CINCH_MACHINE_KEY or CINCH_PASSPHRASE that it was made with; if it was made with neither, unset both, so that machine.key counts; or move the store away to begin anew. Nothing was changed.",
  LogHeld:
    "The session <id> is in use by process <pid> on this machine. End it there first, or start a new session.",
  LeaseLost: "Another process has taken over the session <id>; this one stopped writing.",
  SessionMissing: "There is no stored session <id>.",
  NoSuchSession: "There is no stored session '<id>'. <hint>",
  SessionAmbiguous: "'<id>' is the beginning of <count> ids: <ids>. Write more of it.",
  SessionPinned: "The session <id> is pinned, and so is kept. Unpin it first: cinch sessions unpin <id>",
  ExportInvalid:
    "<path>, line <line>: <problem>. Nothing was imported. Take a new export, or read what can be read: --unverified.",
  NotABoundary: "Event <at> of the session <id> is not <wanted>. The nearest: <nearest>.",
  CheckpointUnwritable:
    "What this turn changes could not be kept in <path>: <detail>. Files cannot be set back to before it. Make room, or let the folder be written.",
  CheckpointRequired: "The call was not run, since required = true stands under [checkpoint]: <detail>",
  CheckpointsDamaged:
    "The checkpoints in <path> are damaged: <detail>. The session itself can be read; files cannot be set back to before that.",
  CheckpointMissing:
    "There is no checkpoint of the files at event <to>: <why>. The conversation can be set back alone: /rewind N conversation; on the command line cinch sessions rewind ID --to e<to> --conversation.",
  MemoryInvalid: "<problem>",
  PromptTemplateInvalid: "<problem>",
  UnknownPromptTemplate: "There is no prompt '<name>'. <known>",
  FileNotAttached: "<path> did not go to the model with what you said: <why>",
  MemoryUnreadable: "The memories in <path> cannot be read: <detail>.",
  MemoryUnwritable:
    "The memories in <path> cannot be changed: <detail>. Make room, or make the folder writable for you.",
  MemoryFull: "No more fits into <path>, which holds at most <limit>. Forget what is not needed any more.",
  MemoryMissing: "There is no memory '<name>'. List them with: cinch memory list",
  SkillProblem: "<problem>",
  SkillMissing: "There is no skill '<name>' that counts in this session. <hint>",
  UnknownSkillPack: "There is no skill pack '<name>'. <hint> Profiles list packs in skill_packs.",
  RewindChanged: "The files are not as they were in the preview. Look at a new one, then rewind.",
  NothingToContinue: "There is no earlier session in <directory> to continue.",
} as const;

export type Reason = keyof typeof TEXTS;

/** Tells whether a text from a wire is one of our reasons. */
export function isReason(text: string): text is Reason {
  return Object.hasOwn(TEXTS, text);
}

/** A reason that a plugin introduced ([A] § User-facing errors). */
export type CustomReason = `Custom:${string}:${string}`;

/** Tells whether a text from a wire is a reason that a plugin introduced. */
export function isCustomReason(text: string): text is CustomReason {
  return /^Custom:[a-z0-9-]{1,32}:[A-Za-z0-9_.-]{1,64}$/.test(text);
}

/** The names in angle brackets of one text. */
export type Slots<Text extends string> = Text extends `${string}<${infer Slot}>${infer Rest}`
  ? Slot | Slots<Rest>
  : never;

export type Fields<R extends Reason> = { readonly [Slot in Slots<(typeof TEXTS)[R]>]: string };

/** The text of a reason with every placeholder filled. */
export function reasonText<R extends Reason>(reason: R, fields: Fields<R>): string {
  return fill(TEXTS[reason], fields);
}

function fill(text: string, fields: Readonly<Record<string, string>>): string {
  return text.replaceAll(/<([a-z_-]+)>/gi, (slot, name: string) => fields[name] ?? slot);
}
