/**
 * Where a tenant's facts are kept and edited by people: a CRM, a core banking system. Path 3 compares with it.
 *
 * `read` answers the fields that it knows of a subject, by field id; a field that it leaves out is unknown there. It is
 * bounded in time and size, and throws `unavailable` where it can't say. What it answers is input: the caller parses it.
 */
export interface SystemOfRecord {
  read(
    tenant: string,
    subject: string,
    fieldIds: readonly string[],
  ): Promise<Readonly<Record<string, unknown>>>;
}
