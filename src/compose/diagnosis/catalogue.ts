import type { Store } from "../../storage/store.js";
import { bad, type Check, good, messageOf } from "./check.js";

/** Findings about the application role; the others are about the wall around each row. */
const OF_ROLES = /\brole muniment_app\b|\bthe application role\b/;

/** The catalogue self-check that also stands before each start. */
export async function checkCatalogue(store: Store): Promise<readonly Check[]> {
  try {
    const findings = await store.selfCheck();
    const ofRoles = findings.filter((finding) => OF_ROLES.test(finding));
    const ofWall = findings.filter((finding) => !OF_ROLES.test(finding));
    return [
      ofRoles.length === 0
        ? good("roles", "the application role owns nothing and can't pass the wall")
        : bad("roles", ofRoles.join("; ")),
      ofWall.length === 0
        ? good("row_level_security", "each table has its wall")
        : bad("row_level_security", ofWall.join("; ")),
    ];
  } catch (error) {
    const why = messageOf(error);
    return [bad("roles", why), bad("row_level_security", why)];
  }
}
