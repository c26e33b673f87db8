import { prefetchCorpusInput, searchCorpusInput } from "../services/inputs/corpus.js";
import { upsertPreferenceInput } from "../services/inputs/field.js";
import { useToolInput } from "../services/inputs/run.js";
import { listTools } from "../services/list-tools.js";
import { prefetchCorpus } from "../services/prefetch-corpus.js";
import { searchCorpus } from "../services/search-corpus.js";
import { upsertPreference } from "../services/upsert-preference.js";
import { useTool } from "../services/use-tool.js";
import { type Door, door } from "./door.js";

const RUN = "/v1/runs/:run";

/** Tools of a run's model: which ones it is shown, and what their calls come to. */
export const TOOL_OPERATIONS: readonly Door[] = [
  door({
    action: "search_corpus",
    method: "POST",
    path: `${RUN}/corpora/search`,
    status: 200,
    summary: "Searches corpora of the pinned route, within the caller's groups",
    body: searchCorpusInput,
    run: (services, caller, { params, body }) => searchCorpus(services, caller, params.run, body),
  }),
  door({
    action: "prefetch_corpus",
    method: "POST",
    path: `${RUN}/corpora/prefetch`,
    status: 200,
    summary: "Searches corpora of the pinned route into the slot `prefetch`",
    body: prefetchCorpusInput,
    run: (services, caller, { params, body }) => prefetchCorpus(services, caller, params.run, body),
  }),
  door({
    action: "use_tool",
    method: "POST",
    path: `${RUN}/tools`,
    status: 200,
    summary: "Asks whether the run may call a tool now, and records that it does",
    body: useToolInput,
    run: (services, caller, { params, body }) => useTool(services, caller, params.run, body),
  }),
  door({
    action: "list_tools",
    method: "GET",
    path: `${RUN}/tools`,
    status: 200,
    summary: "Memory tools that the run's model may be shown now",
    run: (services, caller, { params }) => listTools(services, caller, params.run),
  }),
  door({
    action: "upsert_preference",
    method: "POST",
    path: `${RUN}/preferences`,
    status: 201,
    summary: "A model's call of the governed tool: files a candidate",
    body: upsertPreferenceInput,
    run: (services, caller, { params, body }) =>
      upsertPreference(services, caller, params.run, body),
  }),
];
