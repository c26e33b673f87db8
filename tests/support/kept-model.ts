import type { KeyId, SubjectId, TenantId, WorkspaceId } from "../../src/domain/ids.js";
import type { UserModel } from "../../src/domain/user-model.js";
import type { Services } from "../../src/services/services.js";
import { openView } from "../../src/services/view-place.js";
import type { TestMuniment } from "./muniment.js";

interface KeptView extends Readonly<Record<string, unknown>> {
  readonly tenantId: TenantId;
  readonly subjectId: SubjectId;
  readonly workspaceId: WorkspaceId;
  readonly viewId: string;
  readonly version: number;
  readonly bodySealed: Uint8Array;
  readonly keyId: KeyId;
}

/** The model of the person whose run it is, as it is kept. */
export async function keptModel(m: TestMuniment, run: string): Promise<UserModel | null> {
  const [row] = await m.db.query<KeptView>(
    `select v.tenant_id as "tenantId", v.subject_id as "subjectId", v.workspace_id as "workspaceId", v.view_id as "viewId",
       v.version, v.body_sealed as "bodySealed", u.key_id as "keyId"
     from muniment.run r
     join muniment.view v on v.tenant_id = r.tenant_id and v.subject_id = r.subject_id and v.view_id = 'user_model'
     join muniment.subject u on u.tenant_id = r.tenant_id and u.subject_id = r.subject_id
     where r.run_id = $1`,
    [run],
  );
  if (row === undefined) return null;
  const key = await m.services.keyring.subjectKey(row.tenantId, row.subjectId, row.keyId);
  return key && openView<UserModel>(m.services, { ...row, version: Number(row.version) }, key);
}

export const sayings = (model: UserModel | null) =>
  model?.sections.flatMap(({ statements }) => statements.map(({ text }) => text));

/** The services with a consolidator that gives this answer to whatever it is asked. */
export function withModelAnswer({ services }: TestMuniment, answer: object): Services {
  return {
    ...services,
    consolidator: { model: null, promptOf: () => "", ask: async () => answer },
  };
}
