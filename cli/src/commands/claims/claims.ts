import { type Static, Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';
import { type CommandContext } from '../../terminal/command-context.js';
import { tableLines } from '../../terminal/table.js';
import {
  allRows,
  type InventoryClient,
  type InventoryOptions,
  withInventory,
} from '../inventory-client.js';

const OrNull = Type.Union([Type.String(), Type.Null()]);
const Claim = Type.Object({
  kind: Type.String(),
  id: Type.String(),
  project_id: OrNull,
  in_use: Type.Boolean(),
  used_by: Type.Array(
    Type.Object({ section: Type.String(), uuid: Type.String(), node_uuid: OrNull }),
  ),
});
type Claim = Static<typeof Claim>;
const Page = Type.Object({ claims: Type.Array(Claim), next: OrNull });

const PAGE_ROWS = 500;

interface Narrowing {
  readonly kind?: string | undefined;
  readonly project?: string | undefined;
  readonly unused?: boolean | undefined;
}

const HEAD = ['KIND', 'ID', 'PROJECT', 'USED BY'] as const;

interface Printing extends InventoryOptions {
  readonly json?: boolean;
}

/** A claimed resource as named on the command line. */
interface Named {
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
}

interface Release extends InventoryOptions {
  readonly force?: boolean;
  readonly unused?: boolean;
}

/** `tenure claims list`: a table, or a JSON list, of the recorded claims. */
export async function listClaims(
  options: Narrowing & Printing,
  context: CommandContext,
): Promise<void> {
  const claims = await withInventory(options, (client) => everyClaim(client, options));
  context.stdout.answer({ json: options.json, document: claims, lines: () => table(claims) });
}

/** `tenure claims show`: the project of one resource, also of a resource without a recorded claim. */
export async function showClaim(
  named: Named,
  options: Printing,
  context: CommandContext,
): Promise<void> {
  const answer = await withInventory(options, (client) => client.call('GET', pathOf(named)));
  const claim = parse(Claim, answer, 'claim');
  const lines = [
    `${claim.kind} ${claim.id}`,
    claim.in_use ? `project: ${projectOf(claim)}` : `free; last project: ${projectOf(claim)}`,
    `used by: ${usesOf(claim)}`,
  ];
  context.stdout.answer({ json: options.json, document: claim, lines: () => lines });
}

/**
 * `tenure claims release`: deletes the claim of one resource, or every claim of a resource that nothing uses.
 * @throws Error when the resource is in use and `force` is not set, or it has no claim
 */
export const releaseClaims = (
  named: Named,
  { force, unused, ...options }: Release,
  context: CommandContext,
): Promise<void> =>
  withInventory(options, async (client) => {
    if (unused === true && named.kind !== undefined)
      throw new Error('--unused is for all that nothing uses: name none');
    const released = unused === true ? await everyClaim(client, { unused }) : [named];
    for (const one of released)
      await client.call('DELETE', `${pathOf(one)}${force === true ? '?force=true' : ''}`);
    context.stdout.line(`released: ${String(released.length)}`);
  });

function everyClaim(
  client: InventoryClient,
  { kind, project, unused }: Narrowing,
): Promise<readonly Claim[]> {
  const query = {
    limit: String(PAGE_ROWS),
    ...(kind !== undefined && { kind }),
    ...(project !== undefined && { project }),
    ...(unused === true && { unused: 'true' }),
  };
  return allRows(client, '/internal/claims', query, (answer) => {
    const { claims: rows, next } = parse(Page, answer, 'page of claims');
    return { rows, next };
  });
}

const table = (claims: readonly Claim[]): readonly string[] =>
  tableLines([
    HEAD,
    ...claims.map((claim) => [claim.kind, claim.id, projectOf(claim), usesOf(claim)]),
  ]);

const projectOf = ({ project_id: project }: Claim): string => project ?? '-';

const usesOf = ({ used_by: uses }: Claim): string =>
  uses.length === 0
    ? '-'
    : uses
        .map(({ section, uuid, node_uuid: node }) => `${section}/${uuid} on ${node ?? '-'}`)
        .join(', ');

function pathOf({ kind, id }: Named): string {
  if (kind === undefined || id === undefined)
    throw new Error('say which: KIND ID, or --unused for all that nothing uses');
  return `/internal/claims/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
}
