import type { DatabaseKind } from "../setup/databases.js";
import { fieldBody, openTestMuniment, routeBody, type TestMuniment } from "./muniment.js";

export const LANGUAGE = { type: "string", enum: ["en", "es", "fr"] };

const TOOLS = ["recall_turns", "upsert_preference"];

/** A Muniment with fields, and with routes that list them. */
export async function openFieldStore(database: DatabaseKind): Promise<TestMuniment> {
  const m = await openTestMuniment(database);
  const operator = m.operator();
  const put = (id: string, change: object) => operator.putField(id, fieldBody({ ...change }));
  await put("pref_language", { value_schema: LANGUAGE, description: "Language of replies" });
  await put("call_window", {
    value_schema: { type: "string", pattern: "^\\d{2}:\\d{2}-\\d{2}:\\d{2}$", maxLength: 11 },
    routes: ["fee_explain"],
  });
  await put("draft_open", { value_schema: { type: "boolean" }, scope: "session" });
  await put("sop_fee", {
    class: "policy_pointer",
    value_schema: { type: "string", pattern: "^SOP-\\d{1,4}$", maxLength: 8 },
    writers: ["release"],
    criterion: undefined,
  });
  const listed = { store_fields: ["pref_language", "call_window", "draft_open", "sop_fee"] };
  const route = (id: string, change: object = {}) =>
    operator.putRoute(id, routeBody({ autonomy: 1, tools: TOOLS, ...change }));
  await route("chat", listed);
  await route("fee_explain", listed);
  await route("plain");
  await route("payment", { ...listed, profile: { long_term: "none" } });
  return m;
}

/** People with a chat, and what packs show them of the store. */
export function peopleIn(muniment: () => TestMuniment) {
  let names = 0;
  const packed = async (run: string) =>
    (await muniment().app().assemble(run, {})).items.filter((item) => item.layer === "store");
  return {
    newName: () => `field_${names++}`,
    async person(route = "chat", session = "main", subject = `person ${names++}`) {
      const { run_id: run } = await muniment()
        .app()
        .startRun(subject, session, { route_id: route, goal: "x" });
      return { subject, run };
    },
    packed,
    texts: async (run: string) => (await packed(run)).map((item) => item.text),
  };
}
