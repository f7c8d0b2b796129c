export type { ModelServer } from "./app/library/api-provider.ts";
export { apiProvider } from "./app/library/api-provider.ts";
export type { LibraryEngine as Engine } from "./app/library/embedded-engine/create-engine.ts";
export { createEngine } from "./app/library/embedded-engine/create-engine.ts";
export type { EngineSessionHandles } from "./app/library/embedded-engine/engine-session.ts";
export { EngineSession } from "./app/library/embedded-engine/engine-session.ts";
export type {
  EngineAnswer,
  EngineLimits,
  EngineQuestion,
  EngineQuestionSession,
  EngineSetup,
  EngineTool,
  EngineToolCall,
} from "./app/library/embedded-engine/setup.ts";
export type { SqliteStoreSetup } from "./app/library/embedded-engine/stores.ts";
export { memoryStore, sqliteStore } from "./app/library/embedded-engine/stores.ts";
export type { CallRetry, CallUsage, HarnessWire, PromptResult, Usage } from "./app/library/embedder.ts";
export { Cancelled, HarnessError } from "./base/errors.ts";
export type { AskId, CallId, ClientId, EventSeq, LogId, SessionId } from "./base/ids.ts";
export type { JsonObject, JsonSchema } from "./base/json.ts";
export type { ContentBlock, InputBlock, ResultContent } from "./protocol/content.ts";
export type { Envelope, EnvelopeOf } from "./protocol/events/envelope.ts";
export type { Event, EventKind, PayloadOf, TurnEndReason } from "./protocol/events/events.ts";
export type { Message } from "./protocol/message.ts";
export { CANONICAL_FORM_VERSION } from "./protocol/version.ts";
export type { ProviderErrorTraits } from "./providers/error.ts";
export { ProviderError } from "./providers/error.ts";
export type {
  CacheHints,
  FinishReason,
  Model,
  ModelBlock,
  ModelEvent,
  ModelRequest,
  ModelToolUse,
  ModelUsage,
  Price,
  Provider,
  SystemSection,
  ToolSchema,
} from "./providers/provider.ts";
export type {
  Batch,
  BranchPoint,
  CallOutcome,
  Durability,
  EventRange,
  Holder,
  Intent,
  LogInfo,
  LogQuery,
  Loss,
  MaintenanceResult,
  NewLog,
  SessionStore,
  SessionWriter,
  StoredMessage,
  StoreFinding,
  StoreFindingKind,
} from "./session/store/store.ts";
export type { ToolOutput } from "./tools/tool.ts";
