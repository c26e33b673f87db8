export const CLINIC_TENANT = "clinic-au";
export const CLINIC_ROUTE = "coach";

/** A route whose packs hold what is derived of the person. */
export const COACH = {
  memory_profile: {
    conversation: "session",
    working: "session",
    long_term: "retrieve_only",
    ttl_hours: 24,
    isolation: ["tenant", "user", "session"],
  },
  views: ["clinical_state", "user_model", "fold"],
  tokens_max: 4_000,
} as const;

/** What Mia says about drugs, observed under the name that the clinic's records use too. */
export const DRUG_REACTION = {
  entity: "person",
  type: "string",
  description: "what the person says about reactions to drugs, until a record says it",
  tags: ["memory_extraction"],
  cues: ["allergic", "rash from"],
  is_safety: true,
  examples: {
    preference: "I'm allergic to penicillin.",
    correction: "It was the cream after all, I'm not allergic to penicillin.",
    nothing: "Ok, thanks.",
  },
} as const;

const RECORD = {
  source: "ehr",
  source_revision: 1,
  kind: "report",
  effective_at: "2026-02-01T09:00:00Z",
  observer: "Dr. Okafor",
} as const;

/** The same finding in two records: in the list of allergies, and as what counts for prescribing. */
export const ALLERGY = [
  { ...RECORD, source_id: "allergy-1", key: "allergy", value: "penicillin" },
  { ...RECORD, source_id: "reaction-1", key: "drug_reaction", value: "penicillin: rash" },
] as const;
