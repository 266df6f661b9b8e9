import { sleep } from '@tenure/process';
import { allWhere } from './all-where.js';

/** Small, because records may be large and a page is several times in memory. */
const PAGE = 100;

/** Every record of a store in the order of creation, page by page; other work runs in between. */
export async function* everyRecord<R extends { readonly uuid: string }>(store: {
  readonly list: (query: ReturnType<typeof allWhere>) => Promise<readonly R[]>;
}): AsyncGenerator<R> {
  let after: ReturnType<typeof allWhere>['after'] = null;
  for (;;) {
    const page: readonly R[] = await store.list({ ...allWhere(), after, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = { uuid: last.uuid, value: null };
    await sleep(0);
  }
}
