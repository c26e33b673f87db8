import { type SubjectId, type TenantId, trustedId } from "../domain/ids.js";
import type { Caches, Services } from "./services.js";

/** Drops what this process remembers of a subject. */
export function forgetErased(services: Services, tenant: TenantId, subject: SubjectId): void {
  const { caches, indexes } = services;
  for (const [cache, keys] of remembered(caches, tenant, subject))
    for (const key of keys) cache.delete(key);
  indexes.drop(tenant, subject);
}

/** How much this process still remembers of a subject, by place. */
export function countRemembered(
  services: Services,
  tenant: TenantId,
  subject: SubjectId,
): readonly { readonly name: string; readonly found: number }[] {
  const { caches, indexes } = services;
  const cached = remembered(caches, tenant, subject).reduce(
    (sum, [, keys]) => sum + keys.length,
    0,
  );
  return [
    { name: "memory.caches", found: cached },
    { name: "memory.index", found: indexes.countOf(tenant, subject) },
  ];
}

/** Of whom this process remembers anything, in one tenant. */
export function rememberedSubjects(
  { caches, indexes }: Services,
  tenant: TenantId,
): readonly SubjectId[] {
  const { pins, subjects, candidates, sessions, speakers, sealedAnew } = caches;
  const keyed = [sessions, speakers, sealedAnew].flatMap((cache) => [...cache.keys()]);
  const own = `${tenant}/`;
  return [
    ...new Set([
      ...[...pins.values()].flatMap((pin) => (pin.tenant === tenant ? [pin.subject] : [])),
      ...[...subjects.entries()].flatMap(([key, row]) =>
        key.startsWith(own) ? [row.subjectId] : [],
      ),
      ...[...candidates.values()].flatMap((row) =>
        row.tenantId === tenant ? [row.subjectId] : [],
      ),
      ...keyed.flatMap((key) =>
        key.startsWith(own) ? [trustedId<"SubjectId">(key.split("/")[1] ?? "")] : [],
      ),
      ...indexes.subjectsOf(tenant),
    ]),
  ];
}

interface Forgetful {
  delete(key: string): boolean;
}

/** Each cache with the keys under which it holds something of the subject. */
function remembered(
  { pins, subjects, candidates, sessions, speakers, sealedAnew }: Caches,
  tenant: TenantId,
  subject: SubjectId,
): readonly (readonly [Forgetful, readonly string[]])[] {
  const keyedBySubject = (key: string) => key.startsWith(`${tenant}/${subject}/`);
  return [
    [pins, keysOf(pins, (pin) => pin.subject === subject)],
    [subjects, keysOf(subjects, (row) => row.subjectId === subject)],
    [candidates, keysOf(candidates, (row) => row.subjectId === subject)],
    [sessions, [...sessions.keys()].filter(keyedBySubject)],
    [speakers, [...speakers.keys()].filter(keyedBySubject)],
    [sealedAnew, [...sealedAnew.keys()].filter(keyedBySubject)],
  ];
}

function keysOf<Value>(
  cache: { entries(): Iterable<[string, Value]> },
  isOwn: (value: Value) => boolean,
): readonly string[] {
  return [...cache.entries()].filter(([, value]) => isOwn(value)).map(([key]) => key);
}
