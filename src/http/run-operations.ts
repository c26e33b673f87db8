import { appendTurns } from "../services/append-turns.js";
import { assemble } from "../services/assemble.js";
import type { Caller } from "../services/caller.js";
import { completeStage } from "../services/complete-stage.js";
import { diagnosePack } from "../services/diagnose-pack.js";
import { closeRun, failRun } from "../services/end-run.js";
import { escalateRun } from "../services/escalate-run.js";
import { explainPack } from "../services/explain-pack.js";
import { handoffSlots } from "../services/handoff-slots.js";
import { assembleInput, diagnoseInput, recallInput } from "../services/inputs/pack.js";
import {
  childInput,
  closeRunInput,
  completeStageInput,
  escalateRunInput,
  failRunInput,
  handoffInput,
  resumeRunInput,
  writeCheckpointInput,
  writeWorkingInput,
} from "../services/inputs/run.js";
import { appendTurnsInput, listTurnsInput } from "../services/inputs/turn.js";
import { listTurns } from "../services/list-turns.js";
import { projectChild } from "../services/project-child.js";
import { readRunView } from "../services/read-run.js";
import { recallTurns } from "../services/recall-turns.js";
import { resumeRun } from "../services/resume-run.js";
import type { Services } from "../services/services.js";
import { writeCheckpoint } from "../services/write-checkpoint.js";
import { writeWorking } from "../services/write-working.js";
import { type Door, type DoorInput, door } from "./door.js";

const RUN = "/v1/runs/:run";

type UseCase = (services: Services, caller: Caller, run: string, body: unknown) => Promise<object>;

function onRun(use: UseCase) {
  return (services: Services, caller: Caller, { params, body }: DoorInput<"run">) =>
    use(services, caller, params.run, body);
}

/** What is done with one run or with a pack of it. */
export const RUN_OPERATIONS: readonly Door[] = [
  door({
    action: "read_run",
    method: "GET",
    path: RUN,
    status: 200,
    summary: "A run with its slots, notes, working memory and checkpoint",
    run: (services, caller, { params }) => readRunView(services, caller, params.run),
  }),
  door({
    action: "append_turns",
    method: "POST",
    path: `${RUN}/turns`,
    status: 201,
    summary: "Keeps turns of the run's session, in their order",
    body: appendTurnsInput,
    run: onRun(appendTurns),
  }),
  door({
    action: "list_turns",
    method: "GET",
    path: `${RUN}/turns`,
    status: 200,
    summary: "Turns of the run's session, newest first",
    query: listTurnsInput,
    run: (services, caller, { params, query }) => listTurns(services, caller, params.run, query),
  }),
  door({
    action: "write_working",
    method: "PUT",
    path: `${RUN}/working`,
    status: 200,
    summary: "Replaces whole classes of the run's working memory",
    body: writeWorkingInput,
    run: onRun(writeWorking),
  }),
  door({
    action: "complete_stage",
    method: "PUT",
    path: `${RUN}/stages/:stage`,
    status: 200,
    summary: "Keeps a stage's output in its slot and advances the checkpoint",
    body: completeStageInput,
    run: (services, caller, { params, body }) =>
      completeStage(services, caller, params.run, params.stage, body),
  }),
  door({
    action: "write_checkpoint",
    method: "PUT",
    path: `${RUN}/checkpoint`,
    status: 200,
    summary: "Overwrites the loop's record",
    body: writeCheckpointInput,
    run: onRun(writeCheckpoint),
  }),
  door({
    action: "fail_run",
    method: "POST",
    path: `${RUN}/fail`,
    status: 200,
    summary: "Marks the run as failed: a later turn may take it up again",
    body: failRunInput,
    run: onRun(failRun),
  }),
  door({
    action: "escalate_run",
    method: "POST",
    path: `${RUN}/escalate`,
    status: 200,
    summary: "Lets the run wait for a human, with reason and evidence",
    body: escalateRunInput,
    run: onRun(escalateRun),
  }),
  door({
    action: "resume_run",
    method: "POST",
    path: `${RUN}/resume`,
    status: 200,
    summary: "A human answers what the run waits for, and lets it go on",
    body: resumeRunInput,
    run: onRun(resumeRun),
  }),
  door({
    action: "close_run",
    method: "POST",
    path: `${RUN}/close`,
    status: 200,
    summary: "Ends the run for good",
    body: closeRunInput,
    run: onRun(closeRun),
  }),
  door({
    action: "handoff_slots",
    method: "POST",
    path: `${RUN}/handoff`,
    status: 200,
    summary: "Takes named slots over from another run of the session",
    body: handoffInput,
    run: onRun(handoffSlots),
  }),
  door({
    action: "project_child",
    method: "POST",
    path: `${RUN}/children`,
    status: 201,
    summary: "Starts a child run that sees named slots of this one",
    body: childInput,
    run: onRun(projectChild),
  }),
  door({
    action: "assemble",
    method: "POST",
    path: `${RUN}/pack`,
    status: 200,
    summary: "Assembles what the run may remember now, under the token cap",
    body: assembleInput,
    run: onRun(assemble),
  }),
  door({
    action: "recall_turns",
    method: "POST",
    path: `${RUN}/recall`,
    status: 200,
    summary: "Finds turns of the subject as evidence, within the run's route allowlist",
    body: recallInput,
    run: onRun(recallTurns),
  }),
  door({
    action: "explain_pack",
    method: "GET",
    path: "/v1/packs/:pack",
    status: 200,
    summary: "Says for each candidate of a stored pack why it is in or out",
    run: (services, caller, { params }) => explainPack(services, caller, params.pack),
  }),
  door({
    action: "diagnose_pack",
    method: "GET",
    path: "/v1/packs/:pack/diagnosis",
    status: 200,
    summary: "Says which memory each line of a stored pack came from, and who put it there",
    query: diagnoseInput,
    run: (services, caller, { params, query }) =>
      diagnosePack(services, caller, params.pack, query),
  }),
];
