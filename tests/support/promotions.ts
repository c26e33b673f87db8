import type { DatabaseKind } from "../setup/databases.js";
import { fieldBody, openTestMuniment, routeBody, type TestMuniment } from "./muniment.js";

export const LANGUAGE = { type: "string", enum: ["en", "es", "fr"] };

/** A field over which two people decide. */
export const VIP = {
  class: "risk_flag",
  value_schema: { type: "boolean" },
  writers: ["billing", "human_agent"],
  criterion: undefined,
} as const;

/** A Muniment with a preference and a risk flag, which a route lists. */
export async function openPromotions(database: DatabaseKind): Promise<TestMuniment> {
  const m = await openTestMuniment(database);
  const operator = m.operator();
  await operator.putField("pref_language", fieldBody({ value_schema: LANGUAGE }));
  await operator.putField("vip", fieldBody(VIP));
  const tools = ["recall_turns", "upsert_preference"];
  const store_fields = ["pref_language", "vip"];
  await operator.putRoute("chat", routeBody({ autonomy: 1, tools, store_fields }));
  return m;
}

/** People with a chat, and what the store says of them. */
export function promotionsIn(muniment: () => TestMuniment) {
  let people = 0;
  return {
    async person() {
      const subject = `person ${people++}`;
      const chat = { route_id: "chat", goal: "Talk" };
      const { run_id: run } = await muniment().app().startRun(subject, "main", chat);
      return { subject, run };
    },
    async standing(subject: string, field = "pref_language") {
      const { fields } = await muniment().app().listFields(subject);
      return fields.find((it) => it.field_id === field);
    },
    logOf: async (subject: string) =>
      (await muniment().operator().listPromotions(subject, {})).promotions,
    propose: (subject: string, value: unknown, role = "settings", field = "pref_language") =>
      muniment().service(role).proposeField(subject, { field_id: field, value }),
  };
}
