import { type BmcClient, type Resource } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { type Json, linkOf, objectOf, pathOf, textOf } from './json.js';

/** Maximum members that are read of a collection; a BMC has tens. */
const MAX_MEMBERS = 100;
const MAX_PAGES = 50;
export interface CollectionRequest {
  /** So many members are read at most. */
  readonly limit?: number;
  /** Asks for the members with the collection, in one answer, where the BMC offers that. */
  readonly expand?: boolean;
  /** Whether what was found on the pages so far will do. */
  readonly isEnough?: (found: readonly Json[]) => boolean;
}

/** A member as the collection shows it: the whole resource when it was expanded, else its address alone. */
interface Member {
  readonly path: string;
  readonly whole: Resource | undefined;
}

/**
 * The members of a collection, over all its pages, one after the other: a BMC answers few requests at a time. None when
 * there is no such collection; a member that was deleted before it is read is left out.
 */
export async function readMembers(
  bmc: BmcClient,
  path: string | undefined,
  { limit = MAX_MEMBERS, expand = false, isEnough = () => false }: CollectionRequest = {},
): Promise<readonly Resource[]> {
  if (path === undefined) return [];
  const members: Resource[] = [];
  for (const member of await membersOf(bmc, path, { limit, expand, isEnough })) {
    const whole = member.whole ?? (await bmc.readOptional(member.path));
    if (whole !== undefined) members.push(whole);
  }
  return members;
}

async function membersOf(
  bmc: BmcClient,
  path: string,
  { limit, expand, isEnough }: Required<CollectionRequest>,
): Promise<readonly Member[]> {
  const found = new Map<string, Member>();
  let page = await firstPage(bmc, path, expand);
  for (let pages = 1; page !== undefined; pages += 1) {
    const { Members: members, 'Members@odata.nextLink': next } = page.data;
    const before = found.size;
    for (const value of Array.isArray(members) ? (members as readonly unknown[]) : [])
      for (const member of memberOf(value)) found.set(member.path, member);
    // A page that adds nothing leads nowhere: some BMCs link the last page to itself.
    if (found.size >= limit || found.size === before || pages >= MAX_PAGES) break;
    if (isEnough([...found.values()].map(({ whole }) => whole?.data ?? {}))) break;
    page = await bmc.readOptional(pathOf(next));
  }
  return [...found.values()].slice(0, limit);
}

/** The first page; without expansion where the BMC refuses what it offers, or cannot send so much at once. */
async function firstPage(
  bmc: BmcClient,
  path: string,
  expand: boolean,
): Promise<Resource | undefined> {
  const query = expand ? await expansionOf(bmc) : undefined;
  if (query !== undefined)
    try {
      return await bmc.read(`${path}?${query}`);
    } catch (error) {
      const isRefused =
        error instanceof BmcCallFailure && (error.kind === 'answer' || error.kind === 'too_large');
      if (!isRefused) throw error;
    }
  return bmc.readOptional(path);
}

function memberOf(value: unknown): readonly Member[] {
  const path = linkOf(value);
  if (path === undefined) return [];
  const data = objectOf(value);
  const isWhole = Object.keys(data).some((key) => !key.startsWith('@odata.'));
  const whole = isWhole ? { path, etag: textOf(data['@odata.etag']), data } : undefined;
  return [{ path, whole }];
}

/** The query by which the BMC shows members with their collection; undefined when it offers none. */
async function expansionOf(bmc: BmcClient): Promise<string | undefined> {
  const root = await bmc.readRoot();
  const offered = objectOf(objectOf(root.data['ProtocolFeaturesSupported'])['ExpandQuery']);
  if (offered['NoLinks'] === true) return '$expand=.($levels=1)';
  return offered['ExpandAll'] === true ? '$expand=*($levels=1)' : undefined;
}
