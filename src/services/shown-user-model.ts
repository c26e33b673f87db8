import type { SubjectKey } from "../domain/keyring.js";
import { restingOn, type UserModel } from "../domain/user-model.js";
import { observedAtOf, type UserModelRow } from "../storage/queries/user-model-read.js";
import type { Services } from "./services.js";
import { openView } from "./view-place.js";

/** The model without what may not be shown: a statement stands while all stands that it rests on. Null where it doesn't open. */
export function shownUserModel(
  services: Pick<Services, "onAlarm">,
  row: UserModelRow,
  key: SubjectKey,
): UserModel | null {
  const model = openView<UserModel>(services, row, key);
  return (
    model && {
      ...model,
      sections: restingOn(model.sections, new Set(observedAtOf(row).keys())),
    }
  );
}
