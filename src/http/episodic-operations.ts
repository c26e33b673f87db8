import { appendEpisode } from "../services/append-episode.js";
import { closeSession } from "../services/close-session.js";
import { appendEpisodeInput, closeSessionInput, workInput } from "../services/inputs/episode.js";
import { recallInput, recallObservationsInput } from "../services/inputs/pack.js";
import { lastTimeInput, queryTracesInput } from "../services/inputs/trace.js";
import { lastTime } from "../services/last-time.js";
import { listWork, retryWork } from "../services/list-work.js";
import { queryTraces } from "../services/query-traces.js";
import { recallEpisodes } from "../services/recall-episodes.js";
import { recallObservations } from "../services/recall-observations.js";
import { type Door, door } from "./door.js";

const RUN = "/v1/runs/:run";

/** Episodes, and the jobs that make them. */
export const EPISODIC_OPERATIONS: readonly Door[] = [
  door({
    action: "close_session",
    method: "POST",
    path: "/v1/subjects/:subject/sessions/:session/close",
    status: 200,
    summary: "Ends a session and queues its compression to episodes",
    body: closeSessionInput,
    run: (services, caller, { params, body }) =>
      closeSession(services, caller, params.subject, params.session, body),
  }),
  door({
    action: "append_episode",
    method: "POST",
    path: `${RUN}/episodes`,
    status: 201,
    summary: "Keeps what the run's conversation came to, checked against it",
    body: appendEpisodeInput,
    run: (services, caller, { params, body }) => appendEpisode(services, caller, params.run, body),
  }),
  door({
    action: "recall_episodes",
    method: "POST",
    path: `${RUN}/recall-episodes`,
    status: 200,
    summary: "Finds episodes of the subject, within the run's route allowlist",
    body: recallInput,
    run: (services, caller, { params, body }) => recallEpisodes(services, caller, params.run, body),
  }),
  door({
    action: "recall_observations",
    method: "POST",
    path: `${RUN}/recall-observations`,
    status: 200,
    summary:
      "Finds what was observed of the subject, alone or with turns, within the run's route allowlist",
    body: recallObservationsInput,
    run: (services, caller, { params, body }) =>
      recallObservations(services, caller, params.run, body),
  }),
  door({
    action: "query_traces",
    method: "GET",
    path: "/v1/traces",
    status: 200,
    summary: "What runs did: ids and summaries, newest first",
    query: queryTracesInput,
    run: (services, caller, { query }) => queryTraces(services, caller, query),
  }),
  door({
    action: "last_time",
    method: "GET",
    path: `${RUN}/last-time`,
    status: 200,
    summary: "What happened last time: earlier runs, their tickets, the last escalation",
    query: lastTimeInput,
    run: (services, caller, { params, query }) => lastTime(services, caller, params.run, query),
  }),
  door({
    action: "list_work",
    method: "GET",
    path: "/v1/work",
    status: 200,
    summary: "Jobs of the tenant, newest first",
    query: workInput,
    run: (services, caller, { query }) => listWork(services, caller, query),
  }),
  door({
    action: "retry_work",
    method: "POST",
    path: "/v1/work/:work/retry",
    status: 200,
    summary: "Gives a parked job another round of tries",
    run: (services, caller, { params }) => retryWork(services, caller, params.work),
  }),
];
