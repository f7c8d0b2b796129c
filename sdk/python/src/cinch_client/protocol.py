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
    # The text.
    text: str


class SendInputCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SendInputCommandContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: SendInputCommandContentItemImageSource


class SendInputCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SendInputCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: SendInputCommandContentItemAudioSource


class SendInputCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SendInputCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: SendInputCommandContentItemDocumentSource


class SendInputCommandContentItemAttachment(TypedDict):
    type: Literal["attachment"]
    # Id of an uploaded file.
    id: str


class SendInputCommandContentItemUnsavedLines(TypedDict):
    # First line.
    first: int
    # Last line; it is included.
    last: int


_SendInputCommandContentItemUnsavedRequired = TypedDict("_SendInputCommandContentItemUnsavedRequired", {
    "type": Literal["unsaved"],
    # Path of the file, as the editor knows it.
    "path": str,
    # The text in the editor.
    "text": str,
})


class SendInputCommandContentItemUnsaved(_SendInputCommandContentItemUnsavedRequired, total=False):
    # True if the person attached it: it may be the saved text. Default: the disk has another text.
    attached: bool
    # Lines of the file that it is, from 1. Default: all.
    lines: SendInputCommandContentItemUnsavedLines


_SendInputCommandRequired = TypedDict("_SendInputCommandRequired", {
    "kind": Literal["SendInput"],
    # The session.
    "sessionId": SessionId,
    # The prompt, in blocks.
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
    # Handling of input that arrives while a turn runs. Default: reject.
    delivery: Literal["reject", "queue", "steer"]
    # Name of a skill to use for this turn.
    skill: str
    # Kind of sub-agent that gets the input instead of the session's own agent.
    agent: str


class CancelTurnCommand(TypedDict):
    kind: Literal["CancelTurn"]
    # The session.
    sessionId: SessionId


_AnswerPermissionCommandRequired = TypedDict("_AnswerPermissionCommandRequired", {
    "kind": Literal["AnswerPermission"],
    # The session.
    "sessionId": SessionId,
    # The call that is asked about.
    "callId": CallId,
    # Runs the call, or refuses it.
    "decision": Literal["allow", "deny"],
})


class AnswerPermissionCommand(_AnswerPermissionCommandRequired, total=False):
    # Reach: this call ("once"), this and later calls under `rule` ("argv_glob"), or every later call of the tool
    # ("tool"). The last two make a rule of the session. Default: once.
    scope: Literal["once", "argv_glob", "tool"]
    # With argv_glob: the rule that the user was shown and picked, if it is a shorter prefix of words.
    rule: str
    # With allow, if the question offers hosts: the call stays in the sandbox, which may reach them for this session.
    hosts: Literal[True]
    # With allow, if the question shows hunks: ids of those that are applied; the others are refused, and the model
    # reads that. Nothing is written if the file has changed since the question. Since protocol 0.3.0.
    hunks: List[str]
    # Words of the person for the model: what to do instead of a denied call, or why hunks were refused. Since
    # protocol 0.3.0.
    words: str


class CreateSessionCommandRunMcpServersItem1(TypedDict):
    transport: Literal["stdio"]
    # Name of the server, unique in the session.
    name: str
    # An absolute path, or a name that is searched in `PATH`.
    cmd: str
    # Arguments of the program.
    args: List[str]
    # Environment variables of the program.
    env: Dict[str, str]


class CreateSessionCommandRunMcpServersItem2(TypedDict):
    transport: Literal["http", "sse"]
    # Name of the server, unique in the session.
    name: str
    # Address of the server.
    url: str
    # Headers of every request to it.
    headers: Dict[str, str]


class CreateSessionCommandRun(TypedDict, total=False):
    # Permission level. Default: that of the profile.
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    # True: calls that would be asked about run without a question.
    autoApprove: bool
    # True: calls above the level are denied without a question.
    strictPermissions: bool
    # Begins in plan mode.
    planMode: bool
    # Thinking effort. Default: that of the configuration.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    # Limit of provider calls in one turn.
    maxTurns: int
    # Limit of the session's cost, in US dollars.
    maxCostUsd: float
    # Wall-clock limit of a turn, in milliseconds. Since protocol 0.3.0.
    maxTimeMs: int
    # Text at the end of the system text.
    appendSystemPrompt: str
    # Allow rules, as in a profile. They lift no deny rule.
    allow: List[str]
    # Existing folders, by their absolute paths, in which this run works as in its working directory. Nothing of
    # theirs is loaded. Since protocol 0.3.0.
    addDirs: List[str]
    # MCP servers besides the configured ones. Since protocol 0.3.0.
    mcpServers: List[Union[
    CreateSessionCommandRunMcpServersItem1,
    CreateSessionCommandRunMcpServersItem2,
]]
    # True: nothing of the repository is loaded, such as AGENTS.md, skills and settings.
    withoutProject: bool
    # True: hooks of the repository may run.
    allowProjectHooks: bool
    # A path on the engine's machine.
    lockfile: str
    # False if the client's user cannot read a project's files first: files that were not acknowledged are
    # then refused.
    asksTrust: bool
    # Environment of the processes that its tools start. Default: that of the engine.
    environment: Dict[str, str]


_CreateSessionCommandRequired = TypedDict("_CreateSessionCommandRequired", {
    "kind": Literal["CreateSession"],
})


class CreateSessionCommand(_CreateSessionCommandRequired, total=False):
    # Default: that of the resumed log, else the one that the engine's user has configured.
    profile: str
    # A log that already runs in this engine is attached to as it is.
    resume: LogId
    # `provider:name`. Default: that of the resumed log, the profile or the configuration.
    model: str
    # An absolute path on the engine's machine. Default: that of the resumed log, else of the engine.
    workingDir: str
    # Settings that differ from those of the engine.
    run: CreateSessionCommandRun
    # True: the session is for a person who may never use it. While it is `unused`, it ends a minute after its last
    # client has left, and once it ends without clients it is removed. It stays if an agent has sent it a command, if
    # it has a file, and if a setting was changed and no client has ended or left it. Without effect on a session
    # that is resumed. Since protocol 0.3.0.
    provisional: bool


class AttachSessionCommand(TypedDict):
    kind: Literal["AttachSession"]
    # The session.
    sessionId: SessionId


_DetachSessionCommandRequired = TypedDict("_DetachSessionCommandRequired", {
    "kind": Literal["DetachSession"],
    # The session.
    "sessionId": SessionId,
})


class DetachSessionCommand(_DetachSessionCommandRequired, total=False):
    # The user has left for good: the session ends at once if no other client uses it, and it has no turn, task or
    # waiting input. Since 0.3.0.
    left: bool


_SetModelCommandRequired = TypedDict("_SetModelCommandRequired", {
    "kind": Literal["SetModel"],
    # The session.
    "sessionId": SessionId,
    # `provider:name`.
    "model": str,
})


class SetModelCommand(_SetModelCommandRequired, total=False):
    # Absent: unchanged.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]


class EnterPlanModeCommand(TypedDict):
    kind: Literal["EnterPlanMode"]
    # The session.
    sessionId: SessionId


class ExitPlanModeCommand(TypedDict):
    kind: Literal["ExitPlanMode"]
    # The session.
    sessionId: SessionId
    # True: approves the plan and leaves the mode. False: the model plans on.
    approve: bool


class CustomCommandCommand(TypedDict):
    kind: Literal["CustomCommand"]
    # The session.
    sessionId: SessionId
    # Name of the extension.
    namespace: str
    # Name of its command.
    verb: str
    # Fields of its command.
    payload: Any


class EndSessionCommand(TypedDict):
    kind: Literal["EndSession"]
    # The session.
    sessionId: SessionId


_BranchSessionCommandRequired = TypedDict("_BranchSessionCommandRequired", {
    "kind": Literal["BranchSession"],
    # The session.
    "sessionId": SessionId,
})


class BranchSessionCommand(_BranchSessionCommandRequired, total=False):
    # The last event of a turn. Default: the end of `turn`.
    at: int
    # A turn that has ended. Default: the last one. Since 0.3.0.
    turn: int


class PinSessionCommand(TypedDict):
    kind: Literal["PinSession"]
    # The session.
    sessionId: SessionId
    # True: pins it.
    pinned: bool


class CompactSessionCommand(TypedDict):
    kind: Literal["CompactSession"]
    # The session.
    sessionId: SessionId


_RewindSessionCommandRequired = TypedDict("_RewindSessionCommandRequired", {
    "kind": Literal["RewindSession"],
    # The session.
    "sessionId": SessionId,
    # The event to restore the state before; 0: before the first one.
    "to": int,
    # Parts to restore.
    "what": Literal["files", "conversation", "both"],
})


class RewindSessionCommand(_RewindSessionCommandRequired, total=False):
    # True to only report what it would do.
    preview: bool
    # Token of a preview. The rewind is refused if it would now do something else, and needs no further
    # confirmation otherwise.
    token: str
    # Files to restore although another program changed them: those that the session changed too, and those that it
    # did not. Absent: the user is asked; without a user they stay unchanged.
    overwrite: List[Literal["contested", "foreign"]]


class WithdrawInputCommand(TypedDict):
    kind: Literal["WithdrawInput"]
    # The session.
    sessionId: SessionId
    # Id of an input that waits.
    inputId: InputId


class RevokeRuleCommand(TypedDict):
    kind: Literal["RevokeRule"]
    # The session.
    sessionId: SessionId
    # The rule, as ListRules names it.
    rule: str


_PromoteRuleCommandRequired = TypedDict("_PromoteRuleCommandRequired", {
    "kind": Literal["PromoteRule"],
    # The session.
    "sessionId": SessionId,
    # The rule, as ListRules names it.
    "rule": str,
})


class PromoteRuleCommand(_PromoteRuleCommandRequired, total=False):
    # True: in every directory, under the current profile; else in the session's working directory and below.
    # Since 0.3.0.
    everywhere: bool


_SwitchProfileCommandRequired = TypedDict("_SwitchProfileCommandRequired", {
    "kind": Literal["SwitchProfile"],
    # The session.
    "sessionId": SessionId,
    # Name or path of the profile.
    "profile": str,
})


class SwitchProfileCommand(_SwitchProfileCommandRequired, total=False):
    # Number of the last turns whose summary goes along into the new log. Default: 5.
    importTurns: int
    # True: the same log continues, as a new run. Default: a new log begins.
    inPlace: bool


class ReloadSkillsCommand(TypedDict):
    kind: Literal["ReloadSkills"]
    # The session.
    sessionId: SessionId


class ManageMcpCommand(TypedDict):
    kind: Literal["ManageMcp"]
    # The session.
    sessionId: SessionId
    # Name of the server.
    server: str
    # `stop` holds until `start`, or the end of the engine, for all its sessions. Since 0.3.0: stop, start.
    action: Literal["status", "restart", "approve", "stop", "start"]


class StopTaskCommand(TypedDict):
    kind: Literal["StopTask"]
    # The session.
    sessionId: SessionId
    # Id of a background task.
    taskId: TaskId


class AnswerCommand(TypedDict):
    kind: Literal["Answer"]
    # The session.
    sessionId: SessionId
    # Id of a question.
    askId: AskId
    # Value of a choice, a text, or the fields of the form.
    answer: Any


_ExportSessionCommandRequired = TypedDict("_ExportSessionCommandRequired", {
    "kind": Literal["ExportSession"],
    # The session.
    "sessionId": SessionId,
})


class ExportSessionCommand(_ExportSessionCommandRequired, total=False):
    # Default: jsonl.
    format: Literal["jsonl", "markdown"]
    # A path, relative to the working directory. Default: a name made from the session's id. Never overwrites a file.
    output: str
    # The session whose working directory is used. Default: the session itself.
    directoryOf: SessionId


class DismissExpiringCommand(TypedDict):
    kind: Literal["DismissExpiring"]
    # The session.
    sessionId: SessionId


class MuteSessionCommand(TypedDict):
    kind: Literal["MuteSession"]
    # The session.
    sessionId: SessionId


class RenameSessionCommand(TypedDict):
    kind: Literal["RenameSession"]
    # The session.
    sessionId: SessionId
    # Empty: the title that is made from the first prompt again.
    title: str


class ArchiveSessionCommand(TypedDict):
    kind: Literal["ArchiveSession"]
    # The session.
    sessionId: SessionId
    # True: leaves it out of lists. False: shows it there again.
    archived: bool


class DeleteSessionCommand(TypedDict):
    kind: Literal["DeleteSession"]
    # The session.
    sessionId: SessionId


class MarkReadCommand(TypedDict):
    kind: Literal["MarkRead"]
    # The session.
    sessionId: SessionId
    # The last event that was read; 0: none.
    event: int
    # Name under which a client keeps its marks and drafts: the same for all that should share them. Letters, digits
    # and `. _ : @ -`. Since protocol 0.3.0.
    reader: str


class SetDraftCommand(TypedDict):
    kind: Literal["SetDraft"]
    # The session.
    sessionId: SessionId
    # Empty: the draft is removed.
    text: str
    # Name under which a client keeps its marks and drafts: the same for all that should share them. Letters, digits
    # and `. _ : @ -`. Since protocol 0.3.0.
    reader: str


class SetLevelCommand(TypedDict):
    kind: Literal["SetLevel"]
    # The session.
    sessionId: SessionId
    # Levels of a session, the tightest first.
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]


class EditInputCommandContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class EditInputCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class EditInputCommandContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: EditInputCommandContentItemImageSource


class EditInputCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class EditInputCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: EditInputCommandContentItemAudioSource


class EditInputCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class EditInputCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: EditInputCommandContentItemDocumentSource


class EditInputCommandContentItemAttachment(TypedDict):
    type: Literal["attachment"]
    # Id of an uploaded file.
    id: str


class EditInputCommandContentItemUnsavedLines(TypedDict):
    # First line.
    first: int
    # Last line; it is included.
    last: int


_EditInputCommandContentItemUnsavedRequired = TypedDict("_EditInputCommandContentItemUnsavedRequired", {
    "type": Literal["unsaved"],
    # Path of the file, as the editor knows it.
    "path": str,
    # The text in the editor.
    "text": str,
})


class EditInputCommandContentItemUnsaved(_EditInputCommandContentItemUnsavedRequired, total=False):
    # True if the person attached it: it may be the saved text. Default: the disk has another text.
    attached: bool
    # Lines of the file that it is, from 1. Default: all.
    lines: EditInputCommandContentItemUnsavedLines


class EditInputCommand(TypedDict):
    kind: Literal["EditInput"]
    # The session.
    sessionId: SessionId
    # Id of an input that waits.
    inputId: InputId
    # The new content, in blocks.
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
    # The session.
    "sessionId": SessionId,
    # Id of an input that waits.
    "inputId": InputId,
})


class MoveInputCommand(_MoveInputCommandRequired, total=False):
    # The waiting input that it then stands before. Default: it becomes the last.
    before: InputId


class RunShellCommand(TypedDict):
    kind: Literal["RunShell"]
    # Id of a session: one run on a log.
    sessionId: SessionId
    # The command line for the shell.
    command: str
    # True: the next request to the model holds the command and its output.
    toModel: bool


class StopShellCommand(TypedDict):
    kind: Literal["StopShell"]
    # Id of a session: one run on a log.
    sessionId: SessionId
    # Id of a tool call.
    callId: CallId


class StopAgentCommand(TypedDict):
    kind: Literal["StopAgent"]
    # The session.
    sessionId: SessionId
    # The call that runs it: `parentCall` of its events.
    callId: CallId


class SteerAgentCommandContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class SteerAgentCommandContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SteerAgentCommandContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: SteerAgentCommandContentItemImageSource


class SteerAgentCommandContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SteerAgentCommandContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: SteerAgentCommandContentItemAudioSource


class SteerAgentCommandContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class SteerAgentCommandContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: SteerAgentCommandContentItemDocumentSource


class SteerAgentCommand(TypedDict):
    kind: Literal["SteerAgent"]
    # The session.
    sessionId: SessionId
    # The call that runs it: `parentCall` of its events.
    callId: CallId
    # The input, in blocks.
    content: List[Union[
    SteerAgentCommandContentItemText,
    SteerAgentCommandContentItemImage,
    SteerAgentCommandContentItemAudio,
    SteerAgentCommandContentItemDocument,
]]


class StoreProviderKeyCommand(TypedDict):
    kind: Literal["StoreProviderKey"]
    # Name of the provider.
    provider: str
    # White space around it is ignored.
    key: str


_AskAutoAttachCommandParentRequired = TypedDict("_AskAutoAttachCommandParentRequired", {
    # Name by which it was called.
    "argv0": str,
    # Path of its binary.
    "binary": str,
    # SHA-256 of the binary, in hexadecimal digits.
    "binarySha256": str,
})


class AskAutoAttachCommandParent(_AskAutoAttachCommandParentRequired, total=False):
    # Script of an interpreter.
    script: str
    # SHA-256 of the script, in hexadecimal digits.
    scriptSha256: str


class AskAutoAttachCommand(TypedDict):
    kind: Literal["AskAutoAttach"]
    # The session.
    sessionId: SessionId
    # The program, as `mcp-parents.lock` names it.
    parent: AskAutoAttachCommandParent


class AnswerAutoAttachCommand(TypedDict):
    kind: Literal["AnswerAutoAttach"]
    # The session.
    sessionId: SessionId
    # False: what the sessions of the program ask for is shown to their subscribers alone.
    always: bool


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
    AskAutoAttachCommand,
    AnswerAutoAttachCommand,
]


class Accepted(TypedDict, total=False):
    # The session that was created or branched, or the run that took over a paused one.
    sessionId: SessionId
    # The input, if it waits.
    inputId: InputId
    # Result of a command that returns data (a preview, a status).
    result: Any


class AttachmentInfo(TypedDict):
    # Id of an uploaded file.
    attachment: str
    # The name alone, without folders.
    name: str
    # From the bytes of the file, whatever the upload said.
    media_type: str
    # Size of the file.
    bytes: int


_TextDeltaEventPayloadRequired = TypedDict("_TextDeltaEventPayloadRequired", {
    # The piece.
    "text": str,
})


class TextDeltaEventPayload(_TextDeltaEventPayloadRequired, total=False):
    # Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0.
    index: int


_TextDeltaEventRequired = TypedDict("_TextDeltaEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TextDelta"],
    "payload": TextDeltaEventPayload,
})


class TextDeltaEvent(_TextDeltaEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_ThinkingDeltaEventPayloadBlockRequired = TypedDict("_ThinkingDeltaEventPayloadBlockRequired", {
    "type": Literal["thinking"],
    # The piece of text.
    "text": str,
})


class ThinkingDeltaEventPayloadBlock(_ThinkingDeltaEventPayloadBlockRequired, total=False):
    # Family of models that made it. Absent if the content has expired.
    family: str


_ThinkingDeltaEventPayloadRequired = TypedDict("_ThinkingDeltaEventPayloadRequired", {
    # One piece of a model's thinking, for people to read. Pieces of a block are in order, and each text is sent
    # once. `family` is absent if the content has expired. Provider data (signatures, encrypted reasoning) stays in
    # the engine.
    "block": ThinkingDeltaEventPayloadBlock,
})


class ThinkingDeltaEventPayload(_ThinkingDeltaEventPayloadRequired, total=False):
    # Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0.
    index: int


_ThinkingDeltaEventRequired = TypedDict("_ThinkingDeltaEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ThinkingDelta"],
    "payload": ThinkingDeltaEventPayload,
})


class ThinkingDeltaEvent(_ThinkingDeltaEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_ToolCallStartedEventPayloadPreviewRequired = TypedDict("_ToolCallStartedEventPayloadPreviewRequired", {
    # Argument that names the file.
    "path": str,
    # Argument that holds the new text.
    "new": str,
})


class ToolCallStartedEventPayloadPreview(_ToolCallStartedEventPayloadPreviewRequired, total=False):
    # Argument that holds the text which is replaced. Absent: `new` is the whole file.
    old: str
    # Argument that is true if the text is replaced everywhere.
    all: str
    # Argument that is a list of such changes.
    each: str


_ToolCallStartedEventPayloadRequired = TypedDict("_ToolCallStartedEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # Name of the tool.
    "tool": str,
    # Arguments of the call, redacted.
    "args": Any,
    # True if the tool may change something.
    "mutating": bool,
})


class ToolCallStartedEventPayload(_ToolCallStartedEventPayloadRequired, total=False):
    # Type of work that a tool does, for a client's icon. Since protocol 0.3.0.
    toolKind: Literal["read", "edit", "search", "execute", "fetch", "think", "switch_mode", "other"]
    # Names of the arguments that hold the change of one file. Since protocol 0.3.0.
    # `path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the text
    # under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of that name is
    # a list, and `old`, `new` and `all` are read from each item.
    preview: ToolCallStartedEventPayloadPreview
    # Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0.
    by: Literal["user"]
    # Set together with `by`. Since protocol 0.3.0.
    shell: Literal[True]
    # With `shell`: true if the model gets the command and its output.
    toModel: bool


_ToolCallStartedEventRequired = TypedDict("_ToolCallStartedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ToolCallStarted"],
    "payload": ToolCallStartedEventPayload,
})


class ToolCallStartedEvent(_ToolCallStartedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_ToolCallProgressEventPayloadRequired = TypedDict("_ToolCallProgressEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # Output since the event before; a long or fast one is cut. May be empty.
    "partial": str,
})


class ToolCallProgressEventPayload(_ToolCallProgressEventPayloadRequired, total=False):
    # The last lines of the output of a command that runs, redacted. Only an event with `aside` has it: it is not in
    # the log, which keeps `partial`. Since protocol 0.3.0.
    tail: str
    # Bytes that the command has written so far. Since protocol 0.3.0.
    bytes: int
    # Lines that the command has written so far. Since protocol 0.3.0.
    lines: int
    # Milliseconds that the command has run, without the wait for a permission. Since protocol 0.3.0.
    elapsedMs: int


_ToolCallProgressEventRequired = TypedDict("_ToolCallProgressEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ToolCallProgress"],
    "payload": ToolCallProgressEventPayload,
})


class ToolCallProgressEvent(_ToolCallProgressEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_ToolArgsDeltaEventPayloadRequired = TypedDict("_ToolArgsDeltaEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # The tool as the model names it: a call of a lazy tool starts under the name of that tool.
    "tool": str,
    # JSON text. May be empty.
    "text": str,
    # UTF-16 units of the arguments before this piece. Another number than expected: this reader missed pieces.
    "offset": int,
})


class ToolArgsDeltaEventPayload(_ToolArgsDeltaEventPayloadRequired, total=False):
    # Index of the piece's block in one answer of the model. Default: 0. Since protocol 0.3.0.
    index: int
    # The rest of the arguments is above the limit and not shown.
    cut: Literal[True]
    # No call comes of it: the answer broke off, was tried again, or ended before the call began.
    void: Literal[True]


_ToolArgsDeltaEventRequired = TypedDict("_ToolArgsDeltaEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ToolArgsDelta"],
    "payload": ToolArgsDeltaEventPayload,
})


class ToolArgsDeltaEvent(_ToolArgsDeltaEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class ToolResultEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class ToolResultEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class ToolResultEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: ToolResultEventPayloadContentItemImageSource


class ToolResultEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class ToolResultEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: ToolResultEventPayloadContentItemAudioSource


_ToolResultEventPayloadRequired = TypedDict("_ToolResultEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # The result, in blocks.
    "content": List[Union[
    ToolResultEventPayloadContentItemText,
    ToolResultEventPayloadContentItemImage,
    ToolResultEventPayloadContentItemAudio,
]],
})


class ToolResultEventPayload(_ToolResultEventPayloadRequired, total=False):
    # True if the call failed.
    isError: bool
    # Set for a command that a person runs themselves (RunShell). Since protocol 0.3.0.
    by: Literal["user"]
    # Set together with `by`. Since protocol 0.3.0.
    shell: Literal[True]


_ToolResultEventRequired = TypedDict("_ToolResultEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ToolResult"],
    "payload": ToolResultEventPayload,
})


class ToolResultEvent(_ToolResultEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class TurnStartedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


class TurnStartedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class TurnStartedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class TurnStartedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: TurnStartedEventPayloadContentItemImageSource


class TurnStartedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class TurnStartedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: TurnStartedEventPayloadContentItemAudioSource


class TurnStartedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class TurnStartedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: TurnStartedEventPayloadContentItemDocumentSource


_TurnStartedEventPayloadRequired = TypedDict("_TurnStartedEventPayloadRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # The client that sent the input.
    "originator": ClientId,
})


class TurnStartedEventPayload(_TurnStartedEventPayloadRequired, total=False):
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: TurnStartedEventPayloadWho
    # The input, in blocks.
    content: List[Union[
    TurnStartedEventPayloadContentItemText,
    TurnStartedEventPayloadContentItemImage,
    TurnStartedEventPayloadContentItemAudio,
    TurnStartedEventPayloadContentItemDocument,
]]
    # The input that had waited, if any: it has begun and is never begun again.
    inputId: InputId


_TurnStartedEventRequired = TypedDict("_TurnStartedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TurnStarted"],
    "payload": TurnStartedEventPayload,
})


class TurnStartedEvent(_TurnStartedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_TurnEndedEventPayloadErrorRequired = TypedDict("_TurnEndedEventPayloadErrorRequired", {
    # Name of the failure, for programs.
    "reason": str,
    # Text for people.
    "message": str,
})


class TurnEndedEventPayloadError(_TurnEndedEventPayloadErrorRequired, total=False):
    # Values in the text, by name.
    details: Dict[str, Any]


class TurnEndedEventPayloadUsage(TypedDict):
    # Provider calls.
    calls: int
    # Without the tokens of the cache.
    inputTokens: int
    # Number of tokens.
    outputTokens: int
    # Number of tokens.
    cacheReadTokens: int
    # Number of tokens.
    cacheWriteTokens: int


_TurnEndedEventPayloadRequired = TypedDict("_TurnEndedEventPayloadRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # Reason why a turn ended. "complete" and "yield": the model was done. "length": its answer reached the limit.
    # "empty": it had none. "turn_limit", "time_limit" and "budget": a limit of the session. "no_progress": it
    # repeated itself.
    "reason": Literal["complete", "yield", "cancelled", "error", "length", "empty", "turn_limit", "time_limit", "budget", "no_progress"],
})


class TurnEndedEventPayload(_TurnEndedEventPayloadRequired, total=False):
    # Provider calls of the session's own agent.
    rounds: int
    # Failure that ended the turn, as its Error event has it. Absent after `complete`, `yield` and `cancelled`. An
    # older engine leaves it out: there the last Error event of the turn says it.
    error: TurnEndedEventPayloadError
    # Tokens of the turn and its sub-agents. Absent for a sub-agent, and without a provider call. Since 0.3.0.
    usage: TurnEndedEventPayloadUsage
    # Cost of the same calls; null if the price of one is unknown, or one was cut off. Since 0.3.0.
    usd: Union[float, None]
    # Files that the turn changed, sorted, as `GetChanges` names them; of a renamed one both names; at most 100.
    # Those that commands changed are among them. Absent for a sub-agent, and if no checkpoint knows them.
    # Since 0.3.0.
    files: List[str]


_TurnEndedEventRequired = TypedDict("_TurnEndedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TurnEnded"],
    "payload": TurnEndedEventPayload,
})


class TurnEndedEvent(_TurnEndedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class TurnTimingEventPayloadToolCallsItem(TypedDict):
    # Id of a tool call.
    callId: CallId
    # Name of the tool.
    tool: str
    # Duration in nanoseconds.
    duration: int


_TurnTimingEventPayloadRequired = TypedDict("_TurnTimingEventPayloadRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # Nanoseconds of each part, by name.
    "components": Dict[str, int],
})


class TurnTimingEventPayload(_TurnTimingEventPayloadRequired, total=False):
    # The calls of the turn.
    toolCalls: List[TurnTimingEventPayloadToolCallsItem]


_TurnTimingEventRequired = TypedDict("_TurnTimingEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TurnTiming"],
    "payload": TurnTimingEventPayload,
})


class TurnTimingEvent(_TurnTimingEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_CompactionTriggeredEventPayloadRequired = TypedDict("_CompactionTriggeredEventPayloadRequired", {
    # Tokens before.
    "beforeTokens": int,
    # Tokens afterwards.
    "afterTokens": int,
})


class CompactionTriggeredEventPayload(_CompactionTriggeredEventPayloadRequired, total=False):
    # Events up to this one are no longer in the history as they are.
    boundary: int
    # Method. 1: references replace long results. 2: a model wrote a summary. 3: the summary is made from the log.
    tier: int
    # Cause. "threshold": the history came near the limit. "overflow": the provider refused its length. "command":
    # a client.
    trigger: Literal["threshold", "overflow", "command"]


_CompactionTriggeredEventRequired = TypedDict("_CompactionTriggeredEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["CompactionTriggered"],
    "payload": CompactionTriggeredEventPayload,
})


class CompactionTriggeredEvent(_CompactionTriggeredEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class CompactionProgressEventPayload(TypedDict):
    state: Literal["started", "ended"]
    # Tokens of the history before.
    beforeTokens: int
    # Cause. "threshold": the history came near the limit. "overflow": the provider refused its length. "command":
    # a client.
    trigger: Literal["threshold", "overflow", "command"]
    # Longest time that the summary may take, in milliseconds.
    timeoutMs: int


_CompactionProgressEventRequired = TypedDict("_CompactionProgressEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["CompactionProgress"],
    "payload": CompactionProgressEventPayload,
})


class CompactionProgressEvent(_CompactionProgressEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class CostIncrementedEventPayloadCacheMiss(TypedDict):
    # The first difference.
    cause: Literal["model_changed", "tools_changed", "system_changed", "effort_changed", "history_changed", "expired", "unknown"]
    # Tokens that were read again.
    lostTokens: int


_CostIncrementedEventPayloadRequired = TypedDict("_CostIncrementedEventPayloadRequired", {
    # Name of the provider.
    "provider": str,
    # Name of the model.
    "model": str,
    # Without the tokens of the cache.
    "inputTokens": int,
    # Tokens of the answer.
    "outputTokens": int,
    # US dollars; null if the price is unknown.
    "usd": Union[float, None],
})


class CostIncrementedEventPayload(_CostIncrementedEventPayloadRequired, total=False):
    # Tokens read from the prompt cache.
    cacheReadTokens: int
    # Tokens written to the prompt cache.
    cacheWriteTokens: int
    # Number of the turn in its session, from 1.
    turn: int
    # Set if the call made a summary and is not part of the conversation.
    purpose: Literal["summary"]
    # Set if the provider read again what the last request of this conversation had cached: how much, and the first
    # difference. "expired": over five minutes later; "unknown": the same prompt, soon after. Since 0.3.0.
    cacheMiss: CostIncrementedEventPayloadCacheMiss


_CostIncrementedEventRequired = TypedDict("_CostIncrementedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["CostIncremented"],
    "payload": CostIncrementedEventPayload,
})


class CostIncrementedEvent(_CostIncrementedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class PermissionRequestedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_PermissionRequestedEventPayloadPreviewRequired = TypedDict("_PermissionRequestedEventPayloadPreviewRequired", {
    # Argument that names the file.
    "path": str,
    # Argument that holds the new text.
    "new": str,
})


class PermissionRequestedEventPayloadPreview(_PermissionRequestedEventPayloadPreviewRequired, total=False):
    # Argument that holds the text which is replaced. Absent: `new` is the whole file.
    old: str
    # Argument that is true if the text is replaced everywhere.
    all: str
    # Argument that is a list of such changes.
    each: str


class PermissionRequestedEventPayloadWhyEnds(TypedDict, total=False):
    # An allow rule of the user under which this call would run unasked.
    rule: str
    # A change of the configuration with that effect, as a phrase for people.
    setting: str


_PermissionRequestedEventPayloadWhyRequired = TypedDict("_PermissionRequestedEventPayloadWhyRequired", {
    # The cause, for programs.
    "cause": Literal["rule", "deny-rule", "level", "no-rule", "grammar", "network", "setting", "protected", "outside-sandbox", "tool"],
    # The reason in words.
    "text": str,
})


class PermissionRequestedEventPayloadWhy(_PermissionRequestedEventPayloadWhyRequired, total=False):
    # Absent if nothing ends it: a person answers each such call.
    ends: PermissionRequestedEventPayloadWhyEnds


class PermissionRequestedEventPayloadPartsItem(TypedDict):
    # The part as it stands in the line, control characters made visible.
    text: str
    # Verdict on the part alone.
    verdict: Literal["allow", "ask", "deny"]
    # Reason of the verdict.
    why: str


class PermissionRequestedEventPayloadHunksItem(TypedDict):
    # The same for the same two texts.
    id: str
    # First line in the old text.
    old_start: int
    # Number of lines in the old text.
    old_lines: int
    # First line in the new text.
    new_start: int
    # Number of lines in the new text.
    new_lines: int
    # Each begins with " ", "+" or "-". `\ No newline at end of file` can follow the last line of a side.
    lines: List[str]


_PermissionRequestedEventPayloadRequired = TypedDict("_PermissionRequestedEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # Name of the tool.
    "tool": str,
    # Arguments of the call, redacted.
    "args": Any,
    # The client whose turn it is.
    "originator": ClientId,
    # Everything that will run, one line per command or path, control characters made visible.
    "summary": str,
})


class PermissionRequestedEventPayload(_PermissionRequestedEventPayloadRequired, total=False):
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: PermissionRequestedEventPayloadWho
    # Reason for the question, in words.
    reason: str
    # The rule that would have allowed the call.
    rule: str
    # The kind of the sub-agent whose call it is; absent: the session's own agent.
    agent: str
    # True if an answer applies to this call only and cannot make a rule for the session. Absent: it may.
    onceOnly: bool
    # Hosts that an answer can open for the session's commands in the sandbox, instead of a call outside of it.
    # Empty: not known yet; the call runs in the sandbox, and another question names the hosts that its
    # proxy refused.
    hosts: List[str]
    # The change of a file: the hunks of a unified diff, unescaped.
    diff: str
    # Type of work that a tool does, for a client's icon. Since protocol 0.3.0.
    toolKind: Literal["read", "edit", "search", "execute", "fetch", "think", "switch_mode", "other"]
    # Names of the arguments that hold the change of one file. Since protocol 0.3.0.
    # `path` names the file and `new` its new text. Without `old` that is the whole file, else it replaces the text
    # under `old`: once, or everywhere if the argument under `all` is true. With `each`, the argument of that name is
    # a list, and `old`, `new` and `all` are read from each item.
    preview: PermissionRequestedEventPayloadPreview
    # Time limit for an answer, in milliseconds from `ts` on; then the call is denied.
    timeoutMs: int
    # True if the time counts only while no person is subscribed to the session, and begins again when the last one
    # leaves. Absent: it always counts. Since protocol 0.3.0.
    onlyUnattended: Literal[True]
    # Reason why a call is asked about, and what would end that. Since protocol 0.3.0.
    # `text` is what `cinch permissions explain` says. `cause` is for programs:
    # - `rule`: an ask rule names the call.
    # - `deny-rule`: a deny rule may name it.
    # - `level`: it is above the level.
    # - `no-rule`: nothing allows it.
    # - `grammar`: the command cannot be read for certain before it runs.
    # - `network`: its sandbox lacks the network that it needs.
    # - `setting`: a setting has every such call asked about.
    # - `protected`: it touches a protected place, or may.
    # - `outside-sandbox`: it is to run outside the sandbox.
    # - `tool`: the tool itself takes a person's word only.
    why: PermissionRequestedEventPayloadWhy
    # The parts of a compound command, in their order. Absent for any other call. Since protocol 0.3.0.
    parts: List[PermissionRequestedEventPayloadPartsItem]
    # Rules that an answer of the scope argv_glob can name instead of `rule`, each a prefix of whole words, from the
    # widest to the narrowest. Under each of them this call runs unasked. Since protocol 0.3.0.
    prefixes: List[str]
    # The change of a file, in hunks that an answer can accept one by one. Since protocol 0.3.0.
    hunks: List[PermissionRequestedEventPayloadHunksItem]


_PermissionRequestedEventRequired = TypedDict("_PermissionRequestedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["PermissionRequested"],
    "payload": PermissionRequestedEventPayload,
})


class PermissionRequestedEvent(_PermissionRequestedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class PermissionAnsweredEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_PermissionAnsweredEventPayloadRequired = TypedDict("_PermissionAnsweredEventPayloadRequired", {
    # Id of a tool call.
    "callId": CallId,
    # The decision.
    "decision": Literal["allow", "deny"],
    # False for an answer that came after the first one.
    "counted": bool,
})


class PermissionAnsweredEventPayload(_PermissionAnsweredEventPayloadRequired, total=False):
    # Reach of an answer. "once": this call. "argv_glob": this and later calls under `rule`. "tool": every later call
    # of the tool. The last two make a rule of the session.
    scope: Literal["once", "argv_glob", "tool"]
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: PermissionAnsweredEventPayloadWho
    # The rule that the answer made.
    rule: str
    # The call stays in the sandbox, with the hosts that the question offered.
    hosts: Literal[True]
    # Ids of the accepted hunks; the others were refused. Absent: the whole call. Since protocol 0.3.0.
    hunks: List[str]
    # Words of the person, which the model reads. Since protocol 0.3.0.
    words: str


_PermissionAnsweredEventRequired = TypedDict("_PermissionAnsweredEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["PermissionAnswered"],
    "payload": PermissionAnsweredEventPayload,
})


class PermissionAnsweredEvent(_PermissionAnsweredEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class CancelledEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_CancelledEventPayloadRequired = TypedDict("_CancelledEventPayloadRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # The client, or the part of the engine that cancelled it.
    "by": str,
    # Reason in words.
    "reason": str,
})


class CancelledEventPayload(_CancelledEventPayloadRequired, total=False):
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: CancelledEventPayloadWho


_CancelledEventRequired = TypedDict("_CancelledEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["Cancelled"],
    "payload": CancelledEventPayload,
})


class CancelledEvent(_CancelledEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_ErrorEventPayloadRequired = TypedDict("_ErrorEventPayloadRequired", {
    # Name of the failure, for programs.
    "reason": str,
    # Text for people.
    "message": str,
})


class ErrorEventPayload(_ErrorEventPayloadRequired, total=False):
    # Values in the text, by name.
    details: Dict[str, Any]
    # A notice is for information: nothing has failed, or the engine continues by itself. Absent: an error.
    severity: Literal["notice"]


_ErrorEventRequired = TypedDict("_ErrorEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["Error"],
    "payload": ErrorEventPayload,
})


class ErrorEvent(_ErrorEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


StreamGapEventPayload = TypedDict("StreamGapEventPayload", {
    # First missing event.
    "from": int,
    # Last missing event.
    "to": int,
    # Cause of the gap.
    "reason": Literal["ttl", "compaction", "crash"],
})


_StreamGapEventRequired = TypedDict("_StreamGapEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["StreamGap"],
    "payload": StreamGapEventPayload,
})


class StreamGapEvent(_StreamGapEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class TokenExpiringEventPayload(TypedDict):
    # The token.
    jti: TokenId
    # Time at which it expires, in seconds since 1970.
    expAt: int


_TokenExpiringEventRequired = TypedDict("_TokenExpiringEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TokenExpiring"],
    "payload": TokenExpiringEventPayload,
})


class TokenExpiringEvent(_TokenExpiringEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class HookTimeoutEventPayload(TypedDict):
    # Event that ran the hook.
    event: str
    # The command of the hook.
    command: str
    # Time after which it was stopped, in nanoseconds.
    after: int


_HookTimeoutEventRequired = TypedDict("_HookTimeoutEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["HookTimeout"],
    "payload": HookTimeoutEventPayload,
})


class HookTimeoutEvent(_HookTimeoutEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_HookErrorEventPayloadRequired = TypedDict("_HookErrorEventPayloadRequired", {
    # Event that ran the hook.
    "event": str,
    # The command of the hook.
    "command": str,
    # Exit code of the command.
    "exit_code": int,
})


class HookErrorEventPayload(_HookErrorEventPayloadRequired, total=False):
    # Output of the command, cut.
    output: str


_HookErrorEventRequired = TypedDict("_HookErrorEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["HookError"],
    "payload": HookErrorEventPayload,
})


class HookErrorEvent(_HookErrorEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class MCPServerDownEventPayload(TypedDict):
    # Name of the server.
    name: str
    # Reason in words.
    reason: str
    # Attempts to start it.
    attempts: int


_MCPServerDownEventRequired = TypedDict("_MCPServerDownEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["MCPServerDown"],
    "payload": MCPServerDownEventPayload,
})


class MCPServerDownEvent(_MCPServerDownEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class SkillRegistryChangedEventPayload(TypedDict):
    # Names of all skills.
    skills: List[str]


_SkillRegistryChangedEventRequired = TypedDict("_SkillRegistryChangedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["SkillRegistryChanged"],
    "payload": SkillRegistryChangedEventPayload,
})


class SkillRegistryChangedEvent(_SkillRegistryChangedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class SessionEndedEventPayload(TypedDict):
    # Reason why it ended.
    reason: Literal["idle", "user", "error", "binary-shutdown"]


_SessionEndedEventRequired = TypedDict("_SessionEndedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["SessionEnded"],
    "payload": SessionEndedEventPayload,
})


class SessionEndedEvent(_SessionEndedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class CustomEventEventPayload(TypedDict):
    # Name of the extension.
    namespace: str
    # Name of the event.
    kind: str
    # Its content.
    payload: Any


_CustomEventEventRequired = TypedDict("_CustomEventEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["CustomEvent"],
    "payload": CustomEventEventPayload,
})


class CustomEventEvent(_CustomEventEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class AskedEventPayloadChoicesItem(TypedDict):
    # Value to answer with.
    value: str
    # Text for the person.
    label: str


class AskedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_AskedEventPayloadRequired = TypedDict("_AskedEventPayloadRequired", {
    # Id of a question.
    "askId": AskId,
    # Subject of the question: a trust acknowledgement, an orphaned call, a plan, a re-run …
    "about": Literal["trust", "orphan", "plan", "elicitation", "token-code", "outside-sandbox", "rewind"],
    # The question in words.
    "text": str,
})


class AskedEventPayload(_AskedEventPayloadRequired, total=False):
    # Answers to choose from. Absent: a text is asked for.
    choices: List[AskedEventPayloadChoicesItem]
    # True if free text is an answer too, beside the choices.
    words: bool
    # The choice that may carry a note: the answer is then its value, a colon and the note.
    noteFor: str
    # Facts behind the question, by name.
    details: Dict[str, Any]
    # The client whose work asks.
    originator: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: AskedEventPayloadWho
    # Time limit for an answer, in milliseconds from `ts` on; then the question is closed without one. The same
    # `askId` again changes the limit of an open question.
    timeoutMs: int
    # See PermissionRequested. Since protocol 0.3.0.
    onlyUnattended: Literal[True]


_AskedEventRequired = TypedDict("_AskedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["Asked"],
    "payload": AskedEventPayload,
})


class AskedEvent(_AskedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class AnsweredEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_AnsweredEventPayloadRequired = TypedDict("_AnsweredEventPayloadRequired", {
    # Id of a question.
    "askId": AskId,
    # The answer, null if there was none.
    "answer": Any,
})


class AnsweredEventPayload(_AnsweredEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: AnsweredEventPayloadWho


_AnsweredEventRequired = TypedDict("_AnsweredEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["Answered"],
    "payload": AnsweredEventPayload,
})


class AnsweredEvent(_AnsweredEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class InputQueuedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class InputQueuedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputQueuedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: InputQueuedEventPayloadContentItemImageSource


class InputQueuedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputQueuedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: InputQueuedEventPayloadContentItemAudioSource


class InputQueuedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputQueuedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: InputQueuedEventPayloadContentItemDocumentSource


class InputQueuedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_InputQueuedEventPayloadRequired = TypedDict("_InputQueuedEventPayloadRequired", {
    # Id of an input that waits.
    "inputId": InputId,
    # The input, in blocks.
    "content": List[Union[
    InputQueuedEventPayloadContentItemText,
    InputQueuedEventPayloadContentItemImage,
    InputQueuedEventPayloadContentItemAudio,
    InputQueuedEventPayloadContentItemDocument,
]],
    # "queue": it waits for its turn. "steer": it enters before the next request of the running turn.
    "delivery": Literal["queue", "steer"],
    # The client that sent it.
    "originator": ClientId,
})


class InputQueuedEventPayload(_InputQueuedEventPayloadRequired, total=False):
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: InputQueuedEventPayloadWho
    # Name of a skill to use.
    skill: str
    # Kind of sub-agent that gets it.
    agent: str


_InputQueuedEventRequired = TypedDict("_InputQueuedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["InputQueued"],
    "payload": InputQueuedEventPayload,
})


class InputQueuedEvent(_InputQueuedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class InputWithdrawnEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_InputWithdrawnEventPayloadRequired = TypedDict("_InputWithdrawnEventPayloadRequired", {
    # Id of an input that waits.
    "inputId": InputId,
})


class InputWithdrawnEventPayload(_InputWithdrawnEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: InputWithdrawnEventPayloadWho


_InputWithdrawnEventRequired = TypedDict("_InputWithdrawnEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["InputWithdrawn"],
    "payload": InputWithdrawnEventPayload,
})


class InputWithdrawnEvent(_InputWithdrawnEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_CheckpointMadeEventPayloadRequired = TypedDict("_CheckpointMadeEventPayloadRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # Number of files in the checkpoint.
    "files": int,
})


class CheckpointMadeEventPayload(_CheckpointMadeEventPayloadRequired, total=False):
    # Paths that cannot be restored; `.`: none can.
    notRestorable: List[str]


_CheckpointMadeEventRequired = TypedDict("_CheckpointMadeEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["CheckpointMade"],
    "payload": CheckpointMadeEventPayload,
})


class CheckpointMadeEvent(_CheckpointMadeEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_TaskChangedEventPayloadRequired = TypedDict("_TaskChangedEventPayloadRequired", {
    # Id of a background task.
    "taskId": TaskId,
    # Description of the task.
    "what": str,
    # State of the task.
    "state": Literal["running", "done", "failed", "stopped"],
})


class TaskChangedEventPayload(_TaskChangedEventPayloadRequired, total=False):
    # Result or reason, in words.
    detail: str


_TaskChangedEventRequired = TypedDict("_TaskChangedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TaskChanged"],
    "payload": TaskChangedEventPayload,
})


class TaskChangedEvent(_TaskChangedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_TodoChangedEventPayloadItemsItemRequired = TypedDict("_TodoChangedEventPayloadItemsItemRequired", {
    # The item in words.
    "content": str,
    # State of the item.
    "status": Literal["pending", "in_progress", "completed"],
})


class TodoChangedEventPayloadItemsItem(_TodoChangedEventPayloadItemsItemRequired, total=False):
    # The item while it is in progress, in words.
    activeForm: str


class TodoChangedEventPayload(TypedDict):
    # All items, in order.
    items: List[TodoChangedEventPayloadItemsItem]


_TodoChangedEventRequired = TypedDict("_TodoChangedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["TodoChanged"],
    "payload": TodoChangedEventPayload,
})


class TodoChangedEvent(_TodoChangedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


_MemoryWrittenEventPayloadRequired = TypedDict("_MemoryWrittenEventPayloadRequired", {
    # Name of the memory.
    "name": str,
    # Sort of the memory.
    "type": str,
    # Description in a line.
    "description": str,
})


class MemoryWrittenEventPayload(_MemoryWrittenEventPayloadRequired, total=False):
    # True if it was removed.
    removed: bool


_MemoryWrittenEventRequired = TypedDict("_MemoryWrittenEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["MemoryWritten"],
    "payload": MemoryWrittenEventPayload,
})


class MemoryWrittenEvent(_MemoryWrittenEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class ProfileSwitchedEventPayloadSpentBefore(TypedDict):
    # Sum over the calls with a known price.
    usd: float
    # Number of calls with an unknown price.
    unknownCalls: int
    # Including those of the cache.
    inputTokens: int
    # Tokens of the answers.
    outputTokens: int


_ProfileSwitchedEventPayloadRequired = TypedDict("_ProfileSwitchedEventPayloadRequired", {
    # Name of the profile before.
    "from": str,
    # Name of the profile now.
    "to": str,
})


class ProfileSwitchedEventPayload(_ProfileSwitchedEventPayloadRequired, total=False):
    # The log that is continued.
    logId: LogId
    # The session that continues.
    next: SessionId
    # The session that was left.
    previous: SessionId
    # True if the same log continues, as a new run under the other profile.
    inPlace: bool
    # In the session that continues: the total cost of the sessions before it.
    spentBefore: ProfileSwitchedEventPayloadSpentBefore


_ProfileSwitchedEventRequired = TypedDict("_ProfileSwitchedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ProfileSwitched"],
    "payload": ProfileSwitchedEventPayload,
})


class ProfileSwitchedEvent(_ProfileSwitchedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class ModelChangedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_ModelChangedEventPayloadRequired = TypedDict("_ModelChangedEventPayloadRequired", {
    # `provider:name`.
    "model": str,
})


class ModelChangedEventPayload(_ModelChangedEventPayloadRequired, total=False):
    # Set if the model has changed.
    previous: str
    # The effort that a client chose for the session, changed or not. Absent: the configuration decides.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: ModelChangedEventPayloadWho


_ModelChangedEventRequired = TypedDict("_ModelChangedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["ModelChanged"],
    "payload": ModelChangedEventPayload,
})


class ModelChangedEvent(_ModelChangedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class RuleRevokedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_RuleRevokedEventPayloadRequired = TypedDict("_RuleRevokedEventPayloadRequired", {
    # The rule.
    "rule": str,
})


class RuleRevokedEventPayload(_RuleRevokedEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: RuleRevokedEventPayloadWho


_RuleRevokedEventRequired = TypedDict("_RuleRevokedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["RuleRevoked"],
    "payload": RuleRevokedEventPayload,
})


class RuleRevokedEvent(_RuleRevokedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class RulePromotedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_RulePromotedEventPayloadRequired = TypedDict("_RulePromotedEventPayloadRequired", {
    # The rule.
    "rule": str,
    # The profile that has the rule from now on.
    "profile": str,
    # The file that it was written to.
    "path": str,
})


class RulePromotedEventPayload(_RulePromotedEventPayloadRequired, total=False):
    # The directory that it holds in, subfolders included; absent: everywhere under that profile.
    directory: str
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: RulePromotedEventPayloadWho


_RulePromotedEventRequired = TypedDict("_RulePromotedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["RulePromoted"],
    "payload": RulePromotedEventPayload,
})


class RulePromotedEvent(_RulePromotedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class SessionRenamedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_SessionRenamedEventPayloadRequired = TypedDict("_SessionRenamedEventPayloadRequired", {
    # The title, empty for the made one.
    "title": str,
})


class SessionRenamedEventPayload(_SessionRenamedEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: SessionRenamedEventPayloadWho


_SessionRenamedEventRequired = TypedDict("_SessionRenamedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["SessionRenamed"],
    "payload": SessionRenamedEventPayload,
})


class SessionRenamedEvent(_SessionRenamedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class LevelChangedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_LevelChangedEventPayloadRequired = TypedDict("_LevelChangedEventPayloadRequired", {
    # Levels of a session, the tightest first.
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
})


class LevelChangedEventPayload(_LevelChangedEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: LevelChangedEventPayloadWho


_LevelChangedEventRequired = TypedDict("_LevelChangedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["LevelChanged"],
    "payload": LevelChangedEventPayload,
})


class LevelChangedEvent(_LevelChangedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class InputEditedEventPayloadContentItemText(TypedDict):
    type: Literal["text"]
    # The text.
    text: str


class InputEditedEventPayloadContentItemImageSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputEditedEventPayloadContentItemImage(TypedDict):
    type: Literal["image"]
    # The bytes of an image, audio or document.
    source: InputEditedEventPayloadContentItemImageSource


class InputEditedEventPayloadContentItemAudioSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputEditedEventPayloadContentItemAudio(TypedDict):
    type: Literal["audio"]
    # The bytes of an image, audio or document.
    source: InputEditedEventPayloadContentItemAudioSource


class InputEditedEventPayloadContentItemDocumentSource(TypedDict):
    type: Literal["base64"]
    # Media type, such as `image/png`.
    media_type: str
    # The bytes in base64.
    data: str


class InputEditedEventPayloadContentItemDocument(TypedDict):
    type: Literal["document"]
    # The bytes of an image, audio or document.
    source: InputEditedEventPayloadContentItemDocumentSource


class InputEditedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_InputEditedEventPayloadRequired = TypedDict("_InputEditedEventPayloadRequired", {
    # Id of an input that waits.
    "inputId": InputId,
    # The new content, in blocks.
    "content": List[Union[
    InputEditedEventPayloadContentItemText,
    InputEditedEventPayloadContentItemImage,
    InputEditedEventPayloadContentItemAudio,
    InputEditedEventPayloadContentItemDocument,
]],
})


class InputEditedEventPayload(_InputEditedEventPayloadRequired, total=False):
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: InputEditedEventPayloadWho


_InputEditedEventRequired = TypedDict("_InputEditedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["InputEdited"],
    "payload": InputEditedEventPayload,
})


class InputEditedEvent(_InputEditedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
    aside: Literal[True]


class InputMovedEventPayloadWho(TypedDict):
    # Name that the client gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token, which the engine has checked.
    identityClass: Literal["human", "agent"]


_InputMovedEventPayloadRequired = TypedDict("_InputMovedEventPayloadRequired", {
    # Id of an input that waits.
    "inputId": InputId,
})


class InputMovedEventPayload(_InputMovedEventPayloadRequired, total=False):
    # The waiting input that it stands before now. Absent: it is the last.
    before: InputId
    # The client whose command it was. Absent: the engine itself.
    by: ClientId
    # The client that `originator` or `by` names, as it was when it acted. Absent: the engine itself, a client that
    # it does not know any more, an older log, or expired content. Since protocol 0.3.0.
    who: InputMovedEventPayloadWho


_InputMovedEventRequired = TypedDict("_InputMovedEventRequired", {
    # A position in a log: JSON numbers up to 2^53 − 1.
    "id": int,
    # The session.
    "session": SessionId,
    # Time at which it was made, in UTC.
    "ts": str,
    "kind": Literal["InputMoved"],
    "payload": InputMovedEventPayload,
})


class InputMovedEvent(_InputMovedEventRequired, total=False):
    # The client whose command caused it. Absent: the engine itself.
    originator: ClientId
    # The call of the parent session that this event of a sub-agent belongs to.
    parentCall: CallId
    # True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
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
    # Id of a client.
    id: ClientId
    # Name that it gives itself, without control characters. Never trust it: clients may share one.
    label: str
    # Class of its token.
    identity_class: Literal["human", "agent"]


_SessionInfoBranchOfRequired = TypedDict("_SessionInfoBranchOfRequired", {
    # Id of a log: it stays the same when a session is resumed.
    "log": LogId,
    # The event at which it branched off.
    "event": int,
})


class SessionInfoBranchOf(_SessionInfoBranchOfRequired, total=False):
    # Id of a session: one run on a log.
    session: SessionId


_SessionInfoRequired = TypedDict("_SessionInfoRequired", {
    # The newest run on its log.
    "session": SessionId,
    # Id of a log: it stays the same when a session is resumed.
    "log": LogId,
    # "running": a process holds it; "interrupted": it stopped in the middle of a turn; "paused": it can be resumed.
    "status": Literal["running", "interrupted", "paused"],
    # True if this engine runs it: it takes input now.
    "live": bool,
    # The beginning of the first prompt, unless `renamed`.
    "title": str,
    # Name of the profile.
    "profile": str,
    # `provider:name`.
    "model": str,
    # Number of turns.
    "turns": int,
    # The id of its last event.
    "events": int,
    # Time at which its log began.
    "created_at": str,
    # Time of its last event.
    "updated_at": str,
    # Absolute path of its working directory.
    "working_dir": str,
    # True if it does not end by itself when nobody uses it.
    "pinned": bool,
})


class SessionInfo(_SessionInfoRequired, total=False):
    # "running": a turn runs; "waiting": a question waits for an answer; "idle": neither. Of a session of another
    # process it is only known if a turn runs. Since protocol 0.3.0.
    state: Literal["running", "waiting", "idle"]
    # True if a person gave it its title. Since protocol 0.3.0.
    renamed: bool
    # True if lists leave it out. Since protocol 0.3.0.
    archived: bool
    # The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    # Permission level; of a session that runs here. Since protocol 0.3.0.
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    # True in plan mode. Since protocol 0.3.0.
    plan_mode: bool
    # True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or pin.
    # Since protocol 0.3.0.
    unused: bool
    # Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0.
    unread: int
    # US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0.
    cost_usd: Union[float, None]
    # Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0.
    input_tokens: int
    # Tokens of the answers.
    output_tokens: int
    # Tokens read from the prompt cache.
    cache_read_tokens: int
    # Tokens written to the prompt cache.
    cache_write_tokens: int
    # Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0.
    context_tokens: int
    # Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0.
    context_window: int
    # Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0.
    questions: int
    # Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0.
    queued: int
    # Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a
    # StreamGap for those that are lost. Since protocol 0.3.0.
    reserved: int
    # Set if a question in it is not answered: every open question has an id above this.
    asked_since: int
    # Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0.
    queued_since: int
    # `session`: the newest run of that log; absent if it was deleted.
    branch_of: SessionInfoBranchOf
    # Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0.
    attached_by: List[str]
    # The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For
    # tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0.
    clients: List[FollowingClient]
    # Days until content of it expires. Absent: none will. Since protocol 0.3.0.
    expires_in_days: int
    # The end of the model's last text on one line, with `previews`. Since protocol 0.3.0.
    last_text: str


class SessionChangedNews(TypedDict):
    kind: Literal["SessionChanged"]
    # Id of a session: one run on a log.
    session: SessionId
    # The session as ListSessions describes it. It replaces earlier items about it.
    info: SessionInfo


class SessionGoneNews(TypedDict):
    kind: Literal["SessionGone"]
    # It ended, was deleted, or a newer run on its log took its place, which follows.
    session: SessionId
    # Log of the session.
    log: LogId


class NewsReadyNews(TypedDict):
    kind: Literal["NewsReady"]


NewsItem = Union[
    SessionChangedNews,
    SessionGoneNews,
    NewsReadyNews,
]


_HandshakeRequired = TypedDict("_HandshakeRequired", {
    # Version of the protocol that the engine speaks.
    "protocol_version": str,
    # Version of the form in which messages are kept.
    "canonical_form_version": int,
    # Version of the claims in tokens.
    "schema_version_token_claim": int,
    # Version of the format of profiles.
    "schema_version_profile": int,
    # Version of the format of session logs.
    "schema_version_session_log": int,
    # The commands that the engine accepts.
    "command_kinds": List[str],
    # The events that the engine writes.
    "event_kinds": List[str],
    # Features that the engine serves, by name.
    "features": List[str],
    # Scheme of the addresses of MCP resources.
    "resource_uri_scheme": str,
})


class Handshake(_HandshakeRequired, total=False):
    # The queries that the engine answers. Since protocol 0.3.0.
    query_kinds: List[str]


class AgentInfo(TypedDict):
    # Name of the kind.
    name: str
    # Purpose, for the model.
    description: str


class CacheInfo(TypedDict):
    # Name of the cache.
    name: str
    # Number of entries.
    entries: int
    # Size of the entries.
    bytes: int
    # Lookups that found an entry.
    hits: int
    # Lookups that found none.
    misses: int
    # Entries removed for lack of space.
    evictions: int


_McpServerInfoRequired = TypedDict("_McpServerInfoRequired", {
    # Name of the server.
    "name": str,
    # "degraded": it could not be started again.
    "state": Literal["stopped", "starting", "running", "degraded"],
    # Number of its tools.
    "tools": int,
})


class McpServerInfo(_McpServerInfoRequired, total=False):
    # The sessions that use it, of those that the token names. It distinguishes two servers of one name that
    # different sessions declare. Since protocol 0.3.0.
    sessions: List[SessionId]


_EngineHealthKeyHelperRequired = TypedDict("_EngineHealthKeyHelperRequired", {
    # State of the process that holds keys.
    "state": Literal["none", "starting", "working", "restarting", "failed"],
})


class EngineHealthKeyHelper(_EngineHealthKeyHelperRequired, total=False):
    # Number of its failures.
    failures: int


_EngineHealthDatabaseRequired = TypedDict("_EngineHealthDatabaseRequired", {
    # Path of the file.
    "path": str,
})


class EngineHealthDatabase(_EngineHealthDatabaseRequired, total=False):
    # Size of the file. Absent if there is none.
    bytes: int


_EngineHealthNotifyRequired = TypedDict("_EngineHealthNotifyRequired", {
    # "failing": the last one was not delivered.
    "state": Literal["working", "failing"],
    # Number of delivered notifications.
    "sent": int,
    # Number of failed notifications.
    "failed": int,
    # Number of notifications that had no room.
    "dropped": int,
})


class EngineHealthNotify(_EngineHealthNotifyRequired, total=False):
    # Reason why the last one was not delivered.
    problem: str


_EngineHealthRequired = TypedDict("_EngineHealthRequired", {
    # Version of cinch.
    "version": str,
    # Process id of the engine.
    "pid": int,
    # Number of sessions that run.
    "sessions": int,
    # `none`: there are no keys, or the engine holds them itself.
    "key_helper": EngineHealthKeyHelper,
    # The file that holds the sessions.
    "database": EngineHealthDatabase,
    # The MCP servers that it uses.
    "mcp_servers": List[McpServerInfo],
    # Addresses. Empty: it serves its own process only.
    "listening": List[str],
})


class EngineHealth(_EngineHealthRequired, total=False):
    # Source of the machine key. Absent: it was not used yet.
    machine_key: str
    # Origins whose pages it answers. Absent: none. Since protocol 0.3.0.
    allowed_origins: List[str]
    # Notifications to the user's address. `problem` is that of the last one; `dropped` are those that had no room.
    # Absent: none are sent. Since protocol 0.3.0.
    notify: EngineHealthNotify


_ErrorBodyRequired = TypedDict("_ErrorBodyRequired", {
    # Name of the refusal, for programs.
    "reason": str,
    # Text for people.
    "message": str,
})


class ErrorBody(_ErrorBodyRequired, total=False):
    # Values in the text, by name.
    details: Dict[str, Any]


class Health(TypedDict):
    # `starting`: it listens, and its owner gets no token yet. Since protocol 0.3.0.
    status: Literal["ok", "starting", "stopping"]
    # Version of the protocol that it speaks.
    protocol_version: str


_PriceInfoRequired = TypedDict("_PriceInfoRequired", {
    # Price of the input.
    "input": float,
    # Price of the answer.
    "output": float,
})


class PriceInfo(_PriceInfoRequired, total=False):
    # Price of input that is read from the prompt cache.
    cache_read: float
    # Price of input that is written to the prompt cache.
    cache_write: float


_ModelInfoRequired = TypedDict("_ModelInfoRequired", {
    # Name of the model, without its provider.
    "id": str,
})


class ModelInfo(_ModelInfoRequired, total=False):
    # Name for people.
    name: str
    # Tokens that it accepts. Absent: unknown.
    context_tokens: int
    # Longest answer. Absent: unknown.
    output_tokens_max: int
    # Content that it is known to accept. Absent: unknown. Since protocol 0.3.0.
    accepts: List[Literal["text", "image", "audio", "pdf"]]
    # True if it can think before it answers. Absent: unknown. Since protocol 0.3.0.
    thinking: bool
    # Efforts that it accepts; others become the nearest below. Absent: unknown. Since protocol 0.3.0.
    efforts: List[Literal["off", "low", "medium", "high", "xhigh", "max"]]
    # Absent: unknown.
    price: PriceInfo


_ModelPriceInfoLongRequired = TypedDict("_ModelPriceInfoLongRequired", {
    # Price of the input.
    "input": float,
    # Price of the answer.
    "output": float,
    # A request with more input tokens is long.
    "above_tokens": int,
})


class ModelPriceInfoLong(_ModelPriceInfoLongRequired, total=False):
    # Price of input that is read from the prompt cache.
    cache_read: float
    # Price of input that is written to the prompt cache.
    cache_write: float


_ModelPriceInfoRequired = TypedDict("_ModelPriceInfoRequired", {
    # Price of the input.
    "input": float,
    # Price of the answer.
    "output": float,
})


class ModelPriceInfo(_ModelPriceInfoRequired, total=False):
    # Price of input that is read from the prompt cache.
    cache_read: float
    # Price of input that is written to the prompt cache.
    cache_write: float
    # Prices of a long request.
    long: ModelPriceInfoLong


_ProfileInfoMcpServersItemRequired = TypedDict("_ProfileInfoMcpServersItemRequired", {
    # Name of the server.
    "name": str,
    # Transport to the server.
    "transport": Literal["stdio", "http", "sse"],
    # True if its program is pinned to its content.
    "pinned": bool,
})


class ProfileInfoMcpServersItem(_ProfileInfoMcpServersItemRequired, total=False):
    # When its tools are read: at the start, or when one is needed.
    discovery: Literal["eager", "lazy"]


class ProfileInfoPermissionsRulesItem(TypedDict):
    # Effect of the rule.
    effect: Literal["allow", "ask", "deny"]
    # The rule.
    rule: str


_ProfileInfoPermissionsRequired = TypedDict("_ProfileInfoPermissionsRequired", {
    # Permission rules.
    "rules": List[ProfileInfoPermissionsRulesItem],
})


class ProfileInfoPermissions(_ProfileInfoPermissionsRequired, total=False):
    # Levels of a session, the tightest first.
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    # True if calls above the level are denied without a question.
    strict: bool


_ProfileInfoRequired = TypedDict("_ProfileInfoRequired", {
    # Name of the profile.
    "name": str,
    # "embedded": part of cinch; "user": in the user's configuration.
    "source": Literal["embedded", "user"],
})


class ProfileInfo(_ProfileInfoRequired, total=False):
    # `provider:name`.
    default_model: str
    # Files whose text stands in the system text.
    context_sources: List[str]
    # Groups of tools that it has.
    tool_packs: List[str]
    # Folders of skills that it has.
    skill_packs: List[str]
    # Servers that the profile itself declares, without their arguments and environment.
    mcp_servers: List[ProfileInfoMcpServersItem]
    # Names of its plugins.
    plugins: List[str]
    # Permissions that it declares.
    permissions: ProfileInfoPermissions
    # True if hooks of repositories may run.
    allow_project_hooks: bool


_ProviderInfoRequired = TypedDict("_ProviderInfoRequired", {
    # Name of the provider.
    "name": str,
    # True if it is set up: a key exists, or the configuration names it. Keys themselves are never returned.
    "configured": bool,
})


class ProviderInfo(_ProviderInfoRequired, total=False):
    # Its catalogue. Absent: not requested, or not available.
    models: List[ModelInfo]
    # Reason why the catalogue is not available.
    error: str
    # Usual address of a model server on the machine of the engine; ListModels shows if it answers. Absent: it is
    # another provider. Since protocol 0.3.0.
    address: str
    # Variable for its key, which StoreProviderKey stores. Absent: it takes no such key. Since protocol 0.3.0.
    key_variable: str


class RuntimeInfoCaches(TypedDict):
    # Size of all caches.
    bytes: int
    # Limit of that size.
    bytes_max: int
    # The caches.
    each: List[CacheInfo]


_RuntimeInfoRequired = TypedDict("_RuntimeInfoRequired", {
    # Version of cinch.
    "version": str,
    # Version of the protocol that it speaks.
    "protocol_version": str,
    # Random id of each start of the engine. Since protocol 0.3.0.
    "engine": str,
})


class RuntimeInfo(_RuntimeInfoRequired, total=False):
    # Process id of the engine.
    pid: int
    # Time at which it started.
    started_at: str
    # Number of sessions that run.
    sessions: int
    # Data in memory that can be fetched again: the caches share one budget, in bytes.
    caches: RuntimeInfoCaches


_SessionDetailBranchOfRequired = TypedDict("_SessionDetailBranchOfRequired", {
    # Id of a log: it stays the same when a session is resumed.
    "log": LogId,
    # The event at which it branched off.
    "event": int,
})


class SessionDetailBranchOf(_SessionDetailBranchOfRequired, total=False):
    # Id of a session: one run on a log.
    session: SessionId


_SessionDetailRequired = TypedDict("_SessionDetailRequired", {
    # The newest run on its log.
    "session": SessionId,
    # Id of a log: it stays the same when a session is resumed.
    "log": LogId,
    # "running": a process holds it; "interrupted": it stopped in the middle of a turn; "paused": it can be resumed.
    "status": Literal["running", "interrupted", "paused"],
    # True if this engine runs it: it takes input now.
    "live": bool,
    # The beginning of the first prompt, unless `renamed`.
    "title": str,
    # Name of the profile.
    "profile": str,
    # `provider:name`.
    "model": str,
    # Number of turns.
    "turns": int,
    # The id of its last event.
    "events": int,
    # Time at which its log began.
    "created_at": str,
    # Time of its last event.
    "updated_at": str,
    # Absolute path of its working directory.
    "working_dir": str,
    # True if it does not end by itself when nobody uses it.
    "pinned": bool,
    # The newest events of its log, in order.
    "last_events": List[Envelope],
})


class SessionDetail(_SessionDetailRequired, total=False):
    # "running": a turn runs; "waiting": a question waits for an answer; "idle": neither. Of a session of another
    # process it is only known if a turn runs. Since protocol 0.3.0.
    state: Literal["running", "waiting", "idle"]
    # True if a person gave it its title. Since protocol 0.3.0.
    renamed: bool
    # True if lists leave it out. Since protocol 0.3.0.
    archived: bool
    # The effort that a client chose for the session. Absent: the configuration decides. Since protocol 0.3.0.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]
    # Permission level; of a session that runs here. Since protocol 0.3.0.
    level: Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]
    # True in plan mode. Since protocol 0.3.0.
    plan_mode: bool
    # True if it was never used: it has no turn, waiting input, command of a person, title of a person, draft or pin.
    # Since protocol 0.3.0.
    unused: bool
    # Turns that have ended since the mark of `reader`; without a mark, all. Since protocol 0.3.0.
    unread: int
    # US dollars of all of its calls; null if the price of one is unknown. Since protocol 0.3.0.
    cost_usd: Union[float, None]
    # Tokens of the input of all of its calls, without those of the cache. Since protocol 0.3.0.
    input_tokens: int
    # Tokens of the answers.
    output_tokens: int
    # Tokens read from the prompt cache.
    cache_read_tokens: int
    # Tokens written to the prompt cache.
    cache_write_tokens: int
    # Tokens of the newest request and its answer. Absent: unknown. Since protocol 0.3.0.
    context_tokens: int
    # Tokens that the model accepts. Absent: unknown. Since protocol 0.3.0.
    context_window: int
    # Questions that wait for an answer; 0 for a session that does not run here. Since protocol 0.3.0.
    questions: int
    # Inputs that wait for their turn; 0 for a session that does not run here. Since protocol 0.3.0.
    queued: int
    # Set if it broke off: clients may have seen events up to this id. The next run begins behind it, with a
    # StreamGap for those that are lost. Since protocol 0.3.0.
    reserved: int
    # Set if a question in it is not answered: every open question has an id above this.
    asked_since: int
    # Set if an input in it waits for its turn: every one that waits has an id above this. Since protocol 0.3.0.
    queued_since: int
    # `session`: the newest run of that log; absent if it was deleted.
    branch_of: SessionDetailBranchOf
    # Names of the clients that follow it; for tokens of every session. Since protocol 0.3.0.
    attached_by: List[str]
    # The clients that follow it, in the order in which they came, each once; at most `CLIENTS_LISTED_MAX`. For
    # tokens of every session. News of the session come when one attaches or leaves. Since protocol 0.3.0.
    clients: List[FollowingClient]
    # Days until content of it expires. Absent: none will. Since protocol 0.3.0.
    expires_in_days: int
    # The end of the model's last text on one line, with `previews`. Since protocol 0.3.0.
    last_text: str


class SessionProfileToolsItem(TypedDict):
    # Name of the tool.
    name: str
    # Source of the tool.
    source: str


class SessionProfile(TypedDict):
    # Name of the profile.
    profile: str
    # The name or path that it was requested by.
    reference: str
    # Path of its file.
    path: str
    # Source.
    source: Literal["embedded", "user"]
    # `provider:name`.
    model: str
    # Names of its skills.
    skills: List[str]
    # The MCP servers that run for it.
    mcp_servers: List[McpServerInfo]
    # Its tools.
    tools: List[SessionProfileToolsItem]


_SkillInfoRequired = TypedDict("_SkillInfoRequired", {
    # Name of the skill.
    "name": str,
    # In a list one line of at most 250 characters; with the text the whole of it.
    "description": str,
    # Source.
    "source": str,
})


class SkillInfo(_SkillInfoRequired, total=False):
    # Its folder, if a session is given.
    path: str


_SkillTextRequired = TypedDict("_SkillTextRequired", {
    # Name of the skill.
    "name": str,
    # In a list one line of at most 250 characters; with the text the whole of it.
    "description": str,
    # Source.
    "source": str,
    # The text of SKILL.md below its head.
    "text": str,
})


class SkillText(_SkillTextRequired, total=False):
    # Its folder, if a session is given.
    path: str
    # Other fields of its SKILL.md head, unchanged: license, compatibility, metadata, allowed-tools and others.
    fields: Dict[str, Any]


_SlashCommandInfoStandsForFieldsValue1Required = TypedDict("_SlashCommandInfoStandsForFieldsValue1Required", {
    "from": Literal["session"],
})


class SlashCommandInfoStandsForFieldsValue1(_SlashCommandInfoStandsForFieldsValue1Required, total=False):
    # Not sent if one of these flags is present.
    unless: List[str]


_SlashCommandInfoStandsForFieldsValue2Required = TypedDict("_SlashCommandInfoStandsForFieldsValue2Required", {
    "from": Literal["word"],
    # Number of the word, from 0.
    "at": int,
})


class SlashCommandInfoStandsForFieldsValue2(_SlashCommandInfoStandsForFieldsValue2Required, total=False):
    # True: the word may be missing.
    optional: bool


SlashCommandInfoStandsForFieldsValue3 = TypedDict("SlashCommandInfoStandsForFieldsValue3", {
    "from": Literal["find"],
    # Number of the word, from 0.
    "at": int,
})


SlashCommandInfoStandsForFieldsValue4 = TypedDict("SlashCommandInfoStandsForFieldsValue4", {
    "from": Literal["rest"],
})


SlashCommandInfoStandsForFieldsValue5 = TypedDict("SlashCommandInfoStandsForFieldsValue5", {
    "from": Literal["flag"],
    # The flags.
    "words": List[str],
})


_SlashCommandInfoStandsForFieldsValue6Required = TypedDict("_SlashCommandInfoStandsForFieldsValue6Required", {
    "from": Literal["option"],
    # The flags.
    "words": List[str],
})


class SlashCommandInfoStandsForFieldsValue6(_SlashCommandInfoStandsForFieldsValue6Required, total=False):
    # Other spellings of a value.
    same: Dict[str, str]


SlashCommandInfoStandsForFieldsValue7 = TypedDict("SlashCommandInfoStandsForFieldsValue7", {
    "from": Literal["value"],
    # The constant.
    "value": Any,
})


_SlashCommandInfoStandsForShows1Required = TypedDict("_SlashCommandInfoStandsForShows1Required", {
    "as": Literal["text"],
    # The template.
    "text": str,
})


class SlashCommandInfoStandsForShows1(_SlashCommandInfoStandsForShows1Required, total=False):
    # Text if every field of `text` is absent.
    none: str


class SlashCommandInfoStandsForShows2Mark(TypedDict):
    # The field of the answer.
    field: str
    # The field of the line.
    key: str


_SlashCommandInfoStandsForShows2Required = TypedDict("_SlashCommandInfoStandsForShows2Required", {
    "as": Literal["list"],
    # The list in the answer.
    "field": str,
    # The template of one line.
    "line": str,
    # The text for an empty list.
    "none": str,
})


class SlashCommandInfoStandsForShows2(_SlashCommandInfoStandsForShows2Required, total=False):
    # Texts that replace values.
    words: Dict[str, str]
    # A list of further lines in the answer.
    notes: str
    # A line below the list.
    after: str
    # Marks with a star the line whose `key` equals the answer's `field`; other lines begin with a space.
    mark: SlashCommandInfoStandsForShows2Mark


class SlashCommandInfoStandsForShows3ColumnsItem(TypedDict):
    # Head of the column.
    head: str
    # Template of the column.
    cell: str


SlashCommandInfoStandsForShows3 = TypedDict("SlashCommandInfoStandsForShows3", {
    "as": Literal["table"],
    # The list in the answer.
    "field": str,
    # Head and template of each column.
    "columns": List[SlashCommandInfoStandsForShows3ColumnsItem],
    # The text for an empty list.
    "none": str,
})


SlashCommandInfoStandsForShows4 = TypedDict("SlashCommandInfoStandsForShows4", {
    "as": Literal["sessions"],
    # The text for an empty list.
    "none": str,
})


SlashCommandInfoStandsForShows5 = TypedDict("SlashCommandInfoStandsForShows5", {
    "as": Literal["profile"],
})


SlashCommandInfoStandsForShows6 = TypedDict("SlashCommandInfoStandsForShows6", {
    "as": Literal["health"],
})


class SlashCommandInfoStandsFor(TypedDict, total=False):
    # Kind of the query.
    query: str
    # Kind of the command.
    command: str
    # Source of each field.
    fields: Dict[str, Union[
    SlashCommandInfoStandsForFieldsValue1,
    SlashCommandInfoStandsForFieldsValue2,
    SlashCommandInfoStandsForFieldsValue3,
    SlashCommandInfoStandsForFieldsValue4,
    SlashCommandInfoStandsForFieldsValue5,
    SlashCommandInfoStandsForFieldsValue6,
    SlashCommandInfoStandsForFieldsValue7,
]]
    # Layout of the answer. Absent: nothing is drawn.
    shows: Union[
    SlashCommandInfoStandsForShows1,
    SlashCommandInfoStandsForShows2,
    SlashCommandInfoStandsForShows3,
    SlashCommandInfoStandsForShows4,
    SlashCommandInfoStandsForShows5,
    SlashCommandInfoStandsForShows6,
]


_SlashCommandInfoRequired = TypedDict("_SlashCommandInfoRequired", {
    # Without the slash; with its namespace if it has one: "compact", "sessions:list".
    "name": str,
    # The command with its words.
    "usage": str,
    # Effect in a sentence.
    "help": str,
    # The command that runs it; "client" if the client runs it itself.
    "command": str,
})


class SlashCommandInfo(_SlashCommandInfoRequired, total=False):
    # For an alias: what a client replaces it with, before the words that follow.
    alias_of: str
    # Part of the name before the colon; absent: it has none.
    namespace: str
    # The same as `help`.
    description: str
    # Words after the name, as `usage` writes them; absent: there are none, or they are free.
    args_help: str
    # JSON Schema of the words after the name, as one text.
    args_schema: Dict[str, Any]
    # Further names. Since protocol 0.3.0.
    aliases: List[str]
    # True if the words are one text: quotes need not be closed. Since protocol 0.3.0.
    takes_text: bool
    # The query or command that a client sends for it, and the layout of the answer. Since protocol 0.3.0.
    stands_for: SlashCommandInfoStandsFor
    # True if it belongs to cinch, and is the same in each session.
    is_builtin: bool


_TaskInfoRequired = TypedDict("_TaskInfoRequired", {
    # Id of a background task.
    "task": TaskId,
    # Description of the task.
    "what": str,
    # State of the task.
    "state": Literal["running", "done", "failed", "stopped"],
    # Time of its last update.
    "updated_at": str,
})


class TaskInfo(_TaskInfoRequired, total=False):
    # Result or reason, in words.
    detail: str


_ToolInfoRequired = TypedDict("_ToolInfoRequired", {
    # Name, as the model calls it.
    "name": str,
    # Description for the model.
    "description": str,
    # JSON Schema of its arguments.
    "input_schema": Dict[str, Any],
    # Permission level under which it runs without a question.
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
    # True if it may change something.
    "mutating": bool,
    # True if requests leave it out until the model searches for it.
    "lazy": bool,
    # Source: cinch, an MCP server, a plugin or a skill.
    "source": str,
})


class ToolInfo(_ToolInfoRequired, total=False):
    # Its name with the spelling of its MCP server, if that is another. Since protocol 0.3.0.
    spelled: str
    # The reason why each call needs the yes of a person, whatever rules say. Since protocol 0.3.0.
    person_only: str


class UsageInfo(TypedDict):
    # Provider calls.
    calls: int
    # Without the tokens of the cache.
    input_tokens: int
    # Tokens of the answers.
    output_tokens: int
    # Tokens read from the prompt cache.
    cache_read_tokens: int
    # Tokens written to the prompt cache.
    cache_write_tokens: int


class TurnAnswerError(TypedDict):
    # Name of the failure, for programs.
    reason: str
    # Text for people.
    message: str


_TurnAnswerRequired = TypedDict("_TurnAnswerRequired", {
    # Text of the last message of the model that had any; empty if none had.
    "text": str,
    # Reason why the turn ended, as TurnEnded has it; `withdrawn` if the input was withdrawn.
    "reason": str,
    # Calls of the provider in this turn.
    "turns": int,
    # US dollars; null if the price of a call is unknown, or a call was cut off before it reported usage.
    "cost_usd": Union[float, None],
    # Names of the tools that were called, each once, in the order of their first call.
    "tools_used": List[str],
})


class TurnAnswer(_TurnAnswerRequired, total=False):
    # Tokens of the turn and its sub-agents. Since protocol 0.3.0.
    usage: UsageInfo
    # Calls that did not run because nobody had allowed them. Since protocol 0.3.0.
    refused: int
    # Reason why the turn did not end well. Absent after complete, yield, cancelled and withdrawn.
    error: TurnAnswerError
    # With `?events=true`: every event of the turn.
    events: List[Any]


class ListSessionsQuery(TypedDict, total=False):
    # `true`: those that are stored too. Default: those that run.
    past: bool
    # Only sessions whose working directory is that of this one.
    sessionId: SessionId
    # At most so many. Default: 1000.
    limit: int
    # Words that the title, an id or the working directory contain, in any case: all of them in one field.
    text: str
    # Only sessions in this state: `running`, `waiting` or `idle`.
    state: Literal["running", "waiting", "idle"]
    # Archived sessions: `without` them (the default), `with` them, or them `only`.
    archived: Literal["without", "with", "only"]
    # `cursor` of an answer: the list continues after it.
    before: str
    # Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is
    # left out.
    reader: str
    # `true`: with the end of the model's last text.
    previews: bool


_ListSessionsResultRequired = TypedDict("_ListSessionsResultRequired", {
    # The sessions, the newest first.
    "sessions": List[SessionInfo],
})


class ListSessionsResult(_ListSessionsResultRequired, total=False):
    # True if there are more: ask again with `before`. Since protocol 0.3.0.
    more: bool
    # Absent if there are no more. Since protocol 0.3.0.
    cursor: str


_GetSessionQueryRequired = TypedDict("_GetSessionQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
})


class GetSessionQuery(_GetSessionQueryRequired, total=False):
    # Number of events, at most 1000. Default: 50. Above 4 MiB the oldest are left out.
    last: int
    # Name under which a client marks what it has read: `unread` is counted from its mark. Default: `unread` is
    # left out.
    reader: str
    # `true`: with the end of the model's last text.
    previews: bool


class ListTasksQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


class ListTasksResult(TypedDict):
    # The tasks, in the order in which they started.
    tasks: List[TaskInfo]


class GetHealthQuery(TypedDict):
    pass


class GetRuntimeQuery(TypedDict):
    pass


class ListProfilesQuery(TypedDict, total=False):
    # Adds the name of the profile of this session.
    sessionId: SessionId


_ListProfilesResultRequired = TypedDict("_ListProfilesResultRequired", {
    # The profiles.
    "profiles": List[ProfileInfo],
})


class ListProfilesResult(_ListProfilesResultRequired, total=False):
    # The profile of the requested session.
    current: str


class GetProfileQuery(TypedDict):
    # Name of the profile.
    name: str


class ListProvidersQuery(TypedDict, total=False):
    # Adds the models, for which cinch asks the providers over the network. Default: `true` for a person's token,
    # `false` for an agent's.
    models: bool
    # Adds the model that a new session would get. Default: `false`.
    choice: bool


_ListProvidersResultRequired = TypedDict("_ListProvidersResultRequired", {
    # The providers.
    "providers": List[ProviderInfo],
})


class ListProvidersResult(_ListProvidersResultRequired, total=False):
    # Model of a new session without flags and profile: `provider:name`. Absent: not requested, or there is none.
    # Since protocol 0.3.0.
    default_model: str


class ListModelsQuery(TypedDict):
    # Name of the provider.
    provider: str


class ListModelsResult(TypedDict):
    # The models.
    models: List[ModelInfo]


class ListToolsQuery(TypedDict, total=False):
    # One session. Default: everything that all sessions have, and what the running ones add.
    sessionId: SessionId


class ListToolsResult(TypedDict):
    # The tools.
    tools: List[ToolInfo]


class ListSkillsQuery(TypedDict, total=False):
    # One session. Default: everything that all sessions have, and what the running ones add.
    sessionId: SessionId


_ListSkillsResultRequired = TypedDict("_ListSkillsResultRequired", {
    # The skills.
    "skills": List[SkillInfo],
})


class ListSkillsResult(_ListSkillsResultRequired, total=False):
    # Problems with skill files, if a session is given.
    notices: List[str]


class GetSkillQuery(TypedDict):
    # Name of the skill.
    name: str


class ListSlashCommandsQuery(TypedDict, total=False):
    # One session. Default: everything that all sessions have, and what the running ones add.
    sessionId: SessionId


_ListSlashCommandsResultRequired = TypedDict("_ListSlashCommandsResultRequired", {
    # The commands.
    "slash_commands": List[SlashCommandInfo],
})


class ListSlashCommandsResult(_ListSlashCommandsResultRequired, total=False):
    # Reasons why alias files of the session define no alias.
    alias_problems: List[str]


class ListMcpServersQuery(TypedDict, total=False):
    # One session. Default: everything that all sessions have, and what the running ones add.
    sessionId: SessionId


class ListMcpServersResult(TypedDict):
    # The servers.
    servers: List[McpServerInfo]


_FindSessionQueryRequired = TypedDict("_FindSessionQueryRequired", {
    # An id, the beginning of one, or `last`.
    "text": str,
})


class FindSessionQuery(_FindSessionQueryRequired, total=False):
    # `last` is searched in the working directory of this session. Default: in any.
    sessionId: SessionId


class GetSessionProfileQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


class CheckProfileQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId
    # The name of a profile, or a path.
    profile: str


class CheckProfileResult(TypedDict):
    # Name of the profile.
    profile: str
    # Path of its file.
    path: str


class ListAgentsQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


class ListAgentsResult(TypedDict):
    # The kinds of sub-agents.
    agents: List[AgentInfo]


_ExpandPromptQueryRequired = TypedDict("_ExpandPromptQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
    # Name of the template.
    "name": str,
})


class ExpandPromptQuery(_ExpandPromptQueryRequired, total=False):
    # Split as a shell does.
    args: List[str]
    # The quote in them that nothing closes.
    unclosed: str
    # The words as typed. Default: `args` with spaces between them.
    text: str


class ExpandPromptResult(TypedDict):
    # The text of the prompt.
    prompt: str


_ExpandMcpPromptQueryRequired = TypedDict("_ExpandMcpPromptQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
    # `server.prompt`.
    "name": str,
})


class ExpandMcpPromptQuery(_ExpandMcpPromptQueryRequired, total=False):
    # Split as a shell does.
    args: List[str]
    # The quote in them that nothing closes.
    unclosed: str


class ExpandMcpPromptResult(TypedDict):
    # The text of the prompt.
    prompt: str


class ListPricesQuery(TypedDict):
    # `provider:name`, once for each model.
    models: List[str]


class ListPricesResult(TypedDict):
    # Prices by model; null if they are unknown.
    prices: Dict[str, Union[ModelPriceInfo, None]]


class GetEngineHealthQuery(TypedDict):
    pass


class GetWebClientQuery(TypedDict):
    pass


class GetWebClientResult(TypedDict, total=False):
    # The address.
    url: str


_ListTurnsQueryRequired = TypedDict("_ListTurnsQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
})


class ListTurnsQuery(_ListTurnsQueryRequired, total=False):
    # Turns before this one, the nearest. With `after` too: the last turn is below it.
    before: int
    # Turns after this one, the nearest; 0: from the first.
    after: int
    # At most so many. Default: 50. A page is shorter if its turns have over 20000 events.
    limit: int


_ListTurnsResultTurnsItemRequired = TypedDict("_ListTurnsResultTurnsItemRequired", {
    # Number of the turn in its session, from 1.
    "turn": int,
    # Time at which it started.
    "started_at": str,
    # Id of its first event.
    "first_event": int,
    # Id of its last event.
    "last_event": int,
    # The beginning of its input.
    "prompt": str,
    # The beginning of the last message of the session's own agent.
    "answer": str,
    # Provider calls of the session's own agent.
    "rounds": int,
    # Tool calls of the session's own agent.
    "calls": int,
    # Tools that the session's own agent called, each once; at most 100.
    "tools": List[str],
    # Files that the turn changed, each once; at most 100. From checkpoints, as `GetChanges` names them. While it
    # runs, and without checkpoints: those that calls wrote, as the calls named them.
    "files": List[str],
    # Cost with that of sub-agents; null if a price is unknown.
    "cost_usd": Union[float, None],
    # Number of tokens.
    "input_tokens": int,
    # Number of tokens.
    "output_tokens": int,
    # Number of tokens.
    "cache_read_tokens": int,
})


class ListTurnsResultTurnsItem(_ListTurnsResultTurnsItemRequired, total=False):
    # Absent while it runs, if its run broke off, and if `cut`.
    ended_at: str
    # Reason why it ended. Absent while it runs.
    reason: Literal["complete", "yield", "cancelled", "error", "length", "empty", "turn_limit", "time_limit", "budget", "no_progress"]
    # Name of the failure that ended it.
    error_reason: str
    # Set if content of it has expired.
    expired: Literal[True]
    # Set while it runs.
    running: Literal[True]
    # Set on a turn of more events than an answer reads: its counts, cost and answer are those of a part.
    cut: Literal[True]


class ListTurnsResult(TypedDict):
    # The turns, in order.
    turns: List[ListTurnsResultTurnsItem]
    # True if there are more in the direction of the page.
    more: bool


_ListItemsQueryRequired = TypedDict("_ListItemsQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
})


class ListItemsQuery(_ListItemsQueryRequired, total=False):
    # Items of this turn only.
    turn: int
    # Items that begin before this event, the nearest.
    before: int
    # Items that begin after this event, the nearest; 0: from the first.
    after: int
    # At most so many. Default: 100. A page is shorter if 20000 events have no more.
    limit: int
    # Items of the sub-agent that this call runs; with the `event` of the call as `after` they are found at once.
    # Default: those of the session's own agent.
    parentCall: CallId


_ListItemsResultItemsItemRequired = TypedDict("_ListItemsResultItemsItemRequired", {
    # The id of its first event, by which `GetItem` finds it.
    "event": int,
    # The id of its last event that was read. Events of other items may stand between the two.
    "last_event": int,
    # Kind of an item.
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    # Time of its first event.
    "ts": str,
    # The beginning of its text. For a call: the tool and what it is called with.
    "text": str,
    # Bytes of the JSON of its events.
    "bytes": int,
})


class ListItemsResultItemsItem(_ListItemsResultItemsItemRequired, total=False):
    # Absent between turns, and where no event that was read says it.
    turn: int
    # Name of the tool of a call.
    tool: str
    # The call, for a call and a question about one.
    call: CallId
    # State of a call or question. Absent if its end was not read.
    state: Literal["running", "ok", "error", "refused", "cancelled"]
    # The call that runs the sub-agent of this item.
    parent_call: CallId
    # Number of items of the sub-agent that this call runs; absent for none.
    children: int
    # Set if content of it has expired.
    expired: Literal[True]


_ListItemsResultRequired = TypedDict("_ListItemsResultRequired", {
    # The items, in order.
    "items": List[ListItemsResultItemsItem],
    # True if there are more in the direction of the page.
    "more": bool,
})


class ListItemsResult(_ListItemsResultRequired, total=False):
    # Set if `more`: the `before` or `after` of the next page, also where this one has no items.
    next: int


class GetItemQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId
    # The first event of the item.
    event: int


_GetItemResultItemRequired = TypedDict("_GetItemResultItemRequired", {
    # The id of its first event, by which `GetItem` finds it.
    "event": int,
    # The id of its last event that was read. Events of other items may stand between the two.
    "last_event": int,
    # Kind of an item.
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    # Time of its first event.
    "ts": str,
    # The beginning of its text. For a call: the tool and what it is called with.
    "text": str,
    # Bytes of the JSON of its events.
    "bytes": int,
})


class GetItemResultItem(_GetItemResultItemRequired, total=False):
    # Absent between turns, and where no event that was read says it.
    turn: int
    # Name of the tool of a call.
    tool: str
    # The call, for a call and a question about one.
    call: CallId
    # State of a call or question. Absent if its end was not read.
    state: Literal["running", "ok", "error", "refused", "cancelled"]
    # The call that runs the sub-agent of this item.
    parent_call: CallId
    # Number of items of the sub-agent that this call runs; absent for none.
    children: int
    # Set if content of it has expired.
    expired: Literal[True]


_GetItemResultRequired = TypedDict("_GetItemResultRequired", {
    # The item.
    "item": GetItemResultItem,
    # Its events, in order.
    "events": List[Envelope],
})


class GetItemResult(_GetItemResultRequired, total=False):
    # Set if events were left out: they are above 4 MiB, or too far from the first one.
    cut: Literal[True]


_CompleteQueryRequired = TypedDict("_CompleteQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
    # The whole text that is being typed.
    "text": str,
    # Units of UTF-16 before the cursor.
    "cursor": int,
})


class CompleteQuery(_CompleteQueryRequired, total=False):
    # At most so many items. Default: 20.
    limit: int


_CompleteResultItemsItemRequired = TypedDict("_CompleteResultItemsItemRequired", {
    # Text that replaces the range.
    "insert": str,
    # Text for a list.
    "label": str,
    # Kind of the item.
    "kind": Literal["file", "folder", "command", "argument", "session", "model", "skill", "agent"],
})


class CompleteResultItemsItem(_CompleteResultItemsItemRequired, total=False):
    # Further text for a list.
    detail: str


CompleteResult = TypedDict("CompleteResult", {
    # Range that an item replaces, in units of UTF-16.
    "from": int,
    # End of the range, in units of UTF-16.
    "to": int,
    # The items, the best match first.
    "items": List[CompleteResultItemsItem],
    # True if some candidates are missing: more match, or not all files are known.
    "more": bool,
})


class GetSpendQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


class GetSpendResultTotal(TypedDict):
    # Provider calls.
    calls: int
    # Without the tokens of the cache.
    input_tokens: int
    # Tokens of the answers.
    output_tokens: int
    # Tokens read from the prompt cache.
    cache_read_tokens: int
    # Tokens written to the prompt cache.
    cache_write_tokens: int
    # US dollars; null if the price of a call is unknown.
    cost_usd: Union[float, None]
    # US dollars of the calls whose price is known.
    known_cost_usd: float


_GetSpendResultTurnsItemRequired = TypedDict("_GetSpendResultTurnsItemRequired", {
    # Provider calls.
    "calls": int,
    # Without the tokens of the cache.
    "input_tokens": int,
    # Tokens of the answers.
    "output_tokens": int,
    # Tokens read from the prompt cache.
    "cache_read_tokens": int,
    # Tokens written to the prompt cache.
    "cache_write_tokens": int,
    # US dollars; null if the price of a call is unknown.
    "cost_usd": Union[float, None],
    # US dollars of the calls whose price is known.
    "known_cost_usd": float,
})


class GetSpendResultTurnsItem(_GetSpendResultTurnsItemRequired, total=False):
    # Number of the turn; 0: outside of any. Absent on the row of the earlier ones.
    turn: int
    # Set on the row that adds up the oldest rows, if there are over 10,000 of a kind.
    earlier: Literal[True]


_GetSpendResultModelsItemRequired = TypedDict("_GetSpendResultModelsItemRequired", {
    # Provider calls.
    "calls": int,
    # Without the tokens of the cache.
    "input_tokens": int,
    # Tokens of the answers.
    "output_tokens": int,
    # Tokens read from the prompt cache.
    "cache_read_tokens": int,
    # Tokens written to the prompt cache.
    "cache_write_tokens": int,
    # US dollars; null if the price of a call is unknown.
    "cost_usd": Union[float, None],
    # US dollars of the calls whose price is known.
    "known_cost_usd": float,
})


class GetSpendResultModelsItem(_GetSpendResultModelsItemRequired, total=False):
    # `provider:name`. Absent if the call ended before one was named.
    model: str
    # Set on the row that adds up the oldest rows, if there are over 10,000 of a kind.
    earlier: Literal[True]


_GetSpendResultAgentsItemRequired = TypedDict("_GetSpendResultAgentsItemRequired", {
    # Provider calls.
    "calls": int,
    # Without the tokens of the cache.
    "input_tokens": int,
    # Tokens of the answers.
    "output_tokens": int,
    # Tokens read from the prompt cache.
    "cache_read_tokens": int,
    # Tokens written to the prompt cache.
    "cache_write_tokens": int,
    # US dollars; null if the price of a call is unknown.
    "cost_usd": Union[float, None],
    # US dollars of the calls whose price is known.
    "known_cost_usd": float,
})


class GetSpendResultAgentsItem(_GetSpendResultAgentsItemRequired, total=False):
    # The call that runs the sub-agent. Absent: the session's own agent.
    call: CallId
    # Name of the tool that started it.
    tool: str
    # Set on the row that adds up the oldest rows, if there are over 10,000 of a kind.
    earlier: Literal[True]


_GetSpendResultReadsItemRequired = TypedDict("_GetSpendResultReadsItemRequired", {
    # Tools whose results the call was sent to read.
    "tools": List[str],
    # Provider calls.
    "calls": int,
    # Without the tokens of the cache.
    "input_tokens": int,
    # Tokens of the answers.
    "output_tokens": int,
    # Tokens read from the prompt cache.
    "cache_read_tokens": int,
    # Tokens written to the prompt cache.
    "cache_write_tokens": int,
    # US dollars; null if the price of a call is unknown.
    "cost_usd": Union[float, None],
    # US dollars of the calls whose price is known.
    "known_cost_usd": float,
})


class GetSpendResultReadsItem(_GetSpendResultReadsItemRequired, total=False):
    # Set if the call was sent to read a prompt.
    prompt: Literal[True]
    # Set if the call made a summary of the history.
    summary: Literal[True]
    # Set on the row that adds up the oldest rows, if there are over 10,000 of a kind.
    earlier: Literal[True]


class GetSpendResultCacheMissesItem(TypedDict):
    # The id of its CostIncremented event.
    event: int
    # Number of the turn; 0: outside of any.
    turn: int
    # `provider:name`.
    model: str
    # `compaction`: the history was shortened before the call.
    cause: Literal["model_changed", "tools_changed", "system_changed", "effort_changed", "history_changed", "expired", "unknown", "compaction"]
    # Tokens that were read again.
    lost_tokens: int


class GetSpendResultBefore(TypedDict):
    # US dollars of the calls whose price is known.
    known_cost_usd: float
    # Number of calls whose price is unknown.
    unpriced_calls: int
    # Including those of the cache.
    input_tokens: int
    # Tokens of the answers.
    output_tokens: int


_GetSpendResultRequired = TypedDict("_GetSpendResultRequired", {
    # The sum of the session.
    "total": GetSpendResultTotal,
    # One row for each turn.
    "turns": List[GetSpendResultTurnsItem],
    # `provider:name`; absent for calls that ended before they named one.
    "models": List[GetSpendResultModelsItem],
    # One row for the session's own agent, without `call`, and one for each sub-agent.
    "agents": List[GetSpendResultAgentsItem],
    # By what a call was sent to read: a prompt, the results of these tools, all of them together, or both.
    "reads": List[GetSpendResultReadsItem],
    # The newest 1,000, in order.
    "cache_misses": List[GetSpendResultCacheMissesItem],
})


class GetSpendResult(_GetSpendResultRequired, total=False):
    # Money and tokens of the sessions that this one continues under another profile.
    before: GetSpendResultBefore


class GetContextQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


_GetContextResultPartsItemRequired = TypedDict("_GetContextResultPartsItemRequired", {
    "kind": Literal["system", "tools", "messages"],
    # The section of the system text, or what the messages are: `prompts`, `answers`, `calls`, `results`.
    "name": str,
    # Tokens of the part.
    "tokens": int,
})


class GetContextResultPartsItem(_GetContextResultPartsItemRequired, total=False):
    # Number of tools or messages.
    count: int


_GetContextResultRequired = TypedDict("_GetContextResultRequired", {
    # Tokens of the last request.
    "used_tokens": int,
    # The parts of the request.
    "parts": List[GetContextResultPartsItem],
})


class GetContextResult(_GetContextResultRequired, total=False):
    # `provider:name` of the last request; absent if this run has sent none.
    model: str
    # The model's window; absent if it is unknown.
    window_tokens: int
    # The history is shortened before a request above this; absent if this run has sent none.
    limit_tokens: int


_GetChangesQueryRequired = TypedDict("_GetChangesQueryRequired", {
    # Id of a session: one run on a log.
    "sessionId": SessionId,
})


class GetChangesQuery(_GetChangesQueryRequired, total=False):
    # Only the changes of this turn.
    turn: int
    # Only the changes of this call: the files right before and right after it.
    callId: CallId
    # Only this file, or the files below this folder.
    path: str
    # Unchanged lines around each change, at most 20. Default: 3.
    context: int


class GetChangesResultFilesItemHunksItem(TypedDict):
    # The same for the same two texts.
    id: str
    # First line in the old text.
    old_start: int
    # Number of lines in the old text.
    old_lines: int
    # First line in the new text.
    new_start: int
    # Number of lines in the new text.
    new_lines: int
    # Each begins with " ", "+" or "-". `\ No newline at end of file` can follow the last line of a side.
    lines: List[str]


_GetChangesResultFilesItemRequired = TypedDict("_GetChangesResultFilesItemRequired", {
    # Below the working directory, with `/`; absolute for a file outside of it.
    "path": str,
    # Kind of the change.
    "kind": Literal["added", "changed", "removed", "renamed"],
    # "calls": changed by calls alone; "both": by somebody else too; "unknown": in a turn that was cut off.
    "by": Literal["calls", "both", "unknown"],
    # Lines added; 0 if they were not compared.
    "added": int,
    # Lines removed; 0 if they were not compared.
    "removed": int,
    # Size of the file: after the change, or before it if it was removed.
    "bytes": int,
})


_GetChangesResultFilesItemOptional = TypedDict("_GetChangesResultFilesItemOptional", {
    # The earlier path of a renamed file.
    "from": str,
    # Set if a side is not UTF-8 text: it has no lines.
    "binary": Literal[True],
    # Type and permissions before the change, as git numbers them: 100644; 120000 is a link. Absent without a file.
    "old_mode": str,
    # The same after the change. Absent if the file was removed.
    "mode": str,
    # The changed places. Absent if they are not shown.
    "hunks": List[GetChangesResultFilesItemHunksItem],
    # The same as a patch for `git apply`. Absent if `cut`, `binary` or `missing`.
    "unified": str,
    # Set if hunks were left out because of a limit.
    "cut": Literal[True],
    # Set if its content is not shown: the reason.
    "missing": str,
}, total=False)


class GetChangesResultFilesItem(_GetChangesResultFilesItemRequired, _GetChangesResultFilesItemOptional):
    pass


_GetChangesResultRequired = TypedDict("_GetChangesResultRequired", {
    # By path.
    "files": List[GetChangesResultFilesItem],
    # True if every change is listed, with all of its lines.
    "complete": bool,
})


class GetChangesResult(_GetChangesResultRequired, total=False):
    # Set if changes are not known: the reason.
    missing: str
    # Number of changed files beyond the limit.
    left_out: int


class GetWorkspaceQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


_GetWorkspaceResultGitRequired = TypedDict("_GetWorkspaceResultGitRequired", {
    # Top of the working tree.
    "root": str,
})


class GetWorkspaceResultGit(_GetWorkspaceResultGitRequired, total=False):
    # Absent if HEAD names a commit.
    branch: str
    # Name of the commit. Absent before the first one.
    head: str
    # Name of the upstream branch.
    upstream: str
    # Commits that the upstream lacks. Absent without an upstream.
    ahead: int
    # Commits of the upstream that are missing here. Absent without an upstream.
    behind: int
    # Number of files with a change in the index.
    staged: int
    # Number of tracked files that differ from the index; conflicts count too.
    changed: int
    # Number of untracked files; an untracked folder counts once. Ignored ones do not count.
    untracked: int
    # Set if the status is not known: the reason.
    problem: str


_GetWorkspaceResultRequired = TypedDict("_GetWorkspaceResultRequired", {
    # Absolute path of the working directory.
    "working_dir": str,
})


class GetWorkspaceResult(_GetWorkspaceResultRequired, total=False):
    # Absent outside of a repository.
    git: GetWorkspaceResultGit


class GetDraftQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId
    # The name under which it was kept.
    reader: str


_GetDraftResultRequired = TypedDict("_GetDraftResultRequired", {
    # The text.
    "text": str,
})


class GetDraftResult(_GetDraftResultRequired, total=False):
    # Time at which it was kept; absent if there is none.
    ts: str


_SearchSessionsQueryRequired = TypedDict("_SearchSessionsQueryRequired", {
    # Words that must all be in one item, each anywhere in it, in any case.
    "text": str,
})


_SearchSessionsQueryOptional = TypedDict("_SearchSessionsQueryOptional", {
    # Only this session.
    "sessionId": SessionId,
    # Only sessions of this directory.
    "workingDir": str,
    # Only calls of this tool.
    "tool": str,
    # Only calls whose arguments name a path with this part.
    "file": str,
    # Only items that began then or later: `2026-03-01`, or a time.
    "from": str,
    # Only items that began then or before; a day counts whole.
    "to": str,
    # At most so many. Default: 20.
    "limit": int,
    # Milliseconds after which the search stops. Default: 2000.
    "timeMs": int,
    # The `cursor` of the answer that this one continues. Send the other fields as they were.
    "cursor": str,
}, total=False)


class SearchSessionsQuery(_SearchSessionsQueryRequired, _SearchSessionsQueryOptional):
    pass


_SearchSessionsResultHitsItemRequired = TypedDict("_SearchSessionsResultHitsItemRequired", {
    # The newest run on its log.
    "session": SessionId,
    # The log that holds it.
    "log": LogId,
    # The title of its session.
    "title": str,
    # The first event of the item, by which `GetItem` finds it.
    "event": int,
    # Kind of the item.
    "kind": Literal["prompt", "queued", "text", "thinking", "call", "question", "notice", "error", "cancel", "compaction", "checkpoint", "task", "todos", "memory", "model", "level", "profile", "rule", "hook", "gap", "custom", "end"],
    # Time of its first event.
    "ts": str,
    # The text around the first match, at most 240 units of UTF-16, in NFC.
    "snippet": str,
    # Start and end of each match in the snippet, in units of UTF-16; at most 50.
    "at": List[List[int]],
})


class SearchSessionsResultHitsItem(_SearchSessionsResultHitsItemRequired, total=False):
    # Absent between turns, and where no event that was read says it.
    turn: int
    # Name of the tool of a call.
    tool: str
    # The call that runs the sub-agent of this item.
    parent_call: CallId


class SearchSessionsResultTitlesItem(TypedDict):
    # The newest run on its log.
    session: SessionId
    # Its log.
    log: LogId
    # The title.
    title: str
    # Start and end of each match in the title, in units of UTF-16; at most 50.
    at: List[List[int]]


class SearchSessionsResultSearched(TypedDict):
    # Sessions that were searched.
    sessions: int
    # Events that were searched.
    events: int
    # Events among them whose content has expired: nothing is found there.
    expired: int
    # Events among them that cannot be read. If there are any, the answer is not complete.
    unreadable: int


_SearchSessionsResultRequired = TypedDict("_SearchSessionsResultRequired", {
    # The matches.
    "hits": List[SearchSessionsResultHitsItem],
    # True if everything was searched, from the cursor on.
    "complete": bool,
    # Counts of this answer.
    "searched": SearchSessionsResultSearched,
})


class SearchSessionsResult(_SearchSessionsResultRequired, total=False):
    # Sessions whose titles match, those that a person gave; a title that is made from the first prompt is found as a
    # prompt. At most 20, those that began last. Only in an answer to words without tool, file, times and cursor;
    # absent if there are none.
    titles: List[SearchSessionsResultTitlesItem]
    # Set if there is more to search: `limit`, `timeMs` or the events that are read for an answer were reached.
    cursor: str


class ListRulesQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


_ListRulesResultRulesItemRequired = TypedDict("_ListRulesResultRulesItemRequired", {
    # `Tool`, `Tool:glob` or `Tool:=literal`.
    "rule": str,
    # Effect of the rule.
    "effect": Literal["allow", "ask", "deny"],
    # Place of the rule. `session`: a person has allowed it in this run. `flag`: the session was opened with it.
    # `user`: config.toml. `promoted`: a person has kept it from a session. `preset`: a file of the program.
    # `project`: the repository, whose rules can only restrict.
    "source": Literal["session", "flag", "user", "plugin", "promoted", "profile", "preset", "project"],
    # True if RevokeRule takes it back.
    "revocable": bool,
    # True if PromoteRule can write it to the profile.
    "promotable": bool,
})


class ListRulesResultRulesItem(_ListRulesResultRulesItemRequired, total=False):
    # The only directory that it holds in, with what is below.
    directory: str
    # Time at which it was allowed, for a rule of the session.
    ts: str


class ListRulesResult(TypedDict):
    # The rules, in the order in which they are looked up.
    rules: List[ListRulesResultRulesItem]
    # True if the list was cut.
    more: bool


class ListHooksQuery(TypedDict):
    # Id of a session: one run on a log.
    sessionId: SessionId


_ListHooksResultHooksItemRequired = TypedDict("_ListHooksResultHooksItemRequired", {
    # Event that runs it.
    "event": Literal["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Compact", "Stop"],
    # The command for `/bin/sh`, with secrets redacted.
    "command": str,
    # File that declares it.
    "source": str,
    # Seconds after which it is stopped.
    "timeout_s": float,
})


class ListHooksResultHooksItem(_ListHooksResultHooksItemRequired, total=False):
    # Names of tools; `*` stands for any characters. Absent: every tool, or an event that is about none.
    matcher: List[str]
    # True for one of the repository, which a person has acknowledged; absent for one of the user's own.
    acknowledged: Literal[True]


class ListHooksResult(TypedDict):
    # The hooks, in the order in which they run.
    hooks: List[ListHooksResultHooksItem]
    # Files of the repository with hooks that wait for an acknowledgement: none of them runs.
    waiting: List[str]
    # True if the list was cut.
    more: bool


class ListExpiringQuery(TypedDict):
    pass


class ListExpiringResult(TypedDict):
    # The sessions, those that lose content first at the beginning; at most 100.
    sessions: List[SessionId]
    # Number of all of them.
    total: int
    # True if a person has hidden the notice about each of them: `DismissExpiring`.
    dismissed: bool


class CreateSessionResult(TypedDict, total=False):
    # Sentences for the person.
    notices: List[str]
    # The one of `notices` about sessions that lose content within a week: `DismissExpiring` hides it. Absent: none
    # is. Since protocol 0.3.0.
    expiring: str


class AttachSessionResult(TypedDict, total=False):
    # Sentences for the person.
    notices: List[str]


SwitchProfileResult = TypedDict("SwitchProfileResult", {
    # Sentences for the person.
    "notices": List[str],
    # Name of the profile before.
    "from": str,
    # Name of the profile now.
    "to": str,
    # Log of the session that continues.
    "log": LogId,
}, total=False)


class AnswerPermissionResult(TypedDict, total=False):
    # False for an answer that came after another one: it changed nothing.
    counted: bool


class AnswerResult(TypedDict, total=False):
    # False for an answer that came after another one: it changed nothing.
    counted: bool


class SetModelResult(TypedDict, total=False):
    # Sentences for the person.
    notices: List[str]
    # `provider:name`.
    model: str
    # The effort that a client chose for the session. Absent: the configuration decides.
    effort: Literal["off", "low", "medium", "high", "xhigh", "max"]


_SetLevelResultRequired = TypedDict("_SetLevelResultRequired", {
    # Levels of a session, the tightest first.
    "level": Literal["ReadOnly", "WorkspaceWrite", "DangerFullAccess"],
})


class SetLevelResult(_SetLevelResultRequired, total=False):
    # Sentences for the person.
    notices: List[str]


class EnterPlanModeResult(TypedDict):
    # True if the session is in plan mode now.
    planMode: bool


class ExitPlanModeResult(TypedDict):
    # True if the session is in plan mode now.
    planMode: bool


class CompactSessionResult(TypedDict, total=False):
    # True if the history was shortened.
    compacted: bool


class BranchSessionResult(TypedDict):
    # Log of the new session.
    log: LogId
    # The event at which it branches off.
    at: int


class ExportSessionResult(TypedDict):
    # The file that was written.
    path: str


class RenameSessionResult(TypedDict):
    # The title as it is kept: on one line, without known secrets. Empty: the made one.
    title: str


class DismissExpiringResult(TypedDict):
    # Number of sessions that the hidden notice was about.
    sessions: int


class AskAutoAttachResult(TypedDict):
    # False: a person has decided already, which holds for the session.
    asked: bool


class PromoteRuleResult(TypedDict, total=False):
    # The profile that has the rule from now on.
    profile: str
    # Absent: the rule holds in every directory.
    directory: str
    # The file that it was written to.
    path: str


_RewindSessionResultConversationRequired = TypedDict("_RewindSessionResultConversationRequired", {
    # Messages that the model has afterwards.
    "messages": int,
    # Messages that are removed.
    "removed": int,
})


class RewindSessionResultConversation(_RewindSessionResultConversationRequired, total=False):
    # Messages that come back, if an earlier rewind is undone.
    restored: int


class RewindSessionResultFilesNotRestorableItem(TypedDict):
    # The path.
    path: str
    # Reason why it is not set back.
    why: str


class RewindSessionResultFilesCounts(TypedDict):
    # Files and folders that would be set back.
    restore: int
    # Files and folders that would be removed.
    remove: int


class RewindSessionResultFilesKeptItem(TypedDict):
    # The path.
    path: str
    # Reason why it is not set back.
    why: str


class RewindSessionResultFiles(TypedDict, total=False):
    # Files that come back.
    create: List[str]
    # Files that become as they were.
    change: List[str]
    # Files that get their mode back.
    mode: List[str]
    # Files that are removed.
    remove: List[str]
    # Files that the session and somebody else changed. They stay, unless the command names this set.
    contested: List[str]
    # Files that somebody else alone changed. They stay, unless the command names this set.
    foreign: List[str]
    # Files that cannot be set back.
    notRestorable: List[RewindSessionResultFilesNotRestorableItem]
    # Number of files and folders that would be set back, in full.
    counts: RewindSessionResultFilesCounts
    # Number of files and folders that were set back.
    restored: int
    # Files that were left as they are.
    kept: List[RewindSessionResultFilesKeptItem]


_RewindSessionResultRequired = TypedDict("_RewindSessionResultRequired", {
    # The event to restore the state before.
    "to": int,
    # Parts that are restored.
    "what": Literal["files", "conversation", "both"],
    # False for a preview, and if a person refused.
    "done": bool,
})


class RewindSessionResult(_RewindSessionResultRequired, total=False):
    # The point in words: "before turn 3".
    place: str
    # Effect on the conversation.
    conversation: RewindSessionResultConversation
    # Effect on the files.
    files: RewindSessionResultFiles
    # Sent back with the command, it is refused if it would do something else by now.
    token: str
    # Event to go back to in order to undo this.
    undo: int


class ReloadSkillsResult(TypedDict, total=False):
    # Names of the skills that count now.
    skills: List[str]
    # Paths of skills that are left out until somebody acknowledges them.
    waiting: List[str]
    # True if the person is asked about each of them.
    asks: bool
    # The same in words. Draw the other fields instead.
    text: str


_ManageMcpResultServersItemRequired = TypedDict("_ManageMcpResultServersItemRequired", {
    # Name of the server.
    "name": str,
    # "degraded": it could not be started again.
    "state": Literal["stopped", "starting", "running", "degraded"],
    # Number of its tools.
    "tools": int,
})


class ManageMcpResultServersItem(_ManageMcpResultServersItemRequired, total=False):
    # The sessions that use it, of those that the token names. It distinguishes two servers of one name that
    # different sessions declare. Since protocol 0.3.0.
    sessions: List[SessionId]
    # Reason why it does not run.
    problem: str


_ManageMcpResultToolNamesItemRequired = TypedDict("_ManageMcpResultToolNamesItemRequired", {
    # Name of the tool, as the model calls it.
    "name": str,
})


class ManageMcpResultToolNamesItem(_ManageMcpResultToolNamesItemRequired, total=False):
    # Name of the tool as the server spells it.
    spelled: str


class ManageMcpResult(TypedDict, total=False):
    # The servers.
    servers: List[ManageMcpResultServersItem]
    # Tools of the one server that was named, at most 100: `spelled` is the server's spelling, if that is another.
    toolNames: List[ManageMcpResultToolNamesItem]
    # False if a person was asked to approve the server and did not.
    approved: bool
    # The same in words. Draw the other fields instead.
    text: str


class RunShellResult(TypedDict):
    # The call of the command, in the events.
    callId: CallId


class StoreProviderKeyResult(TypedDict):
    # Name of the provider.
    provider: str
    # True if it replaced a stored key.
    replaced: bool
    # True if the stored key is used: no variable of the engine's environment goes before it.
    used: bool
    # Source of the key that is used: `creds.enc`, or the name of that variable.
    source: str


class CustomCommandResult(TypedDict, total=False):
    # The answer of the extension that handled it.
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
    },
    "ListExpiring": {
        "path": "/v1/expiring"
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
