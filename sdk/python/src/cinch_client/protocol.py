# Made from the protocol's schemas by `npm run generate`. Changes here are lost.
"""The protocol's types: what an engine sends and takes, as it stands in its JSON."""
from typing import Any, Dict, List, Literal, TypedDict, Union

PROTOCOL_VERSION = "0.3.0"

# The kinds of event that this version knows; others are passed over.
EVENT_KINDS = frozenset([
  "TextDelta",
  "ThinkingDelta",
  "ToolCallStarted",
  "ToolCallProgress",
  "ToolArgsDelta",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
  "TurnTiming",
  "CompactionTriggered",
  "CompactionProgress",
  "CostIncremented",
  "PermissionRequested",
  "PermissionAnswered",
  "Cancelled",
  "Error",
  "StreamGap",
  "TokenExpiring",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "SkillRegistryChanged",
  "SessionEnded",
  "CustomEvent",
  "Asked",
  "Answered",
  "InputQueued",
  "InputWithdrawn",
  "CheckpointMade",
  "TaskChanged",
  "TodoChanged",
  "MemoryWritten",
  "ProfileSwitched",
  "ModelChanged",
  "RuleRevoked",
  "RulePromoted",
  "SessionRenamed",
  "LevelChanged",
  "InputEdited",
  "InputMoved",
])

SessionId = str
LogId = str
CallId = str
TokenId = str
ClientId = str
AskId = str
InputId = str
TaskId = str


class SendInputCommandContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class SendInputCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SendInputCommandContentItemImage(TypedDict):
    type: Literal["image"]
    source: SendInputCommandContentItemImageSource


class SendInputCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SendInputCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: SendInputCommandContentItemAudioSource


class SendInputCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SendInputCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    source: SendInputCommandContentItemDocumentSource


class SendInputCommandContentItemAttachment(TypedDict):
    type: Literal["attachment"]
    id: str


class SendInputCommandContentItemUnsavedLines(TypedDict):
    first: int
    last: int


_SendInputCommandContentItemUnsavedRequired = TypedDict("_SendInputCommandContentItemUnsavedRequired", {
    "type": Literal["unsaved"],
    "path": str,
    "text": str,
})


class SendInputCommandContentItemUnsaved(_SendInputCommandContentItemUnsavedRequired, total=False):
    attached: bool
    lines: SendInputCommandContentItemUnsavedLines


_SendInputCommandRequired = TypedDict("_SendInputCommandRequired", {
    "kind": Literal["SendInput"],
    "sessionId": SessionId,
    "content": List[Union[
    SendInputCommandContentItemText,
    SendInputCommandContentItemImage,
    SendInputCommandContentItemAudio,
    SendInputCommandContentItemDocument,
    SendInputCommandContentItemAttachment,
    SendInputCommandContentItemUnsaved,
]],
})


class SendInputCommand(_SendInputCommandRequired, total=False):
    delivery: Literal["reject", "queue", "steer"]
    skill: str
    agent: str


class CancelTurnCommand(TypedDict):
    kind: Literal["CancelTurn"]
    sessionId: SessionId


_AnswerPermissionCommandRequired = TypedDict("_AnswerPermissionCommandRequired", {
    "kind": Literal["AnswerPermission"],
    "sessionId": SessionId,
    "callId": CallId,
    "decision": Literal["allow", "deny"],
})


class AnswerPermissionCommand(_AnswerPermissionCommandRequired, total=False):
    scope: Literal["once", "argv_glob", "tool"]
    rule: str
    hosts: Literal[True]
    hunks: List[str]
    words: str


class CreateSessionCommandRunMcpServersItem1(TypedDict):
    transport: Literal["stdio"]
    name: str
    cmd: str
    args: List[str]
    env: Dict[str, str]


class CreateSessionCommandRunMcpServersItem2(TypedDict):
    transport: Literal["http", "sse"]
    name: str
    url: str
    headers: Dict[str, str]


class CreateSessionCommandRun(TypedDict, total=False):
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    autoApprove: bool
    strictPermissions: bool
    planMode: bool
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    maxTurns: int
    maxCostUsd: float
    maxTimeMs: int
    appendSystemPrompt: str
    allow: List[str]
    addDirs: List[str]
    mcpServers: List[Union[
    CreateSessionCommandRunMcpServersItem1,
    CreateSessionCommandRunMcpServersItem2,
]]
    withoutProject: bool
    allowProjectHooks: bool
    lockfile: str
    asksTrust: bool
    environment: Dict[str, str]


_CreateSessionCommandRequired = TypedDict("_CreateSessionCommandRequired", {
    "kind": Literal["CreateSession"],
})


class CreateSessionCommand(_CreateSessionCommandRequired, total=False):
    profile: str
    resume: LogId
    model: str
    workingDir: str
    run: CreateSessionCommandRun


class AttachSessionCommand(TypedDict):
    kind: Literal["AttachSession"]
    sessionId: SessionId


_DetachSessionCommandRequired = TypedDict("_DetachSessionCommandRequired", {
    "kind": Literal["DetachSession"],
    "sessionId": SessionId,
})


class DetachSessionCommand(_DetachSessionCommandRequired, total=False):
    left: bool


_SetModelCommandRequired = TypedDict("_SetModelCommandRequired", {
    "kind": Literal["SetModel"],
    "sessionId": SessionId,
    "model": str,
})


class SetModelCommand(_SetModelCommandRequired, total=False):
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]


class EnterPlanModeCommand(TypedDict):
    kind: Literal["EnterPlanMode"]
    sessionId: SessionId


class ExitPlanModeCommand(TypedDict):
    kind: Literal["ExitPlanMode"]
    sessionId: SessionId
    approve: bool


class CustomCommandCommand(TypedDict):
    kind: Literal["CustomCommand"]
    sessionId: SessionId
    namespace: str
    verb: str
    payload: Any


class EndSessionCommand(TypedDict):
    kind: Literal["EndSession"]
    sessionId: SessionId


_BranchSessionCommandRequired = TypedDict("_BranchSessionCommandRequired", {
    "kind": Literal["BranchSession"],
    "sessionId": SessionId,
})


class BranchSessionCommand(_BranchSessionCommandRequired, total=False):
    at: int
    turn: int


class PinSessionCommand(TypedDict):
    kind: Literal["PinSession"]
    sessionId: SessionId
    pinned: bool


class CompactSessionCommand(TypedDict):
    kind: Literal["CompactSession"]
    sessionId: SessionId


_RewindSessionCommandRequired = TypedDict("_RewindSessionCommandRequired", {
    "kind": Literal["RewindSession"],
    "sessionId": SessionId,
    "to": int,
    "what": Literal["files", "conversation", "both"],
})


class RewindSessionCommand(_RewindSessionCommandRequired, total=False):
    preview: bool
    token: str
    overwrite: List[Literal["contested", "foreign"]]


class WithdrawInputCommand(TypedDict):
    kind: Literal["WithdrawInput"]
    sessionId: SessionId
    inputId: InputId


class RevokeRuleCommand(TypedDict):
    kind: Literal["RevokeRule"]
    sessionId: SessionId
    rule: str


_PromoteRuleCommandRequired = TypedDict("_PromoteRuleCommandRequired", {
    "kind": Literal["PromoteRule"],
    "sessionId": SessionId,
    "rule": str,
})


class PromoteRuleCommand(_PromoteRuleCommandRequired, total=False):
    everywhere: bool


_SwitchProfileCommandRequired = TypedDict("_SwitchProfileCommandRequired", {
    "kind": Literal["SwitchProfile"],
    "sessionId": SessionId,
    "profile": str,
})


class SwitchProfileCommand(_SwitchProfileCommandRequired, total=False):
    importTurns: int
    inPlace: bool


class ReloadSkillsCommand(TypedDict):
    kind: Literal["ReloadSkills"]
    sessionId: SessionId


class ManageMcpCommand(TypedDict):
    kind: Literal["ManageMcp"]
    sessionId: SessionId
    server: str
    action: Literal["status", "restart", "approve", "stop", "start"]


class StopTaskCommand(TypedDict):
    kind: Literal["StopTask"]
    sessionId: SessionId
    taskId: TaskId


class AnswerCommand(TypedDict):
    kind: Literal["Answer"]
    sessionId: SessionId
    askId: AskId
    answer: Any


_ExportSessionCommandRequired = TypedDict("_ExportSessionCommandRequired", {
    "kind": Literal["ExportSession"],
    "sessionId": SessionId,
})


class ExportSessionCommand(_ExportSessionCommandRequired, total=False):
    format: Literal["jsonl", "markdown"]
    output: str
    directoryOf: SessionId


class DismissExpiringCommand(TypedDict):
    kind: Literal["DismissExpiring"]
    sessionId: SessionId


class MuteSessionCommand(TypedDict):
    kind: Literal["MuteSession"]
    sessionId: SessionId


class RenameSessionCommand(TypedDict):
    kind: Literal["RenameSession"]
    sessionId: SessionId
    title: str


class ArchiveSessionCommand(TypedDict):
    kind: Literal["ArchiveSession"]
    sessionId: SessionId
    archived: bool


class DeleteSessionCommand(TypedDict):
    kind: Literal["DeleteSession"]
    sessionId: SessionId


class MarkReadCommand(TypedDict):
    kind: Literal["MarkRead"]
    sessionId: SessionId
    event: int
    reader: str


class SetDraftCommand(TypedDict):
    kind: Literal["SetDraft"]
    sessionId: SessionId
    text: str
    reader: str


class SetLevelCommand(TypedDict):
    kind: Literal["SetLevel"]
    sessionId: SessionId
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]


class EditInputCommandContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class EditInputCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class EditInputCommandContentItemImage(TypedDict):
    type: Literal["image"]
    source: EditInputCommandContentItemImageSource


class EditInputCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class EditInputCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: EditInputCommandContentItemAudioSource


class EditInputCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class EditInputCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    source: EditInputCommandContentItemDocumentSource


class EditInputCommandContentItemAttachment(TypedDict):
    type: Literal["attachment"]
    id: str


class EditInputCommandContentItemUnsavedLines(TypedDict):
    first: int
    last: int


_EditInputCommandContentItemUnsavedRequired = TypedDict("_EditInputCommandContentItemUnsavedRequired", {
    "type": Literal["unsaved"],
    "path": str,
    "text": str,
})


class EditInputCommandContentItemUnsaved(_EditInputCommandContentItemUnsavedRequired, total=False):
    attached: bool
    lines: EditInputCommandContentItemUnsavedLines


class EditInputCommand(TypedDict):
    kind: Literal["EditInput"]
    sessionId: SessionId
    inputId: InputId
    content: List[Union[
    EditInputCommandContentItemText,
    EditInputCommandContentItemImage,
    EditInputCommandContentItemAudio,
    EditInputCommandContentItemDocument,
    EditInputCommandContentItemAttachment,
    EditInputCommandContentItemUnsaved,
]]


_MoveInputCommandRequired = TypedDict("_MoveInputCommandRequired", {
    "kind": Literal["MoveInput"],
    "sessionId": SessionId,
    "inputId": InputId,
})


class MoveInputCommand(_MoveInputCommandRequired, total=False):
    before: InputId


class RunShellCommand(TypedDict):
    kind: Literal["RunShell"]
    sessionId: SessionId
    command: str
    toModel: bool


class StopShellCommand(TypedDict):
    kind: Literal["StopShell"]
    sessionId: SessionId
    callId: CallId


class StopAgentCommand(TypedDict):
    kind: Literal["StopAgent"]
    sessionId: SessionId
    callId: CallId


class SteerAgentCommandContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class SteerAgentCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SteerAgentCommandContentItemImage(TypedDict):
    type: Literal["image"]
    source: SteerAgentCommandContentItemImageSource


class SteerAgentCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SteerAgentCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: SteerAgentCommandContentItemAudioSource


class SteerAgentCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class SteerAgentCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    source: SteerAgentCommandContentItemDocumentSource


class SteerAgentCommand(TypedDict):
    kind: Literal["SteerAgent"]
    sessionId: SessionId
    callId: CallId
    content: List[Union[
    SteerAgentCommandContentItemText,
    SteerAgentCommandContentItemImage,
    SteerAgentCommandContentItemAudio,
    SteerAgentCommandContentItemDocument,
]]


class StoreProviderKeyCommand(TypedDict):
    kind: Literal["StoreProviderKey"]
    provider: str
    key: str


Command = Union[
    SendInputCommand,
    CancelTurnCommand,
    AnswerPermissionCommand,
    CreateSessionCommand,
    AttachSessionCommand,
    DetachSessionCommand,
    SetModelCommand,
    EnterPlanModeCommand,
    ExitPlanModeCommand,
    CustomCommandCommand,
    EndSessionCommand,
    BranchSessionCommand,
    PinSessionCommand,
    CompactSessionCommand,
    RewindSessionCommand,
    WithdrawInputCommand,
    RevokeRuleCommand,
    PromoteRuleCommand,
    SwitchProfileCommand,
    ReloadSkillsCommand,
    ManageMcpCommand,
    StopTaskCommand,
    AnswerCommand,
    ExportSessionCommand,
    DismissExpiringCommand,
    MuteSessionCommand,
    RenameSessionCommand,
    ArchiveSessionCommand,
    DeleteSessionCommand,
    MarkReadCommand,
    SetDraftCommand,
    SetLevelCommand,
    EditInputCommand,
    MoveInputCommand,
    RunShellCommand,
    StopShellCommand,
    StopAgentCommand,
    SteerAgentCommand,
    StoreProviderKeyCommand,
]


class Accepted(TypedDict, total=False):
    sessionId: SessionId
    inputId: InputId
    result: Any


class AttachmentInfo(TypedDict):
    attachment: str
    name: str
    media_type: str
    bytes: int


_TextDeltaEventPayloadRequired = TypedDict("_TextDeltaEventPayloadRequired", {
    "text": str,
})


class TextDeltaEventPayload(_TextDeltaEventPayloadRequired, total=False):
    index: int


_TextDeltaEventRequired = TypedDict("_TextDeltaEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TextDelta"],
    "payload": TextDeltaEventPayload,
})


class TextDeltaEvent(_TextDeltaEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_ThinkingDeltaEventPayloadBlockRequired = TypedDict("_ThinkingDeltaEventPayloadBlockRequired", {
    "type": Literal["thinking"],
    "text": str,
})


class ThinkingDeltaEventPayloadBlock(_ThinkingDeltaEventPayloadBlockRequired, total=False):
    family: str


_ThinkingDeltaEventPayloadRequired = TypedDict("_ThinkingDeltaEventPayloadRequired", {
    "block": ThinkingDeltaEventPayloadBlock,
})


class ThinkingDeltaEventPayload(_ThinkingDeltaEventPayloadRequired, total=False):
    index: int


_ThinkingDeltaEventRequired = TypedDict("_ThinkingDeltaEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ThinkingDelta"],
    "payload": ThinkingDeltaEventPayload,
})


class ThinkingDeltaEvent(_ThinkingDeltaEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_ToolCallStartedEventPayloadPreviewRequired = TypedDict("_ToolCallStartedEventPayloadPreviewRequired", {
    "path": str,
    "new": str,
})


class ToolCallStartedEventPayloadPreview(_ToolCallStartedEventPayloadPreviewRequired, total=False):
    old: str
    all: str
    each: str


_ToolCallStartedEventPayloadRequired = TypedDict("_ToolCallStartedEventPayloadRequired", {
    "callId": CallId,
    "tool": str,
    "args": Any,
    "mutating": bool,
})


class ToolCallStartedEventPayload(_ToolCallStartedEventPayloadRequired, total=False):
    toolKind: Literal["read", "edit", "search", "execute", "fetch", "think", "switch_mode", "other"]
    preview: ToolCallStartedEventPayloadPreview
    by: Literal["user"]
    shell: Literal[True]
    toModel: bool


_ToolCallStartedEventRequired = TypedDict("_ToolCallStartedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ToolCallStarted"],
    "payload": ToolCallStartedEventPayload,
})


class ToolCallStartedEvent(_ToolCallStartedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_ToolCallProgressEventPayloadRequired = TypedDict("_ToolCallProgressEventPayloadRequired", {
    "callId": CallId,
    "partial": str,
})


class ToolCallProgressEventPayload(_ToolCallProgressEventPayloadRequired, total=False):
    tail: str
    bytes: int
    lines: int
    elapsedMs: int


_ToolCallProgressEventRequired = TypedDict("_ToolCallProgressEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ToolCallProgress"],
    "payload": ToolCallProgressEventPayload,
})


class ToolCallProgressEvent(_ToolCallProgressEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_ToolArgsDeltaEventPayloadRequired = TypedDict("_ToolArgsDeltaEventPayloadRequired", {
    "callId": CallId,
    "tool": str,
    "text": str,
    "offset": int,
})


class ToolArgsDeltaEventPayload(_ToolArgsDeltaEventPayloadRequired, total=False):
    index: int
    cut: Literal[True]
    void: Literal[True]


_ToolArgsDeltaEventRequired = TypedDict("_ToolArgsDeltaEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ToolArgsDelta"],
    "payload": ToolArgsDeltaEventPayload,
})


class ToolArgsDeltaEvent(_ToolArgsDeltaEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class ToolResultEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class ToolResultEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class ToolResultEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    source: ToolResultEventPayloadContentItemImageSource


class ToolResultEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class ToolResultEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: ToolResultEventPayloadContentItemAudioSource


_ToolResultEventPayloadRequired = TypedDict("_ToolResultEventPayloadRequired", {
    "callId": CallId,
    "content": List[Union[
    ToolResultEventPayloadContentItemText,
    ToolResultEventPayloadContentItemImage,
    ToolResultEventPayloadContentItemAudio,
]],
})


class ToolResultEventPayload(_ToolResultEventPayloadRequired, total=False):
    isError: bool
    by: Literal["user"]
    shell: Literal[True]


_ToolResultEventRequired = TypedDict("_ToolResultEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ToolResult"],
    "payload": ToolResultEventPayload,
})


class ToolResultEvent(_ToolResultEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class TurnStartedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


class TurnStartedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class TurnStartedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class TurnStartedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    source: TurnStartedEventPayloadContentItemImageSource


class TurnStartedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class TurnStartedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: TurnStartedEventPayloadContentItemAudioSource


class TurnStartedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class TurnStartedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    source: TurnStartedEventPayloadContentItemDocumentSource


_TurnStartedEventPayloadRequired = TypedDict("_TurnStartedEventPayloadRequired", {
    "turn": int,
    "originator": ClientId,
})


class TurnStartedEventPayload(_TurnStartedEventPayloadRequired, total=False):
    who: TurnStartedEventPayloadWho
    content: List[Union[
    TurnStartedEventPayloadContentItemText,
    TurnStartedEventPayloadContentItemImage,
    TurnStartedEventPayloadContentItemAudio,
    TurnStartedEventPayloadContentItemDocument,
]]
    inputId: InputId


_TurnStartedEventRequired = TypedDict("_TurnStartedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TurnStarted"],
    "payload": TurnStartedEventPayload,
})


class TurnStartedEvent(_TurnStartedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_TurnEndedEventPayloadErrorRequired = TypedDict("_TurnEndedEventPayloadErrorRequired", {
    "reason": str,
    "message": str,
})


class TurnEndedEventPayloadError(_TurnEndedEventPayloadErrorRequired, total=False):
    details: Dict[str, Any]


class TurnEndedEventPayloadUsage(TypedDict):
    calls: int
    inputTokens: int
    outputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int


_TurnEndedEventPayloadRequired = TypedDict("_TurnEndedEventPayloadRequired", {
    "turn": int,
    "reason": Literal["complete", "yield", "cancelled", "error", "length", "empty", "turn_limit", "time_limit", "budget", "no_progress"],
})


class TurnEndedEventPayload(_TurnEndedEventPayloadRequired, total=False):
    rounds: int
    error: TurnEndedEventPayloadError
    usage: TurnEndedEventPayloadUsage
    usd: Union[float, None]
    files: List[str]


_TurnEndedEventRequired = TypedDict("_TurnEndedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TurnEnded"],
    "payload": TurnEndedEventPayload,
})


class TurnEndedEvent(_TurnEndedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class TurnTimingEventPayloadToolCallsItem(TypedDict):
    callId: CallId
    tool: str
    duration: int


_TurnTimingEventPayloadRequired = TypedDict("_TurnTimingEventPayloadRequired", {
    "turn": int,
    "components": Dict[str, int],
})


class TurnTimingEventPayload(_TurnTimingEventPayloadRequired, total=False):
    toolCalls: List[TurnTimingEventPayloadToolCallsItem]


_TurnTimingEventRequired = TypedDict("_TurnTimingEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TurnTiming"],
    "payload": TurnTimingEventPayload,
})


class TurnTimingEvent(_TurnTimingEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_CompactionTriggeredEventPayloadRequired = TypedDict("_CompactionTriggeredEventPayloadRequired", {
    "beforeTokens": int,
    "afterTokens": int,
})


class CompactionTriggeredEventPayload(_CompactionTriggeredEventPayloadRequired, total=False):
    boundary: int
    tier: int
    trigger: Literal["threshold", "overflow", "command"]


_CompactionTriggeredEventRequired = TypedDict("_CompactionTriggeredEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["CompactionTriggered"],
    "payload": CompactionTriggeredEventPayload,
})


class CompactionTriggeredEvent(_CompactionTriggeredEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class CompactionProgressEventPayload(TypedDict):
    state: Literal["started", "ended"]
    beforeTokens: int
    trigger: Literal["threshold", "overflow", "command"]
    timeoutMs: int


_CompactionProgressEventRequired = TypedDict("_CompactionProgressEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["CompactionProgress"],
    "payload": CompactionProgressEventPayload,
})


class CompactionProgressEvent(_CompactionProgressEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class CostIncrementedEventPayloadCacheMiss(TypedDict):
    cause: Literal["model_changed", "tools_changed", "system_changed", "effort_changed", "history_changed", "expired", "unknown"]
    lostTokens: int


_CostIncrementedEventPayloadRequired = TypedDict("_CostIncrementedEventPayloadRequired", {
    "provider": str,
    "model": str,
    "inputTokens": int,
    "outputTokens": int,
    "usd": Union[float, None],
})


class CostIncrementedEventPayload(_CostIncrementedEventPayloadRequired, total=False):
    cacheReadTokens: int
    cacheWriteTokens: int
    turn: int
    purpose: Literal["summary"]
    cacheMiss: CostIncrementedEventPayloadCacheMiss


_CostIncrementedEventRequired = TypedDict("_CostIncrementedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["CostIncremented"],
    "payload": CostIncrementedEventPayload,
})


class CostIncrementedEvent(_CostIncrementedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class PermissionRequestedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_PermissionRequestedEventPayloadPreviewRequired = TypedDict("_PermissionRequestedEventPayloadPreviewRequired", {
    "path": str,
    "new": str,
})


class PermissionRequestedEventPayloadPreview(_PermissionRequestedEventPayloadPreviewRequired, total=False):
    old: str
    all: str
    each: str


class PermissionRequestedEventPayloadWhyEnds(TypedDict, total=False):
    rule: str
    setting: str


_PermissionRequestedEventPayloadWhyRequired = TypedDict("_PermissionRequestedEventPayloadWhyRequired", {
    "cause": Literal["rule", "deny-rule", "level", "no-rule", "grammar", "network", "setting", "protected", "outside-sandbox", "tool"],
    "text": str,
})


class PermissionRequestedEventPayloadWhy(_PermissionRequestedEventPayloadWhyRequired, total=False):
    ends: PermissionRequestedEventPayloadWhyEnds


class PermissionRequestedEventPayloadPartsItem(TypedDict):
    text: str
    verdict: Literal["allow", "ask", "deny"]
    why: str


class PermissionRequestedEventPayloadHunksItem(TypedDict):
    id: str
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: List[str]


_PermissionRequestedEventPayloadRequired = TypedDict("_PermissionRequestedEventPayloadRequired", {
    "callId": CallId,
    "tool": str,
    "args": Any,
    "originator": ClientId,
    "summary": str,
})


class PermissionRequestedEventPayload(_PermissionRequestedEventPayloadRequired, total=False):
    who: PermissionRequestedEventPayloadWho
    reason: str
    rule: str
    agent: str
    onceOnly: bool
    hosts: List[str]
    diff: str
    toolKind: Literal["read", "edit", "search", "execute", "fetch", "think", "switch_mode", "other"]
    preview: PermissionRequestedEventPayloadPreview
    timeoutMs: int
    onlyUnattended: Literal[True]
    why: PermissionRequestedEventPayloadWhy
    parts: List[PermissionRequestedEventPayloadPartsItem]
    prefixes: List[str]
    hunks: List[PermissionRequestedEventPayloadHunksItem]


_PermissionRequestedEventRequired = TypedDict("_PermissionRequestedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["PermissionRequested"],
    "payload": PermissionRequestedEventPayload,
})


class PermissionRequestedEvent(_PermissionRequestedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class PermissionAnsweredEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_PermissionAnsweredEventPayloadRequired = TypedDict("_PermissionAnsweredEventPayloadRequired", {
    "callId": CallId,
    "decision": Literal["allow", "deny"],
    "counted": bool,
})


class PermissionAnsweredEventPayload(_PermissionAnsweredEventPayloadRequired, total=False):
    scope: Literal["once", "argv_glob", "tool"]
    by: ClientId
    who: PermissionAnsweredEventPayloadWho
    rule: str
    hosts: Literal[True]
    hunks: List[str]
    words: str


_PermissionAnsweredEventRequired = TypedDict("_PermissionAnsweredEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["PermissionAnswered"],
    "payload": PermissionAnsweredEventPayload,
})


class PermissionAnsweredEvent(_PermissionAnsweredEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class CancelledEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_CancelledEventPayloadRequired = TypedDict("_CancelledEventPayloadRequired", {
    "turn": int,
    "by": str,
    "reason": str,
})


class CancelledEventPayload(_CancelledEventPayloadRequired, total=False):
    who: CancelledEventPayloadWho


_CancelledEventRequired = TypedDict("_CancelledEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["Cancelled"],
    "payload": CancelledEventPayload,
})


class CancelledEvent(_CancelledEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_ErrorEventPayloadRequired = TypedDict("_ErrorEventPayloadRequired", {
    "reason": str,
    "message": str,
})


class ErrorEventPayload(_ErrorEventPayloadRequired, total=False):
    details: Dict[str, Any]
    severity: Literal["notice"]


_ErrorEventRequired = TypedDict("_ErrorEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["Error"],
    "payload": ErrorEventPayload,
})


class ErrorEvent(_ErrorEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


StreamGapEventPayload = TypedDict("StreamGapEventPayload", {
    "from": int,
    "to": int,
    "reason": Literal["ttl", "compaction", "crash"],
})


_StreamGapEventRequired = TypedDict("_StreamGapEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["StreamGap"],
    "payload": StreamGapEventPayload,
})


class StreamGapEvent(_StreamGapEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class TokenExpiringEventPayload(TypedDict):
    jti: TokenId
    expAt: int


_TokenExpiringEventRequired = TypedDict("_TokenExpiringEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TokenExpiring"],
    "payload": TokenExpiringEventPayload,
})


class TokenExpiringEvent(_TokenExpiringEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class HookTimeoutEventPayload(TypedDict):
    event: str
    command: str
    after: int


_HookTimeoutEventRequired = TypedDict("_HookTimeoutEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["HookTimeout"],
    "payload": HookTimeoutEventPayload,
})


class HookTimeoutEvent(_HookTimeoutEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_HookErrorEventPayloadRequired = TypedDict("_HookErrorEventPayloadRequired", {
    "event": str,
    "command": str,
    "exit_code": int,
})


class HookErrorEventPayload(_HookErrorEventPayloadRequired, total=False):
    output: str


_HookErrorEventRequired = TypedDict("_HookErrorEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["HookError"],
    "payload": HookErrorEventPayload,
})


class HookErrorEvent(_HookErrorEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class MCPServerDownEventPayload(TypedDict):
    name: str
    reason: str
    attempts: int


_MCPServerDownEventRequired = TypedDict("_MCPServerDownEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["MCPServerDown"],
    "payload": MCPServerDownEventPayload,
})


class MCPServerDownEvent(_MCPServerDownEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class SkillRegistryChangedEventPayload(TypedDict):
    skills: List[str]


_SkillRegistryChangedEventRequired = TypedDict("_SkillRegistryChangedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["SkillRegistryChanged"],
    "payload": SkillRegistryChangedEventPayload,
})


class SkillRegistryChangedEvent(_SkillRegistryChangedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class SessionEndedEventPayload(TypedDict):
    reason: Literal["idle", "user", "error", "binary-shutdown"]


_SessionEndedEventRequired = TypedDict("_SessionEndedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["SessionEnded"],
    "payload": SessionEndedEventPayload,
})


class SessionEndedEvent(_SessionEndedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class CustomEventEventPayload(TypedDict):
    namespace: str
    kind: str
    payload: Any


_CustomEventEventRequired = TypedDict("_CustomEventEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["CustomEvent"],
    "payload": CustomEventEventPayload,
})


class CustomEventEvent(_CustomEventEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class AskedEventPayloadChoicesItem(TypedDict):
    value: str
    label: str


class AskedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_AskedEventPayloadRequired = TypedDict("_AskedEventPayloadRequired", {
    "askId": AskId,
    "about": Literal["trust", "orphan", "plan", "elicitation", "token-code", "outside-sandbox", "rewind"],
    "text": str,
})


class AskedEventPayload(_AskedEventPayloadRequired, total=False):
    choices: List[AskedEventPayloadChoicesItem]
    words: bool
    noteFor: str
    details: Dict[str, Any]
    originator: ClientId
    who: AskedEventPayloadWho
    timeoutMs: int
    onlyUnattended: Literal[True]


_AskedEventRequired = TypedDict("_AskedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["Asked"],
    "payload": AskedEventPayload,
})


class AskedEvent(_AskedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class AnsweredEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_AnsweredEventPayloadRequired = TypedDict("_AnsweredEventPayloadRequired", {
    "askId": AskId,
    "answer": Any,
})


class AnsweredEventPayload(_AnsweredEventPayloadRequired, total=False):
    by: ClientId
    who: AnsweredEventPayloadWho


_AnsweredEventRequired = TypedDict("_AnsweredEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["Answered"],
    "payload": AnsweredEventPayload,
})


class AnsweredEvent(_AnsweredEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class InputQueuedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class InputQueuedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputQueuedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    source: InputQueuedEventPayloadContentItemImageSource


class InputQueuedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputQueuedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: InputQueuedEventPayloadContentItemAudioSource


class InputQueuedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputQueuedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    source: InputQueuedEventPayloadContentItemDocumentSource


class InputQueuedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_InputQueuedEventPayloadRequired = TypedDict("_InputQueuedEventPayloadRequired", {
    "inputId": InputId,
    "content": List[Union[
    InputQueuedEventPayloadContentItemText,
    InputQueuedEventPayloadContentItemImage,
    InputQueuedEventPayloadContentItemAudio,
    InputQueuedEventPayloadContentItemDocument,
]],
    "delivery": Literal["queue", "steer"],
    "originator": ClientId,
})


class InputQueuedEventPayload(_InputQueuedEventPayloadRequired, total=False):
    who: InputQueuedEventPayloadWho
    skill: str
    agent: str


_InputQueuedEventRequired = TypedDict("_InputQueuedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["InputQueued"],
    "payload": InputQueuedEventPayload,
})


class InputQueuedEvent(_InputQueuedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class InputWithdrawnEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_InputWithdrawnEventPayloadRequired = TypedDict("_InputWithdrawnEventPayloadRequired", {
    "inputId": InputId,
})


class InputWithdrawnEventPayload(_InputWithdrawnEventPayloadRequired, total=False):
    by: ClientId
    who: InputWithdrawnEventPayloadWho


_InputWithdrawnEventRequired = TypedDict("_InputWithdrawnEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["InputWithdrawn"],
    "payload": InputWithdrawnEventPayload,
})


class InputWithdrawnEvent(_InputWithdrawnEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_CheckpointMadeEventPayloadRequired = TypedDict("_CheckpointMadeEventPayloadRequired", {
    "turn": int,
    "files": int,
})


class CheckpointMadeEventPayload(_CheckpointMadeEventPayloadRequired, total=False):
    notRestorable: List[str]


_CheckpointMadeEventRequired = TypedDict("_CheckpointMadeEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["CheckpointMade"],
    "payload": CheckpointMadeEventPayload,
})


class CheckpointMadeEvent(_CheckpointMadeEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_TaskChangedEventPayloadRequired = TypedDict("_TaskChangedEventPayloadRequired", {
    "taskId": TaskId,
    "what": str,
    "state": Literal["running", "done", "failed", "stopped"],
})


class TaskChangedEventPayload(_TaskChangedEventPayloadRequired, total=False):
    detail: str


_TaskChangedEventRequired = TypedDict("_TaskChangedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TaskChanged"],
    "payload": TaskChangedEventPayload,
})


class TaskChangedEvent(_TaskChangedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_TodoChangedEventPayloadItemsItemRequired = TypedDict("_TodoChangedEventPayloadItemsItemRequired", {
    "content": str,
    "status": Literal["pending", "in_progress", "completed"],
})


class TodoChangedEventPayloadItemsItem(_TodoChangedEventPayloadItemsItemRequired, total=False):
    activeForm: str


class TodoChangedEventPayload(TypedDict):
    items: List[TodoChangedEventPayloadItemsItem]


_TodoChangedEventRequired = TypedDict("_TodoChangedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["TodoChanged"],
    "payload": TodoChangedEventPayload,
})


class TodoChangedEvent(_TodoChangedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


_MemoryWrittenEventPayloadRequired = TypedDict("_MemoryWrittenEventPayloadRequired", {
    "name": str,
    "type": str,
    "description": str,
})


class MemoryWrittenEventPayload(_MemoryWrittenEventPayloadRequired, total=False):
    removed: bool


_MemoryWrittenEventRequired = TypedDict("_MemoryWrittenEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["MemoryWritten"],
    "payload": MemoryWrittenEventPayload,
})


class MemoryWrittenEvent(_MemoryWrittenEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class ProfileSwitchedEventPayloadSpentBefore(TypedDict):
    usd: float
    unknownCalls: int
    inputTokens: int
    outputTokens: int


_ProfileSwitchedEventPayloadRequired = TypedDict("_ProfileSwitchedEventPayloadRequired", {
    "from": str,
    "to": str,
})


class ProfileSwitchedEventPayload(_ProfileSwitchedEventPayloadRequired, total=False):
    logId: LogId
    next: SessionId
    previous: SessionId
    inPlace: bool
    spentBefore: ProfileSwitchedEventPayloadSpentBefore


_ProfileSwitchedEventRequired = TypedDict("_ProfileSwitchedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ProfileSwitched"],
    "payload": ProfileSwitchedEventPayload,
})


class ProfileSwitchedEvent(_ProfileSwitchedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class ModelChangedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_ModelChangedEventPayloadRequired = TypedDict("_ModelChangedEventPayloadRequired", {
    "model": str,
})


class ModelChangedEventPayload(_ModelChangedEventPayloadRequired, total=False):
    previous: str
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    by: ClientId
    who: ModelChangedEventPayloadWho


_ModelChangedEventRequired = TypedDict("_ModelChangedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["ModelChanged"],
    "payload": ModelChangedEventPayload,
})


class ModelChangedEvent(_ModelChangedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class RuleRevokedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_RuleRevokedEventPayloadRequired = TypedDict("_RuleRevokedEventPayloadRequired", {
    "rule": str,
})


class RuleRevokedEventPayload(_RuleRevokedEventPayloadRequired, total=False):
    by: ClientId
    who: RuleRevokedEventPayloadWho


_RuleRevokedEventRequired = TypedDict("_RuleRevokedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["RuleRevoked"],
    "payload": RuleRevokedEventPayload,
})


class RuleRevokedEvent(_RuleRevokedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class RulePromotedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_RulePromotedEventPayloadRequired = TypedDict("_RulePromotedEventPayloadRequired", {
    "rule": str,
    "profile": str,
    "path": str,
})


class RulePromotedEventPayload(_RulePromotedEventPayloadRequired, total=False):
    directory: str
    by: ClientId
    who: RulePromotedEventPayloadWho


_RulePromotedEventRequired = TypedDict("_RulePromotedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["RulePromoted"],
    "payload": RulePromotedEventPayload,
})


class RulePromotedEvent(_RulePromotedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class SessionRenamedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_SessionRenamedEventPayloadRequired = TypedDict("_SessionRenamedEventPayloadRequired", {
    "title": str,
})


class SessionRenamedEventPayload(_SessionRenamedEventPayloadRequired, total=False):
    by: ClientId
    who: SessionRenamedEventPayloadWho


_SessionRenamedEventRequired = TypedDict("_SessionRenamedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["SessionRenamed"],
    "payload": SessionRenamedEventPayload,
})


class SessionRenamedEvent(_SessionRenamedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class LevelChangedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_LevelChangedEventPayloadRequired = TypedDict("_LevelChangedEventPayloadRequired", {
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
})


class LevelChangedEventPayload(_LevelChangedEventPayloadRequired, total=False):
    by: ClientId
    who: LevelChangedEventPayloadWho


_LevelChangedEventRequired = TypedDict("_LevelChangedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["LevelChanged"],
    "payload": LevelChangedEventPayload,
})


class LevelChangedEvent(_LevelChangedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class InputEditedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    text: str


class InputEditedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputEditedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    source: InputEditedEventPayloadContentItemImageSource


class InputEditedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputEditedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    source: InputEditedEventPayloadContentItemAudioSource


class InputEditedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    media_type: str
    data: str


class InputEditedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    source: InputEditedEventPayloadContentItemDocumentSource


class InputEditedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_InputEditedEventPayloadRequired = TypedDict("_InputEditedEventPayloadRequired", {
    "inputId": InputId,
    "content": List[Union[
    InputEditedEventPayloadContentItemText,
    InputEditedEventPayloadContentItemImage,
    InputEditedEventPayloadContentItemAudio,
    InputEditedEventPayloadContentItemDocument,
]],
})


class InputEditedEventPayload(_InputEditedEventPayloadRequired, total=False):
    by: ClientId
    who: InputEditedEventPayloadWho


_InputEditedEventRequired = TypedDict("_InputEditedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["InputEdited"],
    "payload": InputEditedEventPayload,
})


class InputEditedEvent(_InputEditedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


class InputMovedEventPayloadWho(TypedDict):
    label: str
    identityClass: Literal["human", "agent"]


_InputMovedEventPayloadRequired = TypedDict("_InputMovedEventPayloadRequired", {
    "inputId": InputId,
})


class InputMovedEventPayload(_InputMovedEventPayloadRequired, total=False):
    before: InputId
    by: ClientId
    who: InputMovedEventPayloadWho


_InputMovedEventRequired = TypedDict("_InputMovedEventRequired", {
    "id": int,
    "session": SessionId,
    "ts": str,
    "kind": Literal["InputMoved"],
    "payload": InputMovedEventPayload,
})


class InputMovedEvent(_InputMovedEventRequired, total=False):
    originator: ClientId
    parentCall: CallId
    aside: Literal[True]


Envelope = Union[
    TextDeltaEvent,
    ThinkingDeltaEvent,
    ToolCallStartedEvent,
    ToolCallProgressEvent,
    ToolArgsDeltaEvent,
    ToolResultEvent,
    TurnStartedEvent,
    TurnEndedEvent,
    TurnTimingEvent,
    CompactionTriggeredEvent,
    CompactionProgressEvent,
    CostIncrementedEvent,
    PermissionRequestedEvent,
    PermissionAnsweredEvent,
    CancelledEvent,
    ErrorEvent,
    StreamGapEvent,
    TokenExpiringEvent,
    HookTimeoutEvent,
    HookErrorEvent,
    MCPServerDownEvent,
    SkillRegistryChangedEvent,
    SessionEndedEvent,
    CustomEventEvent,
    AskedEvent,
    AnsweredEvent,
    InputQueuedEvent,
    InputWithdrawnEvent,
    CheckpointMadeEvent,
    TaskChangedEvent,
    TodoChangedEvent,
    MemoryWrittenEvent,
    ProfileSwitchedEvent,
    ModelChangedEvent,
    RuleRevokedEvent,
    RulePromotedEvent,
    SessionRenamedEvent,
    LevelChangedEvent,
    InputEditedEvent,
    InputMovedEvent,
]


class FollowingClient(TypedDict):
    id: ClientId
    label: str
    identity_class: Literal["human", "agent"]


_SessionInfoBranchOfRequired = TypedDict("_SessionInfoBranchOfRequired", {
    "log": LogId,
    "event": int,
})


class SessionInfoBranchOf(_SessionInfoBranchOfRequired, total=False):
    session: SessionId


_SessionInfoRequired = TypedDict("_SessionInfoRequired", {
    "session": SessionId,
    "log": LogId,
    "status": Literal["running", "interrupted", "paused"],
    "live": bool,
    "title": str,
    "profile": str,
    "model": str,
    "turns": int,
    "events": int,
    "created_at": str,
    "updated_at": str,
    "working_dir": str,
    "pinned": bool,
})


class SessionInfo(_SessionInfoRequired, total=False):
    state: Literal["running", "waiting", "idle"]
    renamed: bool
    archived: bool
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    plan_mode: bool
    unread: int
    cost_usd: Union[float, None]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    context_tokens: int
    context_window: int
    questions: int
    queued: int
    reserved: int
    asked_since: int
    branch_of: SessionInfoBranchOf
    attached_by: List[str]
    clients: List[FollowingClient]
    expires_in_days: int
    last_text: str


class SessionChangedNews(TypedDict):
    kind: Literal["SessionChanged"]
    session: SessionId
    info: SessionInfo


class SessionGoneNews(TypedDict):
    kind: Literal["SessionGone"]
    session: SessionId
    log: LogId


class NewsReadyNews(TypedDict):
    kind: Literal["NewsReady"]


NewsItem = Union[
    SessionChangedNews,
    SessionGoneNews,
    NewsReadyNews,
]


_HandshakeRequired = TypedDict("_HandshakeRequired", {
    "protocol_version": str,
    "canonical_form_version": int,
    "schema_version_token_claim": int,
    "schema_version_profile": int,
    "schema_version_session_log": int,
    "command_kinds": List[str],
    "event_kinds": List[str],
    "features": List[str],
    "resource_uri_scheme": str,
})


class Handshake(_HandshakeRequired, total=False):
    query_kinds: List[str]


class AgentInfo(TypedDict):
    name: str
    description: str


class CacheInfo(TypedDict):
    name: str
    entries: int
    bytes: int
    hits: int
    misses: int
    evictions: int


_McpServerInfoRequired = TypedDict("_McpServerInfoRequired", {
    "name": str,
    "state": Literal["stopped", "starting", "running", "degraded"],
    "tools": int,
})


class McpServerInfo(_McpServerInfoRequired, total=False):
    sessions: List[SessionId]


_EngineHealthKeyHelperRequired = TypedDict("_EngineHealthKeyHelperRequired", {
    "state": Literal["none", "starting", "working", "restarting", "failed"],
})


class EngineHealthKeyHelper(_EngineHealthKeyHelperRequired, total=False):
    failures: int


_EngineHealthDatabaseRequired = TypedDict("_EngineHealthDatabaseRequired", {
    "path": str,
})


class EngineHealthDatabase(_EngineHealthDatabaseRequired, total=False):
    bytes: int


_EngineHealthNotifyRequired = TypedDict("_EngineHealthNotifyRequired", {
    "state": Literal["working", "failing"],
    "sent": int,
    "failed": int,
    "dropped": int,
})


class EngineHealthNotify(_EngineHealthNotifyRequired, total=False):
    problem: str


_EngineHealthRequired = TypedDict("_EngineHealthRequired", {
    "version": str,
    "pid": int,
    "sessions": int,
    "key_helper": EngineHealthKeyHelper,
    "database": EngineHealthDatabase,
    "mcp_servers": List[McpServerInfo],
    "listening": List[str],
})


class EngineHealth(_EngineHealthRequired, total=False):
    machine_key: str
    allowed_origins: List[str]
    notify: EngineHealthNotify


_ErrorBodyRequired = TypedDict("_ErrorBodyRequired", {
    "reason": str,
    "message": str,
})


class ErrorBody(_ErrorBodyRequired, total=False):
    details: Dict[str, Any]


class Health(TypedDict):
    status: Literal["ok", "starting", "stopping"]
    protocol_version: str


_PriceInfoRequired = TypedDict("_PriceInfoRequired", {
    "input": float,
    "output": float,
})


class PriceInfo(_PriceInfoRequired, total=False):
    cache_read: float
    cache_write: float


_ModelInfoRequired = TypedDict("_ModelInfoRequired", {
    "id": str,
})


class ModelInfo(_ModelInfoRequired, total=False):
    name: str
    context_tokens: int
    output_tokens_max: int
    accepts: List[Literal["text", "image", "audio", "pdf"]]
    thinking: bool
    efforts: List[Literal["off", "low", "medium", "high", "xhigh", "max"]]
    price: PriceInfo


_ModelPriceInfoLongRequired = TypedDict("_ModelPriceInfoLongRequired", {
    "input": float,
    "output": float,
    "above_tokens": int,
})


class ModelPriceInfoLong(_ModelPriceInfoLongRequired, total=False):
    cache_read: float
    cache_write: float


_ModelPriceInfoRequired = TypedDict("_ModelPriceInfoRequired", {
    "input": float,
    "output": float,
})


class ModelPriceInfo(_ModelPriceInfoRequired, total=False):
    cache_read: float
    cache_write: float
    long: ModelPriceInfoLong


_ProfileInfoMcpServersItemRequired = TypedDict("_ProfileInfoMcpServersItemRequired", {
    "name": str,
    "transport": Literal["stdio", "http", "sse"],
    "pinned": bool,
})


class ProfileInfoMcpServersItem(_ProfileInfoMcpServersItemRequired, total=False):
    discovery: Literal["eager", "lazy"]


class ProfileInfoPermissionsRulesItem(TypedDict):
    effect: Literal["allow", "ask", "deny"]
    rule: str


_ProfileInfoPermissionsRequired = TypedDict("_ProfileInfoPermissionsRequired", {
    "rules": List[ProfileInfoPermissionsRulesItem],
})


class ProfileInfoPermissions(_ProfileInfoPermissionsRequired, total=False):
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    strict: bool


_ProfileInfoRequired = TypedDict("_ProfileInfoRequired", {
    "name": str,
    "source": Literal["embedded", "user"],
})


class ProfileInfo(_ProfileInfoRequired, total=False):
    default_model: str
    context_sources: List[str]
    tool_packs: List[str]
    skill_packs: List[str]
    mcp_servers: List[ProfileInfoMcpServersItem]
    plugins: List[str]
    permissions: ProfileInfoPermissions
    allow_project_hooks: bool


_ProviderInfoRequired = TypedDict("_ProviderInfoRequired", {
    "name": str,
    "configured": bool,
})


class ProviderInfo(_ProviderInfoRequired, total=False):
    models: List[ModelInfo]
    error: str


class RuntimeInfoCaches(TypedDict):
    bytes: int
    bytes_max: int
    each: List[CacheInfo]


_RuntimeInfoRequired = TypedDict("_RuntimeInfoRequired", {
    "version": str,
    "protocol_version": str,
    "engine": str,
})


class RuntimeInfo(_RuntimeInfoRequired, total=False):
    pid: int
    started_at: str
    sessions: int
    caches: RuntimeInfoCaches


_SessionDetailBranchOfRequired = TypedDict("_SessionDetailBranchOfRequired", {
    "log": LogId,
    "event": int,
})


class SessionDetailBranchOf(_SessionDetailBranchOfRequired, total=False):
    session: SessionId


_SessionDetailRequired = TypedDict("_SessionDetailRequired", {
    "session": SessionId,
    "log": LogId,
    "status": Literal["running", "interrupted", "paused"],
    "live": bool,
    "title": str,
    "profile": str,
    "model": str,
    "turns": int,
    "events": int,
    "created_at": str,
    "updated_at": str,
    "working_dir": str,
    "pinned": bool,
    "last_events": List[Envelope],
})


class SessionDetail(_SessionDetailRequired, total=False):
    state: Literal["running", "waiting", "idle"]
    renamed: bool
    archived: bool
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    plan_mode: bool
    unread: int
    cost_usd: Union[float, None]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    context_tokens: int
    context_window: int
    questions: int
    queued: int
    reserved: int
    asked_since: int
    branch_of: SessionDetailBranchOf
    attached_by: List[str]
    clients: List[FollowingClient]
    expires_in_days: int
    last_text: str


class SessionProfileToolsItem(TypedDict):
    name: str
    source: str


class SessionProfile(TypedDict):
    profile: str
    reference: str
    path: str
    source: Literal["embedded", "user"]
    model: str
    skills: List[str]
    mcp_servers: List[McpServerInfo]
    tools: List[SessionProfileToolsItem]


_SkillInfoRequired = TypedDict("_SkillInfoRequired", {
    "name": str,
    "description": str,
    "source": str,
})


class SkillInfo(_SkillInfoRequired, total=False):
    path: str


_SkillTextRequired = TypedDict("_SkillTextRequired", {
    "name": str,
    "description": str,
    "source": str,
    "text": str,
})


class SkillText(_SkillTextRequired, total=False):
    path: str
    fields: Dict[str, Any]


_SlashCommandInfoStandsForFieldsValue1Required = TypedDict("_SlashCommandInfoStandsForFieldsValue1Required", {
    "from": Literal["session"],
})


class SlashCommandInfoStandsForFieldsValue1(_SlashCommandInfoStandsForFieldsValue1Required, total=False):
    unless: List[str]


_SlashCommandInfoStandsForFieldsValue2Required = TypedDict("_SlashCommandInfoStandsForFieldsValue2Required", {
    "from": Literal["word"],
    "at": int,
})


class SlashCommandInfoStandsForFieldsValue2(_SlashCommandInfoStandsForFieldsValue2Required, total=False):
    optional: bool


SlashCommandInfoStandsForFieldsValue3 = TypedDict("SlashCommandInfoStandsForFieldsValue3", {
    "from": Literal["find"],
    "at": int,
})


SlashCommandInfoStandsForFieldsValue4 = TypedDict("SlashCommandInfoStandsForFieldsValue4", {
    "from": Literal["rest"],
})


SlashCommandInfoStandsForFieldsValue5 = TypedDict("SlashCommandInfoStandsForFieldsValue5", {
    "from": Literal["flag"],
    "words": List[str],
})


_SlashCommandInfoStandsForFieldsValue6Required = TypedDict("_SlashCommandInfoStandsForFieldsValue6Required", {
    "from": Literal["option"],
    "words": List[str],
})


class SlashCommandInfoStandsForFieldsValue6(_SlashCommandInfoStandsForFieldsValue6Required, total=False):
    same: Dict[str, str]


SlashCommandInfoStandsForFieldsValue7 = TypedDict("SlashCommandInfoStandsForFieldsValue7", {
    "from": Literal["value"],
    "value": Any,
})


_SlashCommandInfoStandsForShows1Required = TypedDict("_SlashCommandInfoStandsForShows1Required", {
    "as": Literal["text"],
    "text": str,
})


class SlashCommandInfoStandsForShows1(_SlashCommandInfoStandsForShows1Required, total=False):
    none: str


class SlashCommandInfoStandsForShows2Mark(TypedDict):
    field: str
    key: str


_SlashCommandInfoStandsForShows2Required = TypedDict("_SlashCommandInfoStandsForShows2Required", {
    "as": Literal["list"],
    "field": str,
    "line": str,
    "none": str,
})


class SlashCommandInfoStandsForShows2(_SlashCommandInfoStandsForShows2Required, total=False):
    words: Dict[str, str]
    notes: str
    after: str
    mark: SlashCommandInfoStandsForShows2Mark


class SlashCommandInfoStandsForShows3ColumnsItem(TypedDict):
    head: str
    cell: str


SlashCommandInfoStandsForShows3 = TypedDict("SlashCommandInfoStandsForShows3", {
    "as": Literal["table"],
    "field": str,
    "columns": List[SlashCommandInfoStandsForShows3ColumnsItem],
    "none": str,
})


SlashCommandInfoStandsForShows4 = TypedDict("SlashCommandInfoStandsForShows4", {
    "as": Literal["sessions"],
    "none": str,
})


SlashCommandInfoStandsForShows5 = TypedDict("SlashCommandInfoStandsForShows5", {
    "as": Literal["profile"],
})


SlashCommandInfoStandsForShows6 = TypedDict("SlashCommandInfoStandsForShows6", {
    "as": Literal["health"],
})


class SlashCommandInfoStandsFor(TypedDict, total=False):
    query: str
    command: str
    fields: Dict[str, Union[
    SlashCommandInfoStandsForFieldsValue1,
    SlashCommandInfoStandsForFieldsValue2,
    SlashCommandInfoStandsForFieldsValue3,
    SlashCommandInfoStandsForFieldsValue4,
    SlashCommandInfoStandsForFieldsValue5,
    SlashCommandInfoStandsForFieldsValue6,
    SlashCommandInfoStandsForFieldsValue7,
]]
    shows: Union[
    SlashCommandInfoStandsForShows1,
    SlashCommandInfoStandsForShows2,
    SlashCommandInfoStandsForShows3,
    SlashCommandInfoStandsForShows4,
    SlashCommandInfoStandsForShows5,
    SlashCommandInfoStandsForShows6,
]


_SlashCommandInfoRequired = TypedDict("_SlashCommandInfoRequired", {
    "name": str,
    "usage": str,
    "help": str,
    "command": str,
})


class SlashCommandInfo(_SlashCommandInfoRequired, total=False):
    alias_of: str
    namespace: str
    description: str
    args_help: str
    args_schema: Dict[str, Any]
    aliases: List[str]
    takes_text: bool
    stands_for: SlashCommandInfoStandsFor
    is_builtin: bool


_TaskInfoRequired = TypedDict("_TaskInfoRequired", {
    "task": TaskId,
    "what": str,
    "state": Literal["running", "done", "failed", "stopped"],
    "updated_at": str,
})


class TaskInfo(_TaskInfoRequired, total=False):
    detail: str


_ToolInfoRequired = TypedDict("_ToolInfoRequired", {
    "name": str,
    "description": str,
    "input_schema": Dict[str, Any],
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
    "mutating": bool,
    "lazy": bool,
    "source": str,
})


class ToolInfo(_ToolInfoRequired, total=False):
    spelled: str
    person_only: str


class UsageInfo(TypedDict):
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class TurnAnswerError(TypedDict):
    reason: str
    message: str


_TurnAnswerRequired = TypedDict("_TurnAnswerRequired", {
    "text": str,
    "reason": str,
    "turns": int,
    "cost_usd": Union[float, None],
    "tools_used": List[str],
})


class TurnAnswer(_TurnAnswerRequired, total=False):
    usage: UsageInfo
    refused: int
    error: TurnAnswerError
    events: List[Any]


class ListSessionsQuery(TypedDict, total=False):
    past: bool
    sessionId: SessionId
    limit: int
    text: str
    state: Literal["running", "waiting", "idle"]
    archived: Literal["without", "with", "only"]
    before: str
    reader: str
    previews: bool


_ListSessionsResultRequired = TypedDict("_ListSessionsResultRequired", {
    "sessions": List[SessionInfo],
})


class ListSessionsResult(_ListSessionsResultRequired, total=False):
    more: bool
    cursor: str


_GetSessionQueryRequired = TypedDict("_GetSessionQueryRequired", {
    "sessionId": SessionId,
})


class GetSessionQuery(_GetSessionQueryRequired, total=False):
    last: int
    reader: str
    previews: bool


class ListTasksQuery(TypedDict):
    sessionId: SessionId


class ListTasksResult(TypedDict):
    tasks: List[TaskInfo]


class GetHealthQuery(TypedDict):
    pass


class GetRuntimeQuery(TypedDict):
    pass


class ListProfilesQuery(TypedDict, total=False):
    sessionId: SessionId


_ListProfilesResultRequired = TypedDict("_ListProfilesResultRequired", {
    "profiles": List[ProfileInfo],
})


class ListProfilesResult(_ListProfilesResultRequired, total=False):
    current: str


class GetProfileQuery(TypedDict):
    name: str


class ListProvidersQuery(TypedDict, total=False):
    models: bool


class ListProvidersResult(TypedDict):
    providers: List[ProviderInfo]


class ListModelsQuery(TypedDict):
    provider: str


class ListModelsResult(TypedDict):
    models: List[ModelInfo]


class ListToolsQuery(TypedDict, total=False):
    sessionId: SessionId


class ListToolsResult(TypedDict):
    tools: List[ToolInfo]


class ListSkillsQuery(TypedDict, total=False):
    sessionId: SessionId


_ListSkillsResultRequired = TypedDict("_ListSkillsResultRequired", {
    "skills": List[SkillInfo],
})


class ListSkillsResult(_ListSkillsResultRequired, total=False):
    notices: List[str]


class GetSkillQuery(TypedDict):
    name: str


class ListSlashCommandsQuery(TypedDict, total=False):
    sessionId: SessionId


_ListSlashCommandsResultRequired = TypedDict("_ListSlashCommandsResultRequired", {
    "slash_commands": List[SlashCommandInfo],
})


class ListSlashCommandsResult(_ListSlashCommandsResultRequired, total=False):
    alias_problems: List[str]


class ListMcpServersQuery(TypedDict, total=False):
    sessionId: SessionId


class ListMcpServersResult(TypedDict):
    servers: List[McpServerInfo]


_FindSessionQueryRequired = TypedDict("_FindSessionQueryRequired", {
    "text": str,
})


class FindSessionQuery(_FindSessionQueryRequired, total=False):
    sessionId: SessionId


class GetSessionProfileQuery(TypedDict):
    sessionId: SessionId


class CheckProfileQuery(TypedDict):
    sessionId: SessionId
    profile: str


class CheckProfileResult(TypedDict):
    profile: str
    path: str


class ListAgentsQuery(TypedDict):
    sessionId: SessionId


class ListAgentsResult(TypedDict):
    agents: List[AgentInfo]


_ExpandPromptQueryRequired = TypedDict("_ExpandPromptQueryRequired", {
    "sessionId": SessionId,
    "name": str,
})


class ExpandPromptQuery(_ExpandPromptQueryRequired, total=False):
    args: List[str]
    unclosed: str
    text: str


class ExpandPromptResult(TypedDict):
    prompt: str


_ExpandMcpPromptQueryRequired = TypedDict("_ExpandMcpPromptQueryRequired", {
    "sessionId": SessionId,
    "name": str,
})


class ExpandMcpPromptQuery(_ExpandMcpPromptQueryRequired, total=False):
    args: List[str]
    unclosed: str


class ExpandMcpPromptResult(TypedDict):
    prompt: str


class ListPricesQuery(TypedDict):
    models: List[str]


class ListPricesResult(TypedDict):
    prices: Dict[str, Union[ModelPriceInfo, None]]


class GetEngineHealthQuery(TypedDict):
    pass


class GetWebClientQuery(TypedDict):
    pass


class GetWebClientResult(TypedDict, total=False):
    url: str


_ListTurnsQueryRequired = TypedDict("_ListTurnsQueryRequired", {
    "sessionId": SessionId,
})


class ListTurnsQuery(_ListTurnsQueryRequired, total=False):
    before: int
    after: int
    limit: int


_ListTurnsResultTurnsItemRequired = TypedDict("_ListTurnsResultTurnsItemRequired", {
    "turn": int,
    "started_at": str,
    "first_event": int,
    "last_event": int,
    "prompt": str,
    "answer": str,
    "rounds": int,
    "calls": int,
    "tools": List[str],
    "files": List[str],
    "cost_usd": Union[float, None],
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
})


class ListTurnsResultTurnsItem(_ListTurnsResultTurnsItemRequired, total=False):
    ended_at: str
    reason: Literal["complete", "yield", "cancelled", "error", "length", "empty", "turn_limit", "time_limit", "budget", "no_progress"]
    error_reason: str
    expired: Literal[True]
    running: Literal[True]
    cut: Literal[True]


class ListTurnsResult(TypedDict):
    turns: List[ListTurnsResultTurnsItem]
    more: bool


_ListItemsQueryRequired = TypedDict("_ListItemsQueryRequired", {
    "sessionId": SessionId,
})


class ListItemsQuery(_ListItemsQueryRequired, total=False):
    turn: int
    before: int
    after: int
    limit: int
    parentCall: CallId


_ListItemsResultItemsItemRequired = TypedDict("_ListItemsResultItemsItemRequired", {
    "event": int,
    "last_event": int,
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    "ts": str,
    "text": str,
    "bytes": int,
})


class ListItemsResultItemsItem(_ListItemsResultItemsItemRequired, total=False):
    turn: int
    tool: str
    call: CallId
    state: Literal["running", "ok", "error", "refused", "cancelled"]
    parent_call: CallId
    children: int
    expired: Literal[True]


_ListItemsResultRequired = TypedDict("_ListItemsResultRequired", {
    "items": List[ListItemsResultItemsItem],
    "more": bool,
})


class ListItemsResult(_ListItemsResultRequired, total=False):
    next: int


class GetItemQuery(TypedDict):
    sessionId: SessionId
    event: int


_GetItemResultItemRequired = TypedDict("_GetItemResultItemRequired", {
    "event": int,
    "last_event": int,
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    "ts": str,
    "text": str,
    "bytes": int,
})


class GetItemResultItem(_GetItemResultItemRequired, total=False):
    turn: int
    tool: str
    call: CallId
    state: Literal["running", "ok", "error", "refused", "cancelled"]
    parent_call: CallId
    children: int
    expired: Literal[True]


_GetItemResultRequired = TypedDict("_GetItemResultRequired", {
    "item": GetItemResultItem,
    "events": List[Envelope],
})


class GetItemResult(_GetItemResultRequired, total=False):
    cut: Literal[True]


_CompleteQueryRequired = TypedDict("_CompleteQueryRequired", {
    "sessionId": SessionId,
    "text": str,
    "cursor": int,
})


class CompleteQuery(_CompleteQueryRequired, total=False):
    limit: int


_CompleteResultItemsItemRequired = TypedDict("_CompleteResultItemsItemRequired", {
    "insert": str,
    "label": str,
    "kind": Literal["file", "folder", "command", "argument", "session", "model", "skill", "agent"],
})


class CompleteResultItemsItem(_CompleteResultItemsItemRequired, total=False):
    detail: str


CompleteResult = TypedDict("CompleteResult", {
    "from": int,
    "to": int,
    "items": List[CompleteResultItemsItem],
    "more": bool,
})


class GetSpendQuery(TypedDict):
    sessionId: SessionId


class GetSpendResultTotal(TypedDict):
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: Union[float, None]
    known_cost_usd: float


_GetSpendResultTurnsItemRequired = TypedDict("_GetSpendResultTurnsItemRequired", {
    "calls": int,
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
    "cost_usd": Union[float, None],
    "known_cost_usd": float,
})


class GetSpendResultTurnsItem(_GetSpendResultTurnsItemRequired, total=False):
    turn: int
    earlier: Literal[True]


_GetSpendResultModelsItemRequired = TypedDict("_GetSpendResultModelsItemRequired", {
    "calls": int,
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
    "cost_usd": Union[float, None],
    "known_cost_usd": float,
})


class GetSpendResultModelsItem(_GetSpendResultModelsItemRequired, total=False):
    model: str
    earlier: Literal[True]


_GetSpendResultAgentsItemRequired = TypedDict("_GetSpendResultAgentsItemRequired", {
    "calls": int,
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
    "cost_usd": Union[float, None],
    "known_cost_usd": float,
})


class GetSpendResultAgentsItem(_GetSpendResultAgentsItemRequired, total=False):
    call: CallId
    tool: str
    earlier: Literal[True]


_GetSpendResultReadsItemRequired = TypedDict("_GetSpendResultReadsItemRequired", {
    "tools": List[str],
    "calls": int,
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
    "cost_usd": Union[float, None],
    "known_cost_usd": float,
})


class GetSpendResultReadsItem(_GetSpendResultReadsItemRequired, total=False):
    prompt: Literal[True]
    summary: Literal[True]
    earlier: Literal[True]


class GetSpendResultCacheMissesItem(TypedDict):
    event: int
    turn: int
    model: str
    cause: Literal["model_changed", "tools_changed", "system_changed", "effort_changed", "history_changed", "expired", "unknown", "compaction"]
    lost_tokens: int


class GetSpendResultBefore(TypedDict):
    known_cost_usd: float
    unpriced_calls: int
    input_tokens: int
    output_tokens: int


_GetSpendResultRequired = TypedDict("_GetSpendResultRequired", {
    "total": GetSpendResultTotal,
    "turns": List[GetSpendResultTurnsItem],
    "models": List[GetSpendResultModelsItem],
    "agents": List[GetSpendResultAgentsItem],
    "reads": List[GetSpendResultReadsItem],
    "cache_misses": List[GetSpendResultCacheMissesItem],
})


class GetSpendResult(_GetSpendResultRequired, total=False):
    before: GetSpendResultBefore


class GetContextQuery(TypedDict):
    sessionId: SessionId


_GetContextResultPartsItemRequired = TypedDict("_GetContextResultPartsItemRequired", {
    "kind": Literal["system", "tools", "messages"],
    "name": str,
    "tokens": int,
})


class GetContextResultPartsItem(_GetContextResultPartsItemRequired, total=False):
    count: int


_GetContextResultRequired = TypedDict("_GetContextResultRequired", {
    "used_tokens": int,
    "parts": List[GetContextResultPartsItem],
})


class GetContextResult(_GetContextResultRequired, total=False):
    model: str
    window_tokens: int
    limit_tokens: int


_GetChangesQueryRequired = TypedDict("_GetChangesQueryRequired", {
    "sessionId": SessionId,
})


class GetChangesQuery(_GetChangesQueryRequired, total=False):
    turn: int
    callId: CallId
    path: str
    context: int


class GetChangesResultFilesItemHunksItem(TypedDict):
    id: str
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: List[str]


_GetChangesResultFilesItemRequired = TypedDict("_GetChangesResultFilesItemRequired", {
    "path": str,
    "kind": Literal["added", "changed", "removed", "renamed"],
    "by": Literal["calls", "both", "unknown"],
    "added": int,
    "removed": int,
    "bytes": int,
})


_GetChangesResultFilesItemOptional = TypedDict("_GetChangesResultFilesItemOptional", {
    "from": str,
    "binary": Literal[True],
    "old_mode": str,
    "mode": str,
    "hunks": List[GetChangesResultFilesItemHunksItem],
    "unified": str,
    "cut": Literal[True],
    "missing": str,
}, total=False)


class GetChangesResultFilesItem(_GetChangesResultFilesItemRequired, _GetChangesResultFilesItemOptional):
    pass


_GetChangesResultRequired = TypedDict("_GetChangesResultRequired", {
    "files": List[GetChangesResultFilesItem],
    "complete": bool,
})


class GetChangesResult(_GetChangesResultRequired, total=False):
    missing: str
    left_out: int


class GetWorkspaceQuery(TypedDict):
    sessionId: SessionId


_GetWorkspaceResultGitRequired = TypedDict("_GetWorkspaceResultGitRequired", {
    "root": str,
})


class GetWorkspaceResultGit(_GetWorkspaceResultGitRequired, total=False):
    branch: str
    head: str
    upstream: str
    ahead: int
    behind: int
    staged: int
    changed: int
    untracked: int
    problem: str


_GetWorkspaceResultRequired = TypedDict("_GetWorkspaceResultRequired", {
    "working_dir": str,
})


class GetWorkspaceResult(_GetWorkspaceResultRequired, total=False):
    git: GetWorkspaceResultGit


class GetDraftQuery(TypedDict):
    sessionId: SessionId
    reader: str


_GetDraftResultRequired = TypedDict("_GetDraftResultRequired", {
    "text": str,
})


class GetDraftResult(_GetDraftResultRequired, total=False):
    ts: str


_SearchSessionsQueryRequired = TypedDict("_SearchSessionsQueryRequired", {
    "text": str,
})


_SearchSessionsQueryOptional = TypedDict("_SearchSessionsQueryOptional", {
    "sessionId": SessionId,
    "workingDir": str,
    "tool": str,
    "file": str,
    "from": str,
    "to": str,
    "limit": int,
    "timeMs": int,
    "cursor": str,
}, total=False)


class SearchSessionsQuery(_SearchSessionsQueryRequired, _SearchSessionsQueryOptional):
    pass


_SearchSessionsResultHitsItemRequired = TypedDict("_SearchSessionsResultHitsItemRequired", {
    "session": SessionId,
    "log": LogId,
    "title": str,
    "event": int,
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    "ts": str,
    "snippet": str,
    "at": List[List[int]],
})


class SearchSessionsResultHitsItem(_SearchSessionsResultHitsItemRequired, total=False):
    turn: int
    tool: str
    parent_call: CallId


class SearchSessionsResultTitlesItem(TypedDict):
    session: SessionId
    log: LogId
    title: str
    at: List[List[int]]


class SearchSessionsResultSearched(TypedDict):
    sessions: int
    events: int
    expired: int
    unreadable: int


_SearchSessionsResultRequired = TypedDict("_SearchSessionsResultRequired", {
    "hits": List[SearchSessionsResultHitsItem],
    "complete": bool,
    "searched": SearchSessionsResultSearched,
})


class SearchSessionsResult(_SearchSessionsResultRequired, total=False):
    titles: List[SearchSessionsResultTitlesItem]
    cursor: str


class ListRulesQuery(TypedDict):
    sessionId: SessionId


_ListRulesResultRulesItemRequired = TypedDict("_ListRulesResultRulesItemRequired", {
    "rule": str,
    "effect": Literal["allow", "ask", "deny"],
    "source": Literal["session", "flag", "user", "plugin", "promoted", "profile", "preset", "project"],
    "revocable": bool,
    "promotable": bool,
})


class ListRulesResultRulesItem(_ListRulesResultRulesItemRequired, total=False):
    directory: str
    ts: str


class ListRulesResult(TypedDict):
    rules: List[ListRulesResultRulesItem]
    more: bool


class ListHooksQuery(TypedDict):
    sessionId: SessionId


_ListHooksResultHooksItemRequired = TypedDict("_ListHooksResultHooksItemRequired", {
    "event": Literal["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Compact", "Stop"],
    "command": str,
    "source": str,
    "timeout_s": float,
})


class ListHooksResultHooksItem(_ListHooksResultHooksItemRequired, total=False):
    matcher: List[str]
    acknowledged: Literal[True]


class ListHooksResult(TypedDict):
    hooks: List[ListHooksResultHooksItem]
    waiting: List[str]
    more: bool


class CreateSessionResult(TypedDict, total=False):
    notices: List[str]


class AttachSessionResult(TypedDict, total=False):
    notices: List[str]


SwitchProfileResult = TypedDict("SwitchProfileResult", {
    "notices": List[str],
    "from": str,
    "to": str,
    "log": LogId,
}, total=False)


class AnswerPermissionResult(TypedDict, total=False):
    counted: bool


class AnswerResult(TypedDict, total=False):
    counted: bool


class SetModelResult(TypedDict, total=False):
    notices: List[str]
    model: str
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]


_SetLevelResultRequired = TypedDict("_SetLevelResultRequired", {
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
})


class SetLevelResult(_SetLevelResultRequired, total=False):
    notices: List[str]


class EnterPlanModeResult(TypedDict):
    planMode: bool


class ExitPlanModeResult(TypedDict):
    planMode: bool


class CompactSessionResult(TypedDict, total=False):
    compacted: bool


class BranchSessionResult(TypedDict):
    log: LogId
    at: int


class ExportSessionResult(TypedDict):
    path: str


class RenameSessionResult(TypedDict):
    title: str


class DismissExpiringResult(TypedDict):
    sessions: int


class PromoteRuleResult(TypedDict, total=False):
    profile: str
    directory: str
    path: str


_RewindSessionResultConversationRequired = TypedDict("_RewindSessionResultConversationRequired", {
    "messages": int,
    "removed": int,
})


class RewindSessionResultConversation(_RewindSessionResultConversationRequired, total=False):
    restored: int


class RewindSessionResultFilesNotRestorableItem(TypedDict):
    path: str
    why: str


class RewindSessionResultFilesCounts(TypedDict):
    restore: int
    remove: int


class RewindSessionResultFilesKeptItem(TypedDict):
    path: str
    why: str


class RewindSessionResultFiles(TypedDict, total=False):
    create: List[str]
    change: List[str]
    mode: List[str]
    remove: List[str]
    contested: List[str]
    foreign: List[str]
    notRestorable: List[RewindSessionResultFilesNotRestorableItem]
    counts: RewindSessionResultFilesCounts
    restored: int
    kept: List[RewindSessionResultFilesKeptItem]


_RewindSessionResultRequired = TypedDict("_RewindSessionResultRequired", {
    "to": int,
    "what": Literal["files", "conversation", "both"],
    "done": bool,
})


class RewindSessionResult(_RewindSessionResultRequired, total=False):
    place: str
    conversation: RewindSessionResultConversation
    files: RewindSessionResultFiles
    token: str
    undo: int


class ReloadSkillsResult(TypedDict, total=False):
    skills: List[str]
    waiting: List[str]
    asks: bool
    text: str


_ManageMcpResultServersItemRequired = TypedDict("_ManageMcpResultServersItemRequired", {
    "name": str,
    "state": Literal["stopped", "starting", "running", "degraded"],
    "tools": int,
})


class ManageMcpResultServersItem(_ManageMcpResultServersItemRequired, total=False):
    sessions: List[SessionId]
    problem: str


_ManageMcpResultToolNamesItemRequired = TypedDict("_ManageMcpResultToolNamesItemRequired", {
    "name": str,
})


class ManageMcpResultToolNamesItem(_ManageMcpResultToolNamesItemRequired, total=False):
    spelled: str


class ManageMcpResult(TypedDict, total=False):
    servers: List[ManageMcpResultServersItem]
    toolNames: List[ManageMcpResultToolNamesItem]
    approved: bool
    text: str


class RunShellResult(TypedDict):
    callId: CallId


class StoreProviderKeyResult(TypedDict):
    provider: str
    replaced: bool
    used: bool
    source: str


class CustomCommandResult(TypedDict, total=False):
    text: str


# Address of each query: {id} in a path is sessionId; {name} the field that "name" says, else name.
QUERY_ROUTES: Dict[str, Dict[str, str]] = {
    "ListSessions": {
        "path": "/v1/sessions"
    },
    "GetSession": {
        "path": "/v1/sessions/{id}"
    },
    "ListTasks": {
        "path": "/v1/sessions/{id}/tasks"
    },
    "GetHealth": {
        "path": "/v1/health"
    },
    "GetRuntime": {
        "path": "/v1/runtime"
    },
    "ListProfiles": {
        "path": "/v1/profiles"
    },
    "GetProfile": {
        "path": "/v1/profiles/{name}"
    },
    "ListProviders": {
        "path": "/v1/providers"
    },
    "ListModels": {
        "path": "/v1/providers/{name}/models",
        "name": "provider"
    },
    "ListTools": {
        "path": "/v1/tools",
        "ofSession": "/v1/sessions/{id}/tools"
    },
    "ListSkills": {
        "path": "/v1/skills"
    },
    "GetSkill": {
        "path": "/v1/skills/{name}"
    },
    "ListSlashCommands": {
        "path": "/v1/slash-commands"
    },
    "ListMcpServers": {
        "path": "/v1/mcp/servers"
    },
    "FindSession": {
        "path": "/v1/find-session"
    },
    "GetSessionProfile": {
        "path": "/v1/sessions/{id}/profile"
    },
    "CheckProfile": {
        "path": "/v1/sessions/{id}/profile-check"
    },
    "ListAgents": {
        "path": "/v1/sessions/{id}/agents"
    },
    "ExpandPrompt": {
        "method": "POST",
        "path": "/v1/sessions/{id}/prompts"
    },
    "ExpandMcpPrompt": {
        "method": "POST",
        "path": "/v1/sessions/{id}/mcp-prompts"
    },
    "ListPrices": {
        "path": "/v1/prices"
    },
    "GetEngineHealth": {
        "path": "/v1/engine-health"
    },
    "GetWebClient": {
        "path": "/v1/web-client"
    },
    "ListTurns": {
        "path": "/v1/sessions/{id}/turns"
    },
    "ListItems": {
        "path": "/v1/sessions/{id}/items"
    },
    "GetItem": {
        "path": "/v1/sessions/{id}/items/{event}"
    },
    "Complete": {
        "method": "POST",
        "path": "/v1/sessions/{id}/complete"
    },
    "GetSpend": {
        "path": "/v1/sessions/{id}/spend"
    },
    "GetContext": {
        "path": "/v1/sessions/{id}/context"
    },
    "GetChanges": {
        "path": "/v1/sessions/{id}/changes"
    },
    "GetWorkspace": {
        "path": "/v1/sessions/{id}/workspace"
    },
    "GetDraft": {
        "path": "/v1/sessions/{id}/draft"
    },
    "SearchSessions": {
        "path": "/v1/search"
    },
    "ListRules": {
        "path": "/v1/sessions/{id}/rules"
    },
    "ListHooks": {
        "path": "/v1/sessions/{id}/hooks"
    }
}


EngineReason = Literal[
    "AgentInvalid",
    "AttachmentMissing",
    "AttachmentRefused",
    "AttachmentsFull",
    "BashCancelledMidCommand",
    "BodyTooLarge",
    "BodyTooSlow",
    "CanonicalFormMismatch",
    "CassetteExhausted",
    "CassetteInvalid",
    "CassetteMismatch",
    "CassetteUnwritable",
    "CheckpointMissing",
    "CheckpointRequired",
    "CheckpointUnwritable",
    "CheckpointsDamaged",
    "ClaimsInvalid",
    "CompactionStuck",
    "ConfigInvalid",
    "ConnectionLost",
    "ContentLeftOut",
    "ContextFileUnused",
    "ContextOverflow",
    "CopilotLoginFailed",
    "CostBudgetExceeded",
    "CostUncapped",
    "CostUnknown",
    "CredentialHelperFailed",
    "CredentialsDamaged",
    "CredentialsLocked",
    "CredentialsUnwritable",
    "DiskUnwritable",
    "DraftsFull",
    "EmptyResponse",
    "EngineCertificate",
    "EngineKilled",
    "EngineLost",
    "EngineNotStarted",
    "EngineRefused",
    "EngineRunning",
    "EngineSilent",
    "EngineStopping",
    "EngineUnreachable",
    "ExportInvalid",
    "FileChanged",
    "FileNotAttached",
    "Forbidden",
    "GoogleCredentialsUnusable",
    "HandshakeRequired",
    "HandshakeVersionMismatch",
    "HookHashChanged",
    "HookTimeout",
    "InputQueueFull",
    "InternalError",
    "InvalidBody",
    "InvalidCommand",
    "InvalidEvent",
    "InvalidFrame",
    "InvalidHeader",
    "InvalidHost",
    "InvalidOrigin",
    "InvalidPath",
    "InvalidQuery",
    "InvalidSessionID",
    "KeyStoreMissing",
    "LeaseLost",
    "LogHeld",
    "MCPServerSHA256Mismatch",
    "MCPServerUnavailable",
    "MachineKeyUnusable",
    "McpLoginFailed",
    "McpLoginNeeded",
    "McpProgramMissing",
    "McpPromptUnusable",
    "McpRecordUnusable",
    "McpRuleIdle",
    "McpScopeMissing",
    "McpServerStopped",
    "McpServerUnknown",
    "McpServersConflict",
    "McpStartFailed",
    "McpStartLate",
    "McpStartSlow",
    "McpToolsChanged",
    "MemoryFull",
    "MemoryInvalid",
    "MemoryMissing",
    "MemoryUnreadable",
    "MemoryUnwritable",
    "MethodNotAllowed",
    "MintBusy",
    "MintCodeWrong",
    "MintExpired",
    "MintRefused",
    "MintTooOften",
    "MintTooWide",
    "ModelTakenOver",
    "ModelUnavailable",
    "NoModel",
    "NoProgress",
    "NoSuchSession",
    "NonInteractiveAckRefused",
    "NotABoundary",
    "NotOnThisMachine",
    "NothingToContinue",
    "NotifyFailed",
    "OrphanUnsettled",
    "OutputTruncated",
    "OutputUnwritable",
    "OwnerRefused",
    "OwnerTokenStale",
    "ParentRefused",
    "ParentsUnusable",
    "PathMissing",
    "PermissionDenied",
    "PermissionTimeout",
    "PluginConflict",
    "PluginCrashed",
    "PluginFailed",
    "PluginInvalid",
    "PluginOff",
    "ProfileInUse",
    "ProfileMissing",
    "PromptRefused",
    "PromptTemplateInvalid",
    "PromptTooLarge",
    "ProviderFailed",
    "ProviderKeyInvalid",
    "ProviderKeyMissing",
    "ProviderKeyRefused",
    "ProviderQuotaExceeded",
    "ProviderRefused",
    "ProviderSilent",
    "ProviderTimeout",
    "ProviderUnreachable",
    "RateLimited",
    "ResponseRefused",
    "RevocationsUnusable",
    "RewindChanged",
    "RuntimeUnsupported",
    "SandboxSettingUnmet",
    "SandboxUnavailable",
    "ScheduleBusy",
    "ScheduleMissing",
    "ScheduleTaken",
    "ScheduleUnusable",
    "SessionAmbiguous",
    "SessionEnding",
    "SessionMissing",
    "SessionPinned",
    "SessionsLocked",
    "ShellQueueFull",
    "SkillMissing",
    "SkillProblem",
    "StateUnwritable",
    "StoreBusy",
    "StoreCorrupt",
    "StoreFailed",
    "StoreInUse",
    "StoreNewer",
    "StoreUnwritable",
    "StreamInterrupted",
    "StreamMalformed",
    "SubAgentFailed",
    "TargetUnusable",
    "TemporaryUnusable",
    "TimeLimitReached",
    "TokenExpired",
    "TokenFileUnsafe",
    "TokenInvalid",
    "TokenKeyUnusable",
    "TokenMissing",
    "TokenNotHere",
    "TokenRevoked",
    "TooManyClients",
    "TooManyFollowed",
    "TooManyFrames",
    "ToolInvalid",
    "ToolNameTaken",
    "TrustDrift",
    "TrustLedgerInvalid",
    "TrustLedgerUnwritable",
    "TrustRefused",
    "TurnInProgress",
    "TurnInterrupted",
    "TurnLimitReached",
    "UnknownAgent",
    "UnknownClient",
    "UnknownCommandNamespace",
    "UnknownModel",
    "UnknownPromptTemplate",
    "UnknownProvider",
    "UnknownResource",
    "UnknownRoute",
    "UnknownSession",
    "UnknownSkillPack",
    "UnknownToolPack",
    "UnsupportedContent",
    "UnsupportedMediaType",
    "UploadsBusy",
    "UsageInvalid",
    "VertexUnplaced",
    "WorktreeFailed",
    "WorktreeStays",
]
