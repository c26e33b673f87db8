const END = /^[0-9a-f]{12}$/;

/** Lists show ids by their ends: the one of `ids` that ends so. What is no end, or no one's, is asked for as it is. */
export async function idByEnd(
  given: string,
  ids: () => Promise<readonly string[]>,
): Promise<string> {
  if (!END.test(given)) return given;
  const meant = new Set((await ids()).filter((id) => id.endsWith(`-${given}`)));
  const [only = given] = meant;
  return meant.size === 1 ? only : given;
}
