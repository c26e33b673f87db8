/** One turn of a LoCoMo conversation. */
export interface LocomoTurn {
  readonly diaId: string;
  readonly speaker: string;
  /** The text, with the caption of a shared image behind it. */
  readonly text: string;
  readonly session: number;
  readonly observedAt: Date;
}

export interface LocomoQuestion {
  readonly text: string;
  readonly category: number;
  /** Ids of the turns that hold the answer. Never empty. */
  readonly evidence: readonly string[];
}

export interface LocomoSample {
  readonly id: string;
  readonly turns: readonly LocomoTurn[];
  /** Questions that name evidence. */
  readonly questions: readonly LocomoQuestion[];
}

/** Category of the questions whose answer isn't in the conversation. */
export const ADVERSARIAL = 5;

const CATEGORIES_ASKED = [1, 2, 3, 4, ADVERSARIAL];

/** Reads a LoCoMo file. Throws where it isn't one, with the place and without the text. */
export function parseLocomo(json: string): readonly LocomoSample[] {
  return list(JSON.parse(json), "file").map((value, at) => {
    const sample = record(value, `sample ${at}`);
    const conversation = record(sample.conversation, `conversation of sample ${at}`);
    return {
      id: string(sample.sample_id, `sample_id of sample ${at}`),
      turns: parseTurns(conversation),
      questions: parseQuestions(list(sample.qa, `qa of sample ${at}`)),
    };
  });
}

function parseTurns(conversation: Readonly<Record<string, unknown>>): readonly LocomoTurn[] {
  const sessions = Object.keys(conversation)
    .map((key) => /^session_(\d+)$/.exec(key)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  return sessions.flatMap((session) => {
    const key = `session_${session}`;
    const observedAt = parseSessionTime(
      string(conversation[`${key}_date_time`], `${key}_date_time`),
    );
    return list(conversation[key], key).map((value, at) => {
      const turn = record(value, `${key}.${at}`);
      const caption = turn.blip_caption;
      const text = string(turn.text, `${key}.${at}.text`);
      return {
        diaId: string(turn.dia_id, `${key}.${at}.dia_id`),
        speaker: string(turn.speaker, `${key}.${at}.speaker`),
        text: typeof caption === "string" ? `${text} [shared image: ${caption}]` : text,
        session,
        observedAt,
      };
    });
  });
}

/** `1:56 pm on 8 May, 2023`, taken as UTC. */
export function parseSessionTime(text: string): Date {
  const found = /^(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2} \w+, \d{4})$/.exec(text.trim());
  const day = new Date(`${found?.[4] ?? ""} 00:00 UTC`);
  if (found === null || Number.isNaN(day.getTime()))
    throw new Error("not a session time such as `1:56 pm on 8 May, 2023`");
  const hours = (Number(found[1]) % 12) + (found[3] === "pm" ? 12 : 0);
  return new Date(day.getTime() + (hours * 60 + Number(found[2])) * 60_000);
}

function parseQuestions(values: readonly unknown[]): readonly LocomoQuestion[] {
  return values
    .map((value, at) => {
      const question = record(value, `qa.${at}`);
      const evidence = list(question.evidence ?? [], `qa.${at}.evidence`).flatMap((ids) =>
        parseEvidence(String(ids)),
      );
      return {
        text: String(question.question),
        category: Number(question.category),
        evidence: [...new Set(evidence)],
      };
    })
    .filter(({ category, evidence }) => CATEGORIES_ASKED.includes(category) && evidence.length > 0);
}

/** One field may hold several ids (`D8:6; D9:17`), and some are misspelt (`D:11:26`, `D30:05`). */
export function parseEvidence(field: string): readonly string[] {
  return [...field.matchAll(/D:?(\d+):(\d+)/g)].map(
    ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
  );
}

function list(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place} is not a list`);
  return value;
}

function record(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${place} is not an object`);
  return value as Readonly<Record<string, unknown>>;
}

function string(value: unknown, place: string): string {
  if (typeof value !== "string") throw new Error(`${place} is not a string`);
  return value;
}
