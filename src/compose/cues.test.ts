import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../tests/setup/databases.js";
import type { Cues } from "../domain/cues.js";
import { trustedId } from "../domain/ids.js";
import { parseObservations } from "../domain/observation-rules.js";
import { findObservations } from "../domain/observe-extract.js";
import { PLATFORM_DIMENSIONS } from "../domain/platform-dimensions.js";
import { inOneGo } from "../domain/steps.js";
import { openCues } from "./cues.js";

const root = await temporaryDirectory();
let folders = 0;

/** A folder with a file of each name. */
function folder(files: Readonly<Record<string, string>>): string {
  const directory = join(root, `cues-${folders++}`);
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

/** What is kept of a turn, by dimension; `!` where it is about safety. */
function kept(cues: Cues, text: string): readonly string[] {
  const turn = {
    id: trustedId<"TurnId">("t1"),
    role: "user" as const,
    speaker: "subject" as const,
    text,
    observedAt: new Date("2026-03-01T09:00:00Z"),
  };
  const source = { dimensions: PLATFORM_DIMENSIONS, cues, turns: [turn], known: [], model: null };
  const { observed } = parseObservations(inOneGo(findObservations(source)), source);
  return observed.map(
    ({ dimension, text: said, isSafety }) => `${dimension}${isSafety ? "!" : ""}: ${said}`,
  );
}

const SHIPPED = openCues({});
const JAPANESE = `
version: 3
first_person: [私, 僕]
drops_first_person: true
acknowledgements: [はい, ありがとう, ありがとうございます]
safety: [アレルギー]
corrections: [これからは]
dimensions:
  communication_preference: [電話してください, の方が好き]
  reported_context: [アレルギーがあります]
`;

describe("cues", () => {
  it.each([
    "I have a question.",
    "I take it you won't refund me.",
    "I like how you ignore me.",
    "I want to know when you open.",
    "Ich habe eine Frage.",
    "Ich bin gleich wieder da.",
    "Ich nehme an, das ist normal.",
  ])("S4-05 idioms say nothing of the person: %s", (text) => {
    expect(kept(SHIPPED, text)).toEqual([]);
  });

  it("S4-05 a danger beside an idiom is kept", () => {
    const text = "I take it you know that I'm allergic to nuts.";
    expect(kept(SHIPPED, text)).toEqual([`reported_context!: ${text}`]);
  });

  it.each([
    ["I fainted in the shower.", ["reported_context!: I fainted in the shower."]],
    ["My penicillin allergy is severe.", ["reported_context!: My penicillin allergy is severe."]],
    ["Shellfish makes my throat swell.", ["reported_context!: Shellfish makes my throat swell."]],
    [
      "If I take ibuprofen I stop breathing.",
      ["reported_context!: If I take ibuprofen I stop breathing."],
    ],
    [
      "Hallo. Ich möchte bis zum Sommer wieder zum See laufen. Danke!",
      ["goals: Ich möchte bis zum Sommer wieder zum See laufen."],
    ],
    [
      "Bitte rufen Sie mich lieber am Abend an.",
      ["communication_preference: Bitte rufen Sie mich lieber am Abend an."],
    ],
    [
      "Ich habe eine Penicillinallergie seit meiner Kindheit.",
      ["reported_context!: Ich habe eine Penicillinallergie seit meiner Kindheit."],
    ],
    ["Vielen Dank, bis bald! Wie lange haben Sie heute auf?", []],
    [
      "Buenos días. Prefiero que me llamen por la tarde, gracias.",
      ["communication_preference: Prefiero que me llamen por la tarde, gracias."],
    ],
    [
      "Soy alérgica a la penicilina desde niña.",
      ["reported_context!: Soy alérgica a la penicilina desde niña."],
    ],
    [
      "No puedo ir a la farmacia antes de que cierre.",
      ["barriers: No puedo ir a la farmacia antes de que cierre."],
    ],
    ["Muchas gracias, hasta luego. ¿A qué hora cierran hoy?", []],
    [
      "I prefer calls in the morning.",
      ["communication_preference: I prefer calls in the morning."],
    ],
  ])(
    "S4-05 find what a person says in the languages that are shipped, and nothing in thanks and questions: %s",
    (text, found) => {
      expect(kept(SHIPPED, text)).toEqual(found);
    },
  );

  it("S4-05 of an operator's own file find what is said in another script, where words have no borders", () => {
    const cues = openCues({ cuesDir: folder({ "ja.yaml": JAPANESE }) });
    expect(
      kept(
        cues,
        "ありがとうございます。朝の電話の方が好きです。ペニシリンのアレルギーがあります。",
      ),
    ).toEqual([
      "communication_preference: 朝の電話の方が好きです。",
      "reported_context!: ペニシリンのアレルギーがあります。",
    ]);
    expect(kept(SHIPPED, "朝の電話の方が好きです。")).toEqual([]);
    expect(cues.version).toBe("de/2 en/2 es/2 ja/3");
    expect(kept(cues, "I prefer calls in the morning.")).toHaveLength(1);
  });

  it("S4-05 of an operator's own file stand instead of the shipped ones of its language", () => {
    const cues = openCues({
      cuesDir: folder({
        "en.yaml": "version: 2\nfirst_person: [i]\ndimensions: { goals: [i dream of] }\n",
      }),
    });
    expect(kept(cues, "I dream of a garden by the lake.")).toHaveLength(1);
    expect(kept(cues, "I prefer calls in the morning.")).toEqual([]);
  });

  it.each([
    ["an unknown key", "fr.yaml", "version: 1\ntone: [x]\ndimensions: {}\n", "tone"],
    [
      "an unknown dimension",
      "fr.yaml",
      "version: 1\ndimensions: { mood: [triste] }\n",
      "dimensions.mood",
    ],
    [
      "a star in the middle",
      "fr.yaml",
      "version: 1\nsafety: [al*rgie]\ndimensions: {}\n",
      "safety.0",
    ],
    ["a phrase twice", "fr.yaml", "version: 1\nsafety: [a, a]\ndimensions: {}\n", "safety.1"],
    ["no version", "fr.yaml", "dimensions: {}\n", "version"],
    ["a name that is no language", "my cues.yaml", "version: 1\ndimensions: {}\n", "file name"],
  ])("S4-05 are refused at start, with file and key: %s", (_name, file, text, key) => {
    const cuesDir = folder({ [file]: text });
    const named = new RegExp(`${file}.*\`${key.replaceAll(".", "\\.")}\``);
    expect(() => openCues({ cuesDir })).toThrow(named);
  });
});
