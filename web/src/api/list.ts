/** Lists that a page needs all of, where the server answers with a page at a time. */

/** The most entries that the server puts into one answer. */
const ENTRIES_MAX = 1000;

/** All entries of a list: asks for what follows until nothing does. */
export async function wholeList<Answer extends { next_after: string | null }, Entry>(
  page: (query: { limit: number; after?: string }) => Promise<Answer>,
  entriesOf: (answer: Answer) => Entry[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const answer: Answer = await page({ limit: ENTRIES_MAX, ...(after === null ? {} : { after }) });
    entries.push(...entriesOf(answer));
    after = answer.next_after;
  } while (after !== null);
  return entries;
}
