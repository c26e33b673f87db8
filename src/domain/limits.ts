import { EVENT_LIMITS } from "./event-limits.js";
import { KEY_LIMITS } from "./key-limits.js";
import { MODEL_LIMITS } from "./model-limits.js";
import { OBSERVATION_LIMITS } from "./observation-limits.js";
import { USER_MODEL_LIMITS } from "./user-model-limits.js";
import { VECTOR_LIMITS } from "./vector-limits.js";
import { WORK_LIMITS } from "./work-limits.js";

/** Every bound of the system: name, unit, reason. */
export const LIMITS = {
  ...USER_MODEL_LIMITS,
  ...WORK_LIMITS,
  ...MODEL_LIMITS,
  ...KEY_LIMITS,
  ...VECTOR_LIMITS,
  ...OBSERVATION_LIMITS,
  ...EVENT_LIMITS,
  /** Characters of an id from outside (e-mail addresses and URNs fit). */
  externalIdCharsMax: 256,
  /** Seconds that a token of ours lives at most. */
  tokenSecondsMax: 3_600,
  /** Characters of one turn: a long document belongs into a corpus. */
  turnCharsMax: 64_000,
  /** Seconds by which the clocks of two hosts of one service may differ: those that are kept by NTP differ by far less. */
  clocksApartSecondsMax: 60,
  /** Turns in one append: one agent step with parallel tool calls. */
  turnsPerAppendMax: 64,
  /** Characters of one slot, note, checkpoint or other working value, as JSON. */
  workingCharsMax: 256_000,
  /** Sealed bytes of one run's working memory: every read of the run opens all of it. */
  workingBytesMax: 8 * 1024 * 1024,
  /** Steps of one loop: one a second for thirty years. */
  loopStepsMax: 1_000_000_000,
  /** Notes in one stage completion. */
  notesPerStageMax: 32,
  /** Working rows of one run that are read in one operation. */
  workingRowsMax: 2_000,
  /** Turns of a session that assembly looks at: older ones never fit a cap. */
  assemblyTurnsMax: 200,
  /** Rows of one page. */
  pageRowsMax: 200,
  /** Hits of one recall. */
  recallHitsMax: 50,
  /** Hits that are ranked beyond those asked for: some may say the same again. */
  recallRepeatsMax: 10,
  /** Hits that are kept beyond those asked for: a turn may end between its ranking and its reading. */
  recallSpareMax: 10,
  /** Turns with all words of a quoted phrase that are opened to see whether they say it. */
  phraseCandidatesMax: 200,
  /** Sessions that a recall is narrowed to at once. */
  recallSessionsMax: 64,
  /** What turns of a speaker whom the question names count at most, times the others. */
  speakerWeightMax: 4,
  /** Characters of the part of a turn that a hit shows: two or three sentences. */
  snippetCharsMax: 240,
  /** Characters of a recall query. */
  queryCharsMax: 4_000,
  /** Combining marks in a row: no language writes nearly as many, and to sort more of them takes time squared. */
  marksInRowMax: 30,
  /** Different words of all the texts of an answer that are compared with the question to mark what matches. */
  matchedPartsMax: 5_000,
  /** Turns of one subject in the search index, newest kept: about 60 MB at this size. */
  indexTurnsMax: 100_000,
  /** Turns that are sealed together as a segment of the index: a cold subject opens few of them, a rewrite is small. */
  segmentTurnsMax: 256,
  /** Segments of one subject that are opened: those of `indexTurnsMax`, were they half full. */
  indexSegmentsMax: 800,
  /** Newest turns that a cold index fetches beside its segments: what was said since they were sealed, as a rule. */
  newestTurnsMax: 512,
  /** Turns whose terms one recall makes again after the analyser changed: about 100 ms; the others are pending. */
  analysedAgainMax: 1_000,
  /** Turns that one transaction seals: it holds a connection meanwhile, about 100 ms. */
  sealedAtOnceMax: 2_048,
  /** Days that segments of an older analyser stay, for processes that still run it. */
  supersededDays: 7,
  /** Bytes of all in-process search indexes together. */
  indexBytesMax: 256 * 1024 * 1024,
  /** Seconds that an unused search index stays in memory: it holds terms in clear. */
  indexIdleSeconds: 900,
  /** Different search terms of one turn: a long turn's first ten thousand words or so. */
  termsPerTurnMax: 8_000,
  /** Different terms of a question that are matched, rarest first. */
  queryTermsMax: 256,
  /** Characters of a text in its search spelling: some characters spell out to eighteen. */
  foldedCharsMax: 128_000,
  /** Characters of one search word: longer unbroken runs are cut into words. */
  wordCharsMax: 64,
  /** Bytes of a request body. */
  bodyBytesMax: 1_048_576,
  /** Tokens of a pack: more than today's models read. */
  packTokensMax: 1_000_000,
  /** Rows of one import request; the client sends a file in such batches. */
  importRowsMax: 500,
  /** Lines of an archive that are read, or come in, at once: each is opened in memory. */
  archiveLinesMax: 200,
  /** Days that a backup of custody may be restored where the operator says nothing. */
  custodyBackupDays: 7,
  /** Lines of one append to the erasure ledger. */
  ledgerLinesMax: 64,
  /** MACs of sources and contents in one line of the erasure ledger: half a megabyte. */
  ledgerMacsMax: 10_000,
  /** Lines of the erasure ledger that are read at once. */
  ledgerRowsMax: 500,
  /** Entries of each in-process cache of pins, decisions, tokens and subjects. */
  cacheEntriesMax: 10_000,
  /** Hours of idle lifetime in a profile: one year. */
  ttlHoursMax: 8_760,
  /** Hours that a scratch ref lives. */
  scratchHours: 24,
  /** Days that turns stay readable as evidence where the tenant says nothing. */
  evidenceDays: 365,
  /** Days that the record of a pack (references and reasons, no text) stays after the pack's validity, to be explained. */
  packDays: 30,
  /** Hours that a stored reply answers a repeated idempotency key. */
  idempotencyHours: 24,
  /** Milliseconds that a statement may run. */
  statementMsMax: 15_000,
  /** Connections of a pool where the operator says nothing. */
  poolConnectionsMax: 16,
  /** Requests a minute of one caller where the operator says nothing: a hundred a second. */
  requestsPerMinute: 6_000,
  /** Requests without a valid credential a minute from one address: twenty a second. */
  failuresPerMinute: 1_200,
  /** Milliseconds that a transaction waits for a connection: beyond it a retry is cheaper than a queue. */
  connectionWaitMsMax: 5_000,
  /** Transactions that wait for a connection at once. */
  connectionWaitersMax: 1_000,
  /** Criteria, failures, questions, scratch refs or slots of one write. */
  workingItemsMax: 256,
  /** Rows of each kind that one sweep of a tenant removes; the next one goes on. */
  sweepRowsMax: 5_000,
  /** Milliseconds that a row stays after its clock ran out, twice `statementMsMax`: each write that saw it alive has ended. */
  sweepGraceMs: 30_000,
  /** Seconds after which a service lets go of what it remembers of people whom another process has erased. */
  forgetEndedSeconds: 60,
  /** Minutes between two sweeps: reads don't wait for them. */
  sweepMinutes: 15,
  /** Entries of each list of a digest: beyond it a summary isn't one. */
  digestEntriesMax: 32,
  /** Characters of an open question or a decision of a digest: one statement, not a retelling. */
  digestCharsMax: 400,
  /** Turns and working items that one entry of a digest cites. */
  digestRefsMax: 8,
  /** Turns of a session that compression reads, newest kept. */
  digestTurnsMax: 1_000,
  /** Episodes of a subject that are searched, newest kept: years of sessions; to index them anew takes about 100 ms. */
  episodesIndexedMax: 2_000,
  /** Episodes of a subject that `diagnose` compares a line with, newest first: each is opened. */
  episodesComparedMax: 500,
  /** Days that a trace is kept where the operator says nothing, and the range that an operator may choose from. */
  traceDays: 90,
  traceDaysMin: 30,
  traceDaysMax: 180,
  /** Hours after which a trace lets go of its prompts: the night after the run. */
  tracePromptHours: 24,
  /** Tools, verdicts, artifacts, tickets or prompts of one trace. */
  traceItemsMax: 256,
  /** Traces of one page: each is opened with its person's key. */
  tracesPageMax: 50,
  /** Days that a person's memory may be kept by a clock of the operator's: ten years. */
  retentionDaysMax: 3_650,
  /** Characters of why a definition changes. */
  reasonCharsMax: 500,
  /** Days that an episode is kept where the operator says nothing. */
  episodeDays: 365,
  /** Characters of the reason of an escalation, or of its answer: a human reads it. */
  escalationCharsMax: 4_000,
  /** Corpora of one search. */
  corporaPerSearchMax: 64,
  /** Documents of one corpus that the folder adapter holds in memory. */
  corpusDocumentsMax: 2_000,
  /** Characters of one document of a corpus. */
  corpusDocumentCharsMax: 1_000_000,
  /** Characters of one passage: a paragraph or two. */
  passageCharsMax: 1_500,
  /** Model calls of one tool loop: a loop that needs more has lost its way. */
  toolStepsMax: 64,
  /** Characters of a text value of a field, or of one of its labels: a name of something, no sentence. */
  fieldCharsMax: 64,
  /** Labels that a field's value may be one of. */
  fieldLabelsMax: 64,
  /** Entries of a list that is a field's value. */
  fieldItemsMax: 16,
  /** Fields of the store that a route may list, and a pack of it hold: preferences stay tiny. */
  fieldsPerPackMax: 256,
  /** Undecided candidates of one subject: beyond it somebody floods the review queue. */
  candidatesOpenMax: 200,
  /** Days that a candidate waits for a decision: nobody reviews what is a quarter old. */
  candidateDays: 90,
  /** Days of idle lifetime of a field's session key. */
  sessionKeyDays: 7,
  /** Values of one subject that are shown at once, keys of chats included. */
  fieldValuesMax: 1_000,
  /** Fields that one reconciliation compares. */
  reconcileFieldsMax: 32,
  /** Turns that a candidate may cite. */
  evidenceRefsMax: 32,
  /** Nesting of a JSON value from outside. */
  jsonDepthMax: 32,
} as const;
